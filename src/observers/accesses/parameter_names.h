// SPDX-License-Identifier: MIT
// What the arrays of a kernel are called: the names of its parameters.
//
// PTX written by hand has them. Compilers name parameters KERNEL_param_0: their names are looked
// up in the CUDA source, if line information leads to it. Its text is searched, not parsed: for
// `__global__ ... KERNEL(...) {` with as many parameters as the PTX has. Where that fails
// (macros, a source that is not there any more), a parameter is "param 0".
#ifndef OBSERVERS_ACCESSES_PARAMETER_NAMES_H
#define OBSERVERS_ACCESSES_PARAMETER_NAMES_H

#include "base/arena.h"
#include "isa/program.h"

// Of all kernels that were asked for; zero is empty.
typedef struct ParameterNames {
  struct KernelParameters *kernels;
  uint32_t count, capacity;
  Arena arena;
} ParameterNames;

// Valid until parameter_names_clear; index < function->param_count.
const char *parameter_name(ParameterNames *names, const Program *program, const Function *kernel,
                           uint32_t index);
void parameter_names_clear(ParameterNames *names);

// The names of the parameters of a kernel in the text of a CUDA source, which is changed; false
// if there is no definition with `count` parameters up to line `last_line`.
bool parameter_names_find(char *text, const char *kernel, uint32_t last_line, uint32_t count,
                          Arena *arena, const char **names);

#endif
