// SPDX-License-Identifier: MIT
// The number of threads per CTA of a launch, if the source states it as a constant.
#ifndef CLUSTERING_ANALYSIS_BLOCK_SIZE_H
#define CLUSTERING_ANALYSIS_BLOCK_SIZE_H

#include "clustering/analysis/tree.h"

// Of the block argument of a launch: 256, N * N, dim3(16, 16), a constant of these.
// 0: not a constant.
unsigned block_size(Tree *tree, const Node *call);

#endif
