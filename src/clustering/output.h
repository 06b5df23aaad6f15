// SPDX-License-Identifier: MIT
// Paths of rewritten files, and includes between them.
//
// A source is written to the requested path. A header that has to change is written next to
// it as NAME.clustered.h, and the includes of it are adapted.
#ifndef CLUSTERING_OUTPUT_H
#define CLUSTERING_OUTPUT_H

#include "clustering/analysis/program.h"
#include "clustering/request.h"

// Changes the includes of headers that have changed. Then writes all files that
// have changed, or shows the differences.
Status output_write(Program *program, const RewriteRequest *request, Error *err);

#endif
