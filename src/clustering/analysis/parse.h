// SPDX-License-Identifier: MIT
// Runs libclang on a source, with what `heddle cc` would compile it with.
#ifndef CLUSTERING_ANALYSIS_PARSE_H
#define CLUSTERING_ANALYSIS_PARSE_H

#include "cc/request.h"
#include "cc/toolchain.h"
#include "clustering/analysis/tree.h"

// Parses a source as host or device code and builds the tree; its arena and sources are set
// by the caller. Fails with the first error of the source. flags: nvcc options, of which
// those that affect headers and macros are used.
Status parse_source(Tree *tree, CXIndex index, const char *path, bool is_device,
                    const CcRequest *flags, const CcToolchain *toolchain, Error *err);

#endif
