// SPDX-License-Identifier: MIT
// A first line "shared registers architecture name", then a line per instruction in the order of
// the program: the grammar of tracer version 5 with source lines, without addresses.
#include "frontends/accelsim/sass_listing.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { VERSION = 5, MAX_LINE_BYTES = 512 };

typedef struct Text {
  char *bytes;
  size_t used, capacity;
} Text;

static void reserve(Text *text, size_t bytes) {
  if (text->capacity - text->used >= bytes) return;
  text->capacity = text->capacity * 2 + bytes + 16 * MAX_LINE_BYTES;
  text->bytes = memory_resize(text->bytes, text->capacity);
}

__attribute__((format(printf, 2, 3))) static void add(Text *text, const char *format, ...) {
  va_list args;
  reserve(text, MAX_LINE_BYTES);
  va_start(args, format);
  int length = vsnprintf(text->bytes + text->used, MAX_LINE_BYTES, format, args);
  va_end(args);
  text->used += (size_t)(length < MAX_LINE_BYTES ? length : MAX_LINE_BYTES - 1);
}

// Of any length, with the end of its line.
static void add_name(Text *text, const char *name) {
  size_t length = strlen(name);
  reserve(text, length + 1);
  memcpy(text->bytes + text->used, name, length);
  text->bytes[text->used + length] = '\n';
  text->used += length + 1;
}

static void add_register(Text *text, uint32_t number) {
  if (number < SASS_UNIFORM)
    add(text, " R%u", number);
  else if (number < SASS_PREDICATE)
    add(text, " UR%u", number - SASS_UNIFORM);
  else if (number < SASS_UNIFORM_PREDICATE)
    add(text, " P%u", number - SASS_PREDICATE);
  else if (number < SASS_REGISTERS)
    add(text, " UP%u", number - SASS_UNIFORM_PREDICATE);
  else
    add(text, " R255");
}

static void add_instruction(Text *text, const SassInstruction *in) {
  add(text, "%u %04x ffffffff %u", in->source_line, in->pc, in->destination_count);
  for (uint32_t i = 0; i < in->destination_count; i++) add_register(text, in->destinations[i]);
  add(text, " %s %u", in->opcode, in->source_count);
  for (uint32_t i = 0; i < in->source_count; i++) add_register(text, in->sources[i]);
  add(text, " 0 0\n");
}

char *sass_listing_write(const TraceKernel *kernel, size_t *length) {
  Text text = {0};
  uint32_t count = kernel->code.count;
  const SassInstruction **order = memory_alloc(sizeof *order * (count + 1));
  for (uint32_t i = 0; i < count; i++) order[kernel->made.places[i]] = &kernel->code.items[i];
  add(&text, "%llu %u %u ", (unsigned long long)kernel->header.shared_bytes,
      kernel->header.registers, kernel->header.binary_version);
  add_name(&text, kernel->header.name);
  for (uint32_t i = 0; i < count; i++) add_instruction(&text, order[i]);
  memory_free(order);
  *length = text.used;
  return text.bytes;
}

// ---- reading

static Status refuse(const char *path, uint32_t line, const char *what, Error *err) {
  return error_set(err, ERR_SYNTAX, "%s:%u: %s", path, line, what);
}

static bool read_first(TraceHeader *header, const char *line, Arena *arena) {
  char *end;
  unsigned long long shared = strtoull(line, &end, 10);
  unsigned long registers = strtoul(end, &end, 10), architecture = strtoul(end, &end, 10);
  if (*end != ' ' || shared > 256 * 1024 || registers > 255 || architecture > 1000) return false;
  header->shared_bytes = shared;
  header->registers = (uint32_t)registers;
  header->binary_version = (uint32_t)architecture;
  header->name = arena_strdup(arena, end + 1);
  return true;
}

static Status read_lines(SassCode *code, TraceHeader *header, char *text, const char *path,
                         Arena *arena, Error *err) {
  SassLine line;
  uint32_t number = 1;
  for (char *at = text, *next; at && *at; at = next, number++) {
    next = strchr(at, '\n');
    if (next) *next++ = '\0';
    if (number == 1) {
      if (!read_first(header, at, arena)) return refuse(path, number, "invalid kernel", err);
      continue;
    }
    const char *problem = sass_line_parse(&line, at, VERSION, true);
    if (problem) return refuse(path, number, problem, err);
    sass_code_add(code, &line);
  }
  return number > 1 ? OK : refuse(path, number, "no kernel", err);
}

Status sass_listing_read(Program **program, const char *text, const char *path, Error *err) {
  SassCode code = {0};
  SassProgram made = {0};
  TraceHeader header = {0};
  Arena arena = {0};
  char *copy = arena_strdup(&arena, text);
  Status status = read_lines(&code, &header, copy, path, &arena, err);
  if (status == OK) sass_program_make(&made, &code, &header);
  *program = made.program;
  sass_code_clear(&code);
  arena_clear(&arena);
  return status;
}
