// SPDX-License-Identifier: MIT
// Finds loads of whole structures in intermediate code and splits them into their members.
#define _GNU_SOURCE  // memmem, memrchr
#include "cc/ir_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cc/span.h"

// `%struct.Pair = type { i32, i8, [3 x i8] }`
typedef struct Definition {
  Span name, type;
} Definition;

typedef struct Types {
  Definition *items;
  size_t count, capacity;
} Types;

// More members than any structure that fits in registers; also ends a type that contains
// itself, which no compiler writes.
enum { MAX_MEMBERS = 512, MAX_DEPTH = 16 };

// A load that is being split.
typedef struct Load {
  const Types *types;
  Span result, type, pointer;  // %9, %struct.Pair, %4
  bool has_typed_pointers;     // until LLVM 14
  bool is_packed;              // members may be unaligned
  unsigned long align;         // of the whole, in bytes
  unsigned long offset;        // of the next member if packed, in bytes
  int path[MAX_DEPTH], depth;
  int count;  // members so far
  int id;     // makes names unique
  FILE *file;
} Load;

// ---- types

static Span trimmed(Span it) {
  while (it.length && *it.at == ' ') it.at++, it.length--;
  while (it.length && it.at[it.length - 1] == ' ') it.length--;
  return it;
}

// Up to a comma that is in no brackets. Names in quotes may contain anything.
static size_t element_length(Span list) {
  int depth = 0;
  bool is_quoted = false;
  for (size_t i = 0; i < list.length; i++) {
    char c = list.at[i];
    if (c == '"') is_quoted = !is_quoted;
    if (is_quoted) continue;
    if (strchr("{[(<", c)) depth++;
    if (strchr("}])>", c)) depth--;
    if (c == ',' && depth == 0) return i;
  }
  return list.length;
}

// Takes the first element of a list that commas separate.
static Span next_element(Span *list) {
  size_t length = element_length(*list), behind = length + (length < list->length);
  Span element = trimmed((Span){list->at, length});
  *list = (Span){list->at + behind, list->length - behind};
  return element;
}

static Span definition_of(const Types *types, Span name) {
  for (size_t i = 0; i < types->count; i++)
    if (equals(types->items[i].name, name)) return types->items[i].type;
  return (Span){0};
}

// ---- members

static bool split(Load *load, Span type);

static bool split_element(Load *load, Span type, int index) {
  if (load->depth == MAX_DEPTH) return false;
  load->path[load->depth++] = index;
  bool is_complete = split(load, type);
  load->depth--;
  return is_complete;
}

static bool split_structure(Load *load, Span elements) {
  for (int i = 0; elements.length; i++)
    if (!split_element(load, next_element(&elements), i)) return false;
  return true;
}

// `[3 x i8]`
static bool split_array(Load *load, Span type) {
  char *end;
  long count = strtol(type.at + 1, &end, 10);
  Span element = {end + 3, (size_t)(type.at + type.length - 1 - (end + 3))};
  if (count < 0 || count > MAX_MEMBERS || strncmp(end, " x ", 3) != 0) return false;
  for (int i = 0; i < count; i++)
    if (!split_element(load, element, i)) return false;
  return true;
}

static void print_path(const Load *load, const char *before) {
  for (int i = 0; i < load->depth; i++) fprintf(load->file, "%s%d", before, load->path[i]);
}

// In bytes; 0: unknown.
static unsigned long member_size(Span type) {
  if (type.at[type.length - 1] == '*' || begins(type, "ptr")) return 8;
  if (begins(type, "i")) return (strtoul(type.at + 1, NULL, 10) + 7) / 8;
  if (begins(type, "half") || begins(type, "bfloat")) return 2;
  return begins(type, "float") ? 4 : begins(type, "double") ? 8 : 0;
}

// Other members have their natural alignment, which need not be said.
static void print_packed_alignment(Load *load, Span type) {
  unsigned long align = load->align, size = member_size(type);
  while (align > 1 && load->offset % align) align /= 2;
  fprintf(load->file, ", align %lu", align ? align : 1);
  load->offset += size;
  if (!size) load->align = 1;
}

static void print_pointer_type(const Load *load, Span type) {
  if (load->has_typed_pointers)
    fprintf(load->file, "%.*s*", (int)type.length, type.at);
  else
    fputs("ptr", load->file);
}

static void print_insertion(const Load *load, Span type) {
  FILE *file = load->file;
  fprintf(file, "  %%heddle.%d.whole.%d = insertvalue %.*s ", load->id, load->count,
          (int)load->type.length, load->type.at);
  if (load->count == 0)
    fputs("undef", file);
  else
    fprintf(file, "%%heddle.%d.whole.%d", load->id, load->count - 1);
  fprintf(file, ", %.*s %%heddle.%d.member.%d", (int)type.length, type.at, load->id, load->count);
  print_path(load, ", ");
  fputc('\n', file);
}

