// SPDX-License-Identifier: MIT
// Parses a case file. A line is split at blanks into words; a table maps each command
// to its parser. Memory use is proportional to the size of the file, and both are
// limited.
#include <string.h>

#include "base/text/closest.h"
#include "base/files/file.h"
#include "base/memory.h"
#include "frontends/casefile/case_words.h"

enum {
  FILE_LIMIT_BYTES = 4 << 20,
  MAX_COMMANDS = 100000,
  MAX_BUFFERS = 4096,
  MAX_LOOP_DEPTH = 16,
};
static const uint64_t max_buffer_bytes = 1ull << 40;

typedef struct Parser {
  Case *parsed;
  CaseWords words;
  uint32_t command_capacity, buffer_capacity;
  uint32_t loops[MAX_LOOP_DEPTH], loop_depth;
} Parser;

// Parses the words after the command's name.
typedef Status (*ReadFn)(Parser *parser, CaseCommand *command);

static const char *const element_names[] = {"i32", "f32", "u8"};

static const char *word(const Parser *parser, uint32_t index) {
  return parser->words.word[index].text;
}

static Status read_buffer(const Parser *parser, uint32_t index, const char *name,
                          uint32_t *buffer) {
  Closest closest = closest_start(name);
  const Case *parsed = parser->parsed;
  for (*buffer = 0; *buffer < parsed->buffer_count; ++*buffer)
    if (strcmp(parsed->buffers[*buffer].name, name) == 0) return OK;
  for (uint32_t i = 0; i < parsed->buffer_count; i++)
    closest_offer(&closest, parsed->buffers[i].name);
  return CASE_FAIL(&parser->words, index, "unknown buffer '%.40s'%s%s%s", name,
                   CLOSEST_HINT(closest));
}

static Status read_element(const Parser *parser, uint32_t index, CaseElement last,
                           CaseElement *element) {
  for (CaseElement e = CASE_I32; e <= last; e++)
    if (strcmp(element_names[e], word(parser, index)) == 0) {
      *element = e;
      return OK;
    }
  return CASE_FAIL(&parser->words, index, "unknown element type '%.40s'; usage: %s",
                   word(parser, index), parser->words.usage);
}

static const char *path_of(Parser *parser, uint32_t index) {
  return path_beside(&parser->parsed->arena, parser->parsed->source.path, word(parser, index));
}

static uint64_t buffer_bytes(const Parser *parser, const CaseCommand *command) {
  return parser->parsed->buffers[command->buffer].size_bytes;
}

// ---- commands ----

static Status refuse_in_loop(const Parser *parser) {
  return parser->loop_depth
             ? CASE_FAIL(&parser->words, 0, "'%s' is not allowed in a loop", word(parser, 0))
             : OK;
}

static Status read_ptx(Parser *parser, CaseCommand *command) {
  TRY(case_words_want(&parser->words, 1));
  TRY(refuse_in_loop(parser));
  command->path = path_of(parser, 1);
  return OK;
}

static Status read_regs(Parser *parser, CaseCommand *command) {
  TRY(case_words_want(&parser->words, 2));
  command->kernel = word(parser, 1);
  return case_words_count(&parser->words, 2, 1, 1024, &command->value);
}

static Status read_alloc(Parser *parser, CaseCommand *command) {
  Case *parsed = parser->parsed;
  TRY(case_words_want(&parser->words, 2));
  TRY(refuse_in_loop(parser));
  for (uint32_t i = 0; i < parsed->buffer_count; i++)
    if (strcmp(parsed->buffers[i].name, word(parser, 1)) == 0)
      return CASE_FAIL(&parser->words, 1, "buffer '%.40s' is already allocated", word(parser, 1));
  if (parsed->buffer_count == MAX_BUFFERS)
    return CASE_FAIL(&parser->words, 0, "more than %d buffers", MAX_BUFFERS);
  CaseBuffer buffer = {.name = word(parser, 1)};
  TRY(case_words_count(&parser->words, 2, 1, max_buffer_bytes, &buffer.size_bytes));
  GROW(parsed->buffers, parsed->buffer_count, parser->buffer_capacity);
  command->buffer = parsed->buffer_count++;
  parsed->buffers[command->buffer] = buffer;
  return OK;
}

static Status read_fill_const(Parser *parser, CaseCommand *command) {
  TRY(case_words_want(&parser->words, 4));
  if (command->element != CASE_F32)
    return case_words_value(&parser->words, 4, case_element_bytes(command->element),
                            &command->value);
  double number;
  if (!case_parse_float(word(parser, 4), &number))
    return CASE_FAIL(&parser->words, 4, "'%.40s' is not a number", word(parser, 4));
  float single = (float)number;
  uint32_t bits;
  memcpy(&bits, &single, sizeof bits);
  command->value = bits;
  return OK;
}

static Status read_fill_iota(Parser *parser, CaseCommand *command) {
  (void)command;
  return case_words_want(&parser->words, 3);
}

