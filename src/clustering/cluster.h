// SPDX-License-Identifier: MIT
// CTA clustering as a source transformation: `heddle cluster`.
//
// Li, Song, Liu, Liu, Kumar and Corporaal, "Locality-Aware CTA Clustering for
// Modern GPUs", ASPLOS 2017. libclang reads the sources, twice each (parse.h,
// tree.h); program.h lists their functions; kernel.h determines whether and how each kernel
// can be rewritten, direction.h in which order its CTAs should be numbered. rewrite.h
// collects edits, output.h writes the files. The rewritten sources use
// cuda/include/heddle/cluster.cuh.
#ifndef CLUSTERING_CLUSTER_H
#define CLUSTERING_CLUSTER_H

#include "base/error.h"
#include "clustering/request.h"

// Rewrites sources as requested. Reports kernels that are not rewritten, and notes, on
// standard error; diffs and explanations on standard output.
Status cluster_rewrite(const RewriteRequest *request, Error *err);

#endif
