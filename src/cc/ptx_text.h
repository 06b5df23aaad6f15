// SPDX-License-Identifier: MIT
// PTX as clang writes it, cut into functions, so that kernels of several compilations of one
// source can be combined. Private to cc/.
//
//   .global .u32 v;             directives, variables and declarations
//   .visible .entry f(          the head of a function
//           .param .u32 f_0
//   )
//   {                           its body: up to a brace in the first column
//           .local .align 4 .b8 __local_depot0[288];
//           ...
//   }
//   .file 1 "f.cu"              the end
#ifndef CC_PTX_TEXT_H
#define CC_PTX_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct PtxSpan {
  const char *at;
  size_t length;
} PtxSpan;

typedef struct PtxFunctionText {
  PtxSpan before, head, name, body;
  bool is_kernel;
  uint64_t local_bytes;  // of the variables in local memory that the body declares
} PtxFunctionText;

// Refers to the text that it was made from.
typedef struct PtxText {
  PtxFunctionText *functions;
  size_t count;
  PtxSpan end;
} PtxText;

void ptx_text_init(PtxText *it, const char *text);
void ptx_text_clear(PtxText *it);

// Bytes of local memory in all kernels.
uint64_t ptx_text_local_bytes(const PtxText *it);

// Whether some kernel of `other`, another compilation of the same source, can replace the
// one here and has less local memory. It can if the functions that it calls are the same in
// both, and all that its module declares is also declared here.
bool ptx_text_can_improve(const PtxText *it, const PtxText *other);
// Takes the bodies of such kernels.
void ptx_text_improve(PtxText *it, const PtxText *other);

void ptx_text_print(const PtxText *it, FILE *file);

#endif
