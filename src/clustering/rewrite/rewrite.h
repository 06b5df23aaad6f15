// SPDX-License-Identifier: MIT
// The edits that make a clustered program of the sources.
#ifndef CLUSTERING_REWRITE_REWRITE_H
#define CLUSTERING_REWRITE_REWRITE_H

#include "clustering/analysis/kernel.h"

// Adds the first parameter to all declarations of a kernel and encloses its body.
void rewrite_kernel(Program *program, const Kernel *kernel, const RewriteRequest *request);

// Launches and other uses of a kernel's name. Without `apply` nothing is edited; a kernel
// with a use that cannot be rewritten is rejected.
void rewrite_launches(Program *program, Kernel *kernel, bool apply);

// Functions that a kernel calls and that name blockIdx or gridDim get them as
// parameters. As above.
void rewrite_functions(Program *program, Kernel *kernel, bool apply);

// #include <heddle/cluster.cuh> in every file that has been edited and names it.
void rewrite_includes(Program *program);

// Adds an edit to a file of the program.
void rewrite_insert(Program *program, int file, uint32_t at, const char *text);
void rewrite_replace(Program *program, int file, uint32_t begin, uint32_t end, const char *text);
// Inserts at the start of the parentheses that open at `at`, which may be empty.
void rewrite_first_in_parentheses(Program *program, int file, uint32_t at, const char *text);

// Sets a kernel's refusal, unless it has one: "file:line: reason".
void kernel_refuse(Kernel *kernel, Program *program, const Node *node, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
