// SPDX-License-Identifier: MIT
// Runs libclang on a source, with what `heddle cc` would compile it with.
#ifndef CLUSTER_PARSE_H
#define CLUSTER_PARSE_H

#include "cc/request.h"
#include "cc/toolchain.h"
#include "cluster/tree.h"

// Parses as host or as device code and builds the tree, of which arena and
// sources are set. A source with errors is refused with the first of them.
// flags: nvcc's, of which those that choose headers and macros matter.
Status parse_source(Tree *tree, CXIndex index, const char *path, bool is_device,
                    const CcRequest *flags, const CcToolchain *toolchain, Error *err);

#endif
