// SPDX-License-Identifier: MIT
// Where rewritten files go, and how they find one another.
//
// A source goes where it was asked for. A header that had to change goes
// beside it, as NAME.clustered.h, and those that include it are changed to
// include that one.
#ifndef CLUSTER_OUTPUT_H
#define CLUSTER_OUTPUT_H

#include "cluster/program.h"
#include "cluster/request.h"

// Changes the includes of headers that have changed. Then writes all files that
// have changed, or shows the differences.
Status output_write(Program *program, const ClusterRequest *request, Error *err);

#endif
