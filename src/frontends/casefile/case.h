// SPDX-License-Identifier: MIT
// Case files launch bare kernels without a host program. One command per line, `#`
// starts a comment, paths are relative to the case file.
//
//   ptx FILE                          load a module
//   regs KERNEL N                     registers per thread, for occupancy
//   alloc NAME BYTES                  a device buffer
//   fill NAME i32|f32|u8 PATTERN      const V | iota | rand SEED |
//                                     ring COUNT STRIDE | file PATH
//   poke8|poke32 NAME OFFSET V        one value at a byte offset
//   launch KERNEL GX GY GZ BX BY BZ ARG...    $NAME, i:V or f:V
//   loop ... while8 NAME              repeat while the first byte is not 0
//   sum NAME i32|f32                  the sum of all elements
//
// Names, numbers, offsets and loops are checked before execution (case_run.h).
#ifndef FRONTENDS_CASEFILE_CASE_H
#define FRONTENDS_CASEFILE_CASE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text/source_error.h"

#define CASE_ENDING ".case"

typedef enum CaseCommandKind {
  CASE_PTX,     // path
  CASE_REGS,    // kernel, value
  CASE_ALLOC,   // buffer
  CASE_FILL,    // buffer, element, pattern and its operands
  CASE_POKE,    // buffer, offset, value, value_bytes
  CASE_LAUNCH,  // kernel, grid, block, args
  CASE_LOOP,    //
  CASE_WHILE,   // buffer, target
  CASE_SUM,     // buffer, element
} CaseCommandKind;

typedef enum CaseElement { CASE_I32, CASE_F32, CASE_U8 } CaseElement;

typedef enum CasePattern {
  CASE_CONST,  // value: the element's bits
  CASE_IOTA,   // element i gets i
  CASE_RAND,   // value: the seed
  CASE_RING,   // value: count; stride
  CASE_FILE,   // path; a longer file is truncated, a shorter one zero-padded
} CasePattern;

typedef enum CaseArgumentKind { CASE_ADDRESS, CASE_INTEGER, CASE_FLOAT } CaseArgumentKind;

typedef struct CaseArgument {
  CaseArgumentKind kind;
  const char *text;  // as written
  uint32_t buffer;   // CASE_ADDRESS
  uint64_t integer;  // CASE_INTEGER, in two's complement
  bool negative;     // ... and below zero
  double number;     // CASE_FLOAT
} CaseArgument;

typedef struct CaseBuffer {
  const char *name;
  uint64_t size_bytes;
} CaseBuffer;

typedef struct CaseCommand {
  CaseCommandKind kind;
  uint32_t line, column;
  uint32_t buffer;  // index into Case.buffers
  const char *kernel;
  const char *path;  // relative to the working directory
  CaseElement element;
  CasePattern pattern;
  uint64_t value, offset, stride;
  uint32_t value_bytes;
  uint32_t target;  // index of the loop command of a while8
  uint32_t grid[3], block[3];
  CaseArgument *args;
  uint32_t arg_count;
} CaseCommand;

typedef struct Case {
  SourceText source;
  CaseCommand *commands;
  uint32_t command_count;
  CaseBuffer *buffers;  // in the order of their allocs
  uint32_t buffer_count;
  Arena arena;  // owns names and texts
} Case;

// On failure *out is NULL, and the message has path:line:column, the line and a
// caret.
Status case_read(Case **out, const char *path, Error *err);
// The same from memory; text need not be NUL-terminated.
Status case_parse(Case **out, const char *path, const char *text, size_t length, Error *err);
void case_destroy(Case *parsed);

static inline uint32_t case_element_bytes(CaseElement element) {
  return element == CASE_U8 ? 1 : 4;
}

#endif
