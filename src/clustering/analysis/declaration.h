// SPDX-License-Identifier: MIT
// The text of a kernel's declaration.
#ifndef CLUSTERING_ANALYSIS_DECLARATION_H
#define CLUSTERING_ANALYSIS_DECLARATION_H

#include "clustering/analysis/program.h"

// Why no parameter can be put in front of the others at this declaration of a kernel, or why
// the kernel cannot be clustered as it is declared; NULL if both are possible.
const char *declaration_obstacle(Program *program, const Function *kernel,
                                 const Declaration *declaration);

#endif