static bool split_member(Load *load, Span type) {
  FILE *file = load->file;
  if (load->count == MAX_MEMBERS) return false;
  fprintf(file, "  %%heddle.%d.at.%d = getelementptr inbounds %.*s, ", load->id, load->count,
          (int)load->type.length, load->type.at);
  print_pointer_type(load, load->type);
  fprintf(file, " %.*s, i32 0", (int)load->pointer.length, load->pointer.at);
  print_path(load, ", i32 ");
  fprintf(file, "\n  %%heddle.%d.member.%d = load %.*s, ", load->id, load->count, (int)type.length,
          type.at);
  print_pointer_type(load, type);
  fprintf(file, " %%heddle.%d.at.%d", load->id, load->count);
  if (load->is_packed) print_packed_alignment(load, type);
  fputc('\n', file);
  print_insertion(load, type);
  load->count++;
  return true;
}

// Splits what a type consists of. False: too large, or a type that is not understood.
static bool split(Load *load, Span type) {
  bool is_pointer = type.length && type.at[type.length - 1] == '*';
  if (is_pointer || !type.length) return is_pointer && split_member(load, type);
  if (begins(type, "%")) {
    Span definition = definition_of(load->types, type);
    return definition.length && split(load, definition);
  }
  if (begins(type, "{")) {
    // Its own padding is not in the sum of sizes.
    if (load->is_packed) load->align = 1;
    return split_structure(load, (Span){type.at + 1, type.length - 2});
  }
  if (begins(type, "<{")) {
    load->is_packed = true;
    return split_structure(load, (Span){type.at + 2, type.length - 4});
  }
  if (begins(type, "[")) return split_array(load, type);
  return split_member(load, type);
}

// ---- lines

// `  %9 = load %struct.Pair, %struct.Pair* %4, align 4`: what it loads is a structure.
static bool load_parse(Load *load, Span line) {
  const char *equals_sign = memmem(line.at, line.length, " = load ", 8);
  if (!begins(line, "  %") || !equals_sign) return false;
  load->result = trimmed((Span){line.at, (size_t)(equals_sign - line.at)});
  Span rest = {equals_sign + 8, (size_t)(line.at + line.length - equals_sign - 8)};
  load->type = next_element(&rest);
  Span pointer = next_element(&rest);
  if (!begins(load->type, "%") && !begins(load->type, "{")) return false;
  if (load->type.at[load->type.length - 1] == '*') return false;
  // Global variables, whose names begin with @, have no undefined members.
  const char *name = pointer.length ? memrchr(pointer.at, ' ', pointer.length) : NULL;
  if (!name || name[1] != '%') return false;
  load->pointer = (Span){name + 1, (size_t)(pointer.at + pointer.length - name - 1)};
  load->has_typed_pointers = name[-1] == '*';
  Span align = next_element(&rest);
  load->align = begins(align, "align ") ? strtoul(align.at + 6, NULL, 10) : 1;
  return true;
}

// The text of a load's members; NULL: the load stays as it is.
static char *load_split(Load *load) {
  char *text = NULL;
  size_t length = 0;
  load->file = open_memstream(&text, &length);
  if (!load->file) return NULL;
  bool is_split = split(load, load->type) && load->count > 1;
  fclose(load->file);
  if (is_split) return text;
  free(text);
  return NULL;
}

// The last insertion gets the name of the whole.
static void print_split(const Load *load, const char *text, FILE *file) {
  const char *last = text;
  for (const char *at = text; (at = strstr(at, "\n  %heddle.")); at++) last = at + 1;
  fwrite(text, 1, (size_t)(last - text), file);
  fprintf(file, "  %.*s%s", (int)load->result.length, load->result.at, strchr(last + 2, ' '));
}

static void print_line(const Types *types, Span line, int id, FILE *file) {
  Load load = {.types = types, .id = id};
  char *members = load_parse(&load, line) ? load_split(&load) : NULL;
  if (members)
    print_split(&load, members, file);
  else
    fwrite(line.at, 1, line.length, file);
  free(members);
}

static void find_types(Types *types, const char *text) {
  Span line;
  for (const char *at = text; *at; at += line.length) {
    line = line_at(at);
    const char *type = begins(line, "%") ? memmem(at, line.length, " = type ", 8) : NULL;
    if (!type) continue;
    size_t end = line.length - (at[line.length - 1] == '\n');
    GROW(types->items, types->count, types->capacity);
    types->items[types->count++] = (Definition){.name = {at, (size_t)(type - at)},
                                                .type = {type + 8, (size_t)(at + end - type - 8)}};
  }
}

void ir_text_print(const char *text, FILE *file) {
  Types types = {0};
  find_types(&types, text);
  Span line;
  int id = 0;
  for (const char *at = text; *at; at += line.length) {
    line = line_at(at);
    print_line(&types, line, id++, file);
  }
  memory_free(types.items);
}