static Status read_fill_rand(Parser *parser, CaseCommand *command) {
  TRY(case_words_want(&parser->words, 4));
  return case_words_value(&parser->words, 4, 4, &command->value);
}

static Status read_fill_ring(Parser *parser, CaseCommand *command) {
  TRY(case_words_want(&parser->words, 5));
  uint64_t elements = buffer_bytes(parser, command) / case_element_bytes(command->element);
  TRY(case_words_count(&parser->words, 4, 1, UINT32_MAX, &command->value));
  TRY(case_words_count(&parser->words, 5, 1, UINT32_MAX, &command->stride));
  if ((command->value - 1) * command->stride >= elements)
    return CASE_FAIL(&parser->words, 4, "the ring exceeds the buffer's %llu elements",
                     (unsigned long long)elements);
  return OK;
}

static Status read_fill_file(Parser *parser, CaseCommand *command) {
  TRY(case_words_want(&parser->words, 4));
  command->path = path_of(parser, 4);
  return OK;
}

static Status read_fill(Parser *parser, CaseCommand *command) {
  static const struct {
    const char *name;
    ReadFn read;
  } patterns[] = {[CASE_CONST] = {"const", read_fill_const},
                  [CASE_IOTA] = {"iota", read_fill_iota},
                  [CASE_RAND] = {"rand", read_fill_rand},
                  [CASE_RING] = {"ring", read_fill_ring},
                  [CASE_FILE] = {"file", read_fill_file}};
  if (parser->words.count < 4) return case_words_want(&parser->words, 3);
  TRY(read_buffer(parser, 1, word(parser, 1), &command->buffer));
  TRY(read_element(parser, 2, CASE_U8, &command->element));
  for (command->pattern = CASE_CONST; command->pattern <= CASE_FILE; command->pattern++)
    if (strcmp(patterns[command->pattern].name, word(parser, 3)) == 0)
      return patterns[command->pattern].read(parser, command);
  return CASE_FAIL(&parser->words, 3, "unknown pattern '%.40s'; usage: %s", word(parser, 3),
                   parser->words.usage);
}

static Status read_poke(Parser *parser, CaseCommand *command) {
  TRY(case_words_want(&parser->words, 3));
  command->value_bytes = strcmp(word(parser, 0), "poke8") == 0 ? 1 : 4;
  TRY(read_buffer(parser, 1, word(parser, 1), &command->buffer));
  uint64_t size = buffer_bytes(parser, command);
  if (size < command->value_bytes)
    return CASE_FAIL(&parser->words, 1, "the buffer has only %d bytes", (int)size);
  TRY(case_words_count(&parser->words, 2, 0, size - command->value_bytes, &command->offset));
  return case_words_value(&parser->words, 3, command->value_bytes, &command->value);
}

static Status read_argument(const Parser *parser, uint32_t index, CaseArgument *arg) {
  const char *text = arg->text = word(parser, index);
  CaseInteger integer;
  if (text[0] == '$') {
    arg->kind = CASE_ADDRESS;
    return read_buffer(parser, index, text + 1, &arg->buffer);
  }
  if (strncmp(text, "i:", 2) == 0) {
    if (!case_parse_integer(text + 2, &integer))
      return CASE_FAIL(&parser->words, index, "'%.40s' is not a 64-bit integer", text + 2);
    arg->kind = CASE_INTEGER;
    arg->integer = integer.bits;
    arg->negative = integer.negative;
    return OK;
  }
  if (strncmp(text, "f:", 2) == 0 && case_parse_float(text + 2, &arg->number)) {
    arg->kind = CASE_FLOAT;
    return OK;
  }
  return CASE_FAIL(&parser->words, index,
                   "invalid argument '%.40s'; expected $NAME, i:INTEGER or f:NUMBER", text);
}

static Status read_launch(Parser *parser, CaseCommand *command) {
  if (parser->words.count < 8) return case_words_want(&parser->words, 7);
  command->kernel = word(parser, 1);
  for (uint32_t i = 0; i < 6; i++) {
    uint64_t size;
    TRY(case_words_count(&parser->words, 2 + i, 1, INT32_MAX, &size));
    (i < 3 ? command->grid : command->block)[i % 3] = (uint32_t)size;
  }
  command->arg_count = parser->words.count - 8;
  if (command->arg_count > CASE_MAX_ARGUMENTS)
    return CASE_FAIL(&parser->words, 8, "more than %d arguments", CASE_MAX_ARGUMENTS);
  command->args = ARENA_ARRAY(&parser->parsed->arena, CaseArgument, command->arg_count);
  for (uint32_t i = 0; i < command->arg_count; i++)
    TRY(read_argument(parser, 8 + i, &command->args[i]));
  return OK;
}

static Status read_loop(Parser *parser, CaseCommand *command) {
  (void)command;
  TRY(case_words_want(&parser->words, 0));
  if (parser->loop_depth == MAX_LOOP_DEPTH)
    return CASE_FAIL(&parser->words, 0, "loops nested too deeply");
  parser->loops[parser->loop_depth++] = parser->parsed->command_count;
  return OK;
}

