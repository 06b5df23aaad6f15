// SPDX-License-Identifier: MIT
// The text of a launch: kernel<<<configuration>>>(arguments).
#ifndef CLUSTERING_REWRITE_LAUNCH_TEXT_H
#define CLUSTERING_REWRITE_LAUNCH_TEXT_H

#include "clustering/analysis/kernel.h"

// Rewriting launches of one kernel, or finding out whether that is possible.
typedef struct LaunchJob {
  Program *program;
  Kernel *kernel;
  bool apply;
} LaunchJob;

typedef struct Brackets {
  int file;
  uint32_t kernel_begin, kernel_end;
  uint32_t open, inner;     // from <<< to the configuration
  uint32_t close, outside;  // from behind it to the arguments' parenthesis
} Brackets;

// From the bytes of the kernel and the first of <<<. `behind` is the byte behind
// >>>; 0 if it has to be searched for.
Brackets brackets_find(Program *program, int file, uint32_t begin, uint32_t end, uint32_t open,
                       uint32_t behind);
// name: NULL for what stands there.
void brackets_replace(Program *program, const Brackets *brackets, const char *name);
// The same outside of macros, where lines may be broken.
void brackets_replace_in_line(Program *program, const Brackets *brackets, const char *name);

// The byte behind what stands before spaces that end here.
uint32_t back_over_space(const SourceFile *file, uint32_t at);

// How many template arguments are written behind a kernel's name in these bytes,
// and how many the kernel has.
int written_arguments(const SourceFile *file, uint32_t begin, uint32_t end);
int template_parameters(const Function *function);
// Whether a reference is to one function, not to a template or to several.
bool names_function(CXCursor cursor);
// The kernel's name at a launch with all its template arguments; NULL if they depend on
// those of a template around, or one cannot be written.
const char *kernel_full_name(Program *program, const Node *callee);
// Whether there are other functions of the same name, between which a launch
// chooses by its arguments.
bool is_overloaded(Program *program, const Function *function);

// The arguments that a launch leaves out, for which there are defaults, as they are
// to be added: ", 1, 2".
const char *left_out_arguments(Program *program, const Kernel *kernel, const Node *call);

// A launch that is written in a macro.
void rewrite_in_macro(const LaunchJob *job, const Tree *tree, const Node *call);

#endif
