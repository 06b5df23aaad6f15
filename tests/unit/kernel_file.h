// SPDX-License-Identifier: MIT
// Kernels that carry their own expectations: PTX files in tests/kernels whose
// comments say how to run them and what must come out.
//
//   // run: NAME                    begins a run with memory of its own; what stands before the
//                                   first run belongs to all of them
//   // link: FILE                   a further module, beside this one
//   // alloc: NAME TYPE COUNT       a buffer; ... COUNT = EXPRESSION fills element i
//   // launch: KERNEL GX GY GZ BX BY BZ ARGUMENT...
//                                   $NAME, $NAME+BYTES, i:V or f:V; shared:BYTES of dynamic memory
//   // stack: BYTES                 a thread's stack where recursion gives no bound (1024)
//   // sms: COUNT                   of the imaginary GPU (2), which holds two CTAs each
//   // expect: NAME[3] == VALUE     the element has this value ...
//   // expect: NAME[0..31] == EXPRESSION     ... these elements, i being the index ...
//   // expect: NAME[0..] == V, V, V          ... and those that follow
//   // expect: NAME.TYPE[3] ~= VALUE         seen as another type; to 1e-5 (f64: 1e-12)
//   // expect: total.warp_instructions == 12    a counter; also != < <= > >=
//   // expect-print: TEXT           a line of what the kernels print; all of them, in order
//   // expect-error: TEXT           the run (or loading) fails with this in its message
//
// TYPE is u8 s8 u16 s16 u32 s32 u64 s64 f32 f64; expressions are those of
// kernel_expression.h. Launches run in order; expectations are looked at when
// all have run. A file without any expectation fails, as does an unknown word.
#ifndef UNIT_KERNEL_FILE_H
#define UNIT_KERNEL_FILE_H

#include <stdio.h>

#include "unit/kernel_expression.h"

enum { MAX_DIRECTIVES = 400, DIRECTIVE_BYTES = 400 };

typedef struct Directive {
  int line;
  int run;        // 0 = all runs
  char word[16];  // "alloc"
  char text[DIRECTIVE_BYTES];
} Directive;

typedef struct KernelFile {
  char path[256];
  char *text;
  size_t length;
  Directive directives[MAX_DIRECTIVES];
  int directive_count;
  int run_count;  // at least 1
} KernelFile;

static const char *const kernel_words[] = {"run", "link",   "alloc",        "launch",      "stack",
                                           "sms", "expect", "expect-print", "expect-error"};

static bool is_kernel_word(const char *word) {
  for (size_t k = 0; k < sizeof kernel_words / sizeof *kernel_words; k++)
    if (strcmp(kernel_words[k], word) == 0) return true;
  return false;
}

// Adds a comment that is a directive: `// word: text`, with nothing before it.
// False if there are too many, or the word is unknown.
static bool add_directive(KernelFile *file, const char *line, size_t length, int number) {
  char copy[DIRECTIVE_BYTES + 32] = {0};
  if (length >= sizeof copy) return true;
  memcpy(copy, line, length);
  Directive *directive = &file->directives[file->directive_count];
  int used = 0;
  if (sscanf(copy, "// %15[a-z-]:%n", directive->word, &used) != 1 || !used) return true;
  const char *text = copy + used;
  while (*text == ' ') text++;
  snprintf(directive->text, sizeof directive->text, "%s", text);
  directive->line = number;
  bool is_run = strcmp(directive->word, "run") == 0;
  if (is_run) file->run_count++;
  directive->run = file->run_count;
  return ++file->directive_count < MAX_DIRECTIVES && is_kernel_word(directive->word);
}

// Returns the line that cannot be taken, or 0.
static int kernel_file_read_directives(KernelFile *file) {
  const char *line = file->text;
  for (int number = 1; *line; number++) {
    size_t length = strcspn(line, "\n");
    if (!add_directive(file, line, length, number)) return number;
    line += length + (line[length] == '\n');
  }
  return 0;
}

// ---- elements of buffers

typedef struct ElementType {
  const char *name;
  unsigned bytes;
  char kind;  // u s f
} ElementType;

static const ElementType element_types[] = {
    {"u8", 1, 'u'},  {"s8", 1, 's'},  {"u16", 2, 'u'}, {"s16", 2, 's'}, {"u32", 4, 'u'},
    {"s32", 4, 's'}, {"u64", 8, 'u'}, {"s64", 8, 's'}, {"f32", 4, 'f'}, {"f64", 8, 'f'}};

static const ElementType *element_type_find(const char *name) {
  for (size_t k = 0; k < sizeof element_types / sizeof *element_types; k++)
    if (strcmp(element_types[k].name, name) == 0) return &element_types[k];
  return NULL;
}

static Number element_read(const ElementType *type, const void *at) {
  uint64_t bits = 0;
  memcpy(&bits, at, type->bytes);
  float single;
  double wide;
  memcpy(&single, at, sizeof single < type->bytes ? sizeof single : type->bytes);
  if (type->kind == 'f' && type->bytes == 4) return number_of_double(single);
  if (type->kind == 'f') return memcpy(&wide, at, sizeof wide), number_of_double(wide);
  int unused = 64 - 8 * (int)type->bytes;
  if (type->kind == 's') return number_of((int64_t)(bits << unused) >> unused);
  return number_of((int64_t)bits);
}

// A value as an element of the type holds it.
static void element_write(const ElementType *type, Number value, void *at) {
  float single = (float)value.real;
  if (type->kind != 'f')
    memcpy(at, &value.integer, type->bytes);
  else if (type->bytes == 4)
    memcpy(at, &single, sizeof single);
  else
    memcpy(at, &value.real, sizeof value.real);
}

static bool element_equals(const ElementType *type, Number have, Number want, bool nearly) {
  uint64_t rounded = 0;
  element_write(type, want, &rounded);
  want = element_read(type, &rounded);
  if (type->kind != 'f') return have.integer == want.integer;
  if (isnan(have.real) || isnan(want.real)) return isnan(have.real) && isnan(want.real);
  double tolerance = type->bytes == 8 ? 1e-12 : 1e-5;
  if (nearly) return fabs(have.real - want.real) <= tolerance * fabs(want.real);
  return have.real == want.real;
}

#endif
