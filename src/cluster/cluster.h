// SPDX-License-Identifier: MIT
// CTA clustering as a change of source: `heddle cluster`.
//
// Li, Song, Liu, Liu, Kumar and Corporaal, "Locality-Aware CTA Clustering for
// Modern GPUs", ASPLOS 2017. libclang reads the sources, twice each (parse.h,
// tree.h); program.h lists their functions; kernel.h finds out about each
// kernel whether and how it can be rewritten, direction.h in which order its CTAs
// should be numbered. rewrite.h collects edits, output.h writes the files. What
// the rewritten sources use is in cuda/include/heddle/cluster.cuh.
#ifndef CLUSTER_CLUSTER_H
#define CLUSTER_CLUSTER_H

#include "base/error.h"
#include "cluster/request.h"

// Rewrites sources as requested. Kernels that are left as they are, and notes,
// go to standard error; differences and explanations to standard output.
Status cluster_rewrite(const ClusterRequest *request, Error *err);

#endif
