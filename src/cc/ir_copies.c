// SPDX-License-Identifier: MIT
// Finds the calls of memcpy, and where their pointers come from: lines of a function before them.
#define _GNU_SOURCE  // memmem
#include "cc/ir_copies.h"

#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "cc/span.h"

// Values of the function that point to elements, as far as its lines have been read.
typedef struct Pointers {
  Span *names;
  size_t count, capacity;
} Pointers;

static const char *find(Span it, const char *words) {
  return memmem(it.at, it.length, words, strlen(words));
}

static Span after(Span line, const char *at) {
  return (Span){at, (size_t)(line.at + line.length - at)};
}

// "%12" at the start of a text.
static Span name_at(Span it) {
  size_t length = 0;
  while (length < it.length && !strchr(" ,)\n", it.at[length])) length++;
  return (Span){it.at, length};
}

static bool is_known(const Pointers *pointers, Span name) {
  for (size_t i = pointers->count; i-- > 0;)
    if (equals(pointers->names[i], name)) return true;
  return false;
}

// ---- pointers

// The name behind the first "* " of a text: of the pointer that an address derives from.
static Span base_of(Span it) {
  const char *star = find(it, "* ");
  return star ? name_at(after(it, star + 2)) : (Span){it.at, 0};
}

// CUDA's vectors of 16 bytes have no padding, whose bits would be undefined.
static bool is_vector(Span type) {
  static const char *const names[] = {"float4",    "int4",       "uint4", "double2",
                                      "longlong2", "ulonglong2", "long2", "ulong2"};
  static const char kind[] = "%struct.";
  if (!begins(type, kind)) return false;
  Span name = after(type, type.at + strlen(kind));
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (begins(name, names[i]) && name.at[strlen(names[i])] == '*') return true;
  return false;
}

// A pointer that was loaded, an element of what it or a variable of the module points to, or such a
// pointer to a vector as one to bytes.
static bool points_to_element(const Pointers *pointers, Span value) {
  if (begins(value, "load ")) return true;
  if (begins(value, "getelementptr "))
    return find(value, "@") || is_known(pointers, base_of(value));
  static const char cast[] = "bitcast ";
  return begins(value, cast) && is_vector(after(value, value.at + strlen(cast))) &&
         is_known(pointers, base_of(value));
}

static void note(Pointers *pointers, Span line) {
  const char *equals = find(line, " = ");
  if (begins(line, "define ")) pointers->count = 0;
  if (!begins(line, "  %") || !equals) return;
  if (!points_to_element(pointers, after(line, equals + 3))) return;
  GROW(pointers->names, pointers->count, pointers->capacity);
  pointers->names[pointers->count++] = name_at((Span){line.at + 2, line.length - 2});
}

// ---- copies

typedef struct Copy {
  Span to, from;
} Copy;

static bool copy_parse(Copy *copy, Span line, const Pointers *pointers) {
  static const char call[] = "  call void @llvm.memcpy.p0i8.p0i8.i64(i8* ";
  static const char aligned[] = "align 16 ", size[] = ", i64 16, i1 false)";
  const char *to = begins(line, call) ? find(line, aligned) : NULL;
  if (!to || !find(line, size)) return false;
  copy->to = name_at(after(line, to + strlen(aligned)));
  Span rest = after(line, copy->to.at + copy->to.length);
  const char *from = find(rest, aligned);
  if (!from) return false;
  copy->from = name_at(after(line, from + strlen(aligned)));
  return is_known(pointers, copy->to) && is_known(pointers, copy->from);
}

static void print_copy(const Copy *copy, int id, FILE *file) {
  static const char vector[] = "<4 x i32>";
  fprintf(file, "  %%heddle.from.%d = bitcast i8* %.*s to %s*\n", id, (int)copy->from.length,
          copy->from.at, vector);
  fprintf(file, "  %%heddle.copy.%d = load %s, %s* %%heddle.from.%d, align 16\n", id, vector,
          vector, id);
  fprintf(file, "  %%heddle.to.%d = bitcast i8* %.*s to %s*\n", id, (int)copy->to.length,
          copy->to.at, vector);
  fprintf(file, "  store %s %%heddle.copy.%d, %s* %%heddle.to.%d, align 16\n", vector, id, vector,
          id);
}

void ir_copies_print(const char *text, FILE *file) {
  Pointers pointers = {0};
  int id = 0;
  Span line;
  for (const char *at = text; *at; at += line.length) {
    Copy copy;
    line = line_at(at);
    note(&pointers, line);
    if (copy_parse(&copy, line, &pointers))
      print_copy(&copy, id++, file);
    else
      fwrite(line.at, 1, line.length, file);
  }
  memory_free(pointers.names);
}
