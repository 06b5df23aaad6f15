// SPDX-License-Identifier: MIT
// A function template that launches a kernel template with the arguments of
// its own template: in a template of the host, where a launch leaves template
// arguments to be deduced, nobody can write them.
//
//   template <typename T>
//   inline void clear_launch(const heddle::cluster::Configuration &how, T *values) {
//     heddle::cluster::launch(clear<T>, how)(values);
//   }
#ifndef CLUSTERING_REWRITE_LAUNCHER_H
#define CLUSTERING_REWRITE_LAUNCHER_H

#include "clustering/analysis/kernel.h"

// NULL if it cannot be written, since a parameter has no name.
const char *launcher_source(Program *program, const Kernel *kernel);
// Behind the first declaration of the kernel.
void launcher_insert(Program *program, const Kernel *kernel);

#endif