static Status read_while(Parser *parser, CaseCommand *command) {
  TRY(case_words_want(&parser->words, 1));
  TRY(read_buffer(parser, 1, word(parser, 1), &command->buffer));
  if (!parser->loop_depth) return CASE_FAIL(&parser->words, 0, "no matching 'loop'");
  command->target = parser->loops[--parser->loop_depth];
  return OK;
}

static Status read_sum(Parser *parser, CaseCommand *command) {
  TRY(case_words_want(&parser->words, 2));
  TRY(read_buffer(parser, 1, word(parser, 1), &command->buffer));
  return read_element(parser, 2, CASE_F32, &command->element);
}

static const struct {
  const char *name;
  CaseCommandKind kind;
  ReadFn read;
  const char *usage;
} command_table[] = {
    {"ptx", CASE_PTX, read_ptx, "ptx FILE"},
    {"regs", CASE_REGS, read_regs, "regs KERNEL N"},
    {"alloc", CASE_ALLOC, read_alloc, "alloc NAME BYTES"},
    {"fill", CASE_FILL, read_fill,
     "fill NAME i32|f32|u8 const V | iota | rand SEED | ring COUNT STRIDE | file PATH"},
    {"poke8", CASE_POKE, read_poke, "poke8 NAME OFFSET V"},
    {"poke32", CASE_POKE, read_poke, "poke32 NAME OFFSET V"},
    {"launch", CASE_LAUNCH, read_launch, "launch KERNEL GX GY GZ BX BY BZ ARG..."},
    {"loop", CASE_LOOP, read_loop, "loop"},
    {"while8", CASE_WHILE, read_while, "while8 NAME"},
    {"sum", CASE_SUM, read_sum, "sum NAME i32|f32"},
};
enum { COMMAND_COUNT = sizeof command_table / sizeof *command_table };

static Status read_command(Parser *parser) {
  Case *parsed = parser->parsed;
  Closest closest = closest_start(word(parser, 0));
  for (size_t i = 0; i < COMMAND_COUNT; i++) {
    closest_offer(&closest, command_table[i].name);
    if (strcmp(command_table[i].name, word(parser, 0)) != 0) continue;
    if (parsed->command_count == MAX_COMMANDS)
      return CASE_FAIL(&parser->words, 0, "more than %d commands", MAX_COMMANDS);
    CaseCommand command = {.kind = command_table[i].kind,
                           .line = parser->words.line,
                           .column = parser->words.word[0].column};
    parser->words.usage = command_table[i].usage;
    TRY(command_table[i].read(parser, &command));
    GROW(parsed->commands, parsed->command_count, parser->command_capacity);
    parsed->commands[parsed->command_count++] = command;
    return OK;
  }
  return CASE_FAIL(&parser->words, 0, "unknown command '%.40s'%s%s%s", word(parser, 0),
                   CLOSEST_HINT(closest));
}

static Status read_lines(Parser *parser) {
  const SourceText *source = &parser->parsed->source;
  const char *at = source->text, *end = at + source->length;
  while (at < end) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    const char *line_end = newline ? newline : end;
    parser->words.line++;
    TRY(case_words_split(&parser->words, at, (size_t)(line_end - at)));
    if (parser->words.count) TRY(read_command(parser));
    at = newline ? newline + 1 : end;
  }
  if (!parser->loop_depth) return OK;
  const CaseCommand *open = &parser->parsed->commands[parser->loops[parser->loop_depth - 1]];
  parser->words.line = open->line;
  return CASE_FAIL_AT(&parser->words, open->column, "loop without 'while8'");
}

Status case_parse(Case **out, const char *path, const char *text, size_t length, Error *err) {
  *out = NULL;
  if (length > FILE_LIMIT_BYTES)
    return error_set(err, ERR_SYNTAX, "%s: larger than %d bytes", path, FILE_LIMIT_BYTES);
  Case *parsed = memory_alloc(sizeof *parsed);
  parsed->source.path = arena_strdup(&parsed->arena, path);
  parsed->source.text = arena_strndup(&parsed->arena, text, length);
  parsed->source.length = length;
  Parser *parser = memory_alloc(sizeof *parser);
  parser->parsed = parsed;
  parser->words.source = &parsed->source;
  parser->words.arena = &parsed->arena;
  parser->words.err = err;
  Status status = read_lines(parser);
  memory_free(parser);
  if (status == OK)
    *out = parsed;
  else
    case_destroy(parsed);
  return status;
}

Status case_read(Case **out, const char *path, Error *err) {
  char *text;
  size_t length;
  *out = NULL;
  TRY(file_read(path, FILE_LIMIT_BYTES, &text, &length, err));
  Status status = case_parse(out, path, text, length, err);
  memory_free(text);
  return status;
}

void case_destroy(Case *parsed) {
  if (!parsed) return;
  memory_free(parsed->commands);
  memory_free(parsed->buffers);
  arena_clear(&parsed->arena);
  memory_free(parsed);
}
