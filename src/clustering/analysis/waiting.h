// SPDX-License-Identifier: MIT
// Loops in which a CTA waits for another. An agent does the work of several
// CTAs in turn: one that waits for a later one would wait for ever.
#ifndef CLUSTERING_ANALYSIS_WAITING_H
#define CLUSTERING_ANALYSIS_WAITING_H

#include "clustering/analysis/calls.h"

// A loop of the body that waits for another CTA to write something, and the reason for this
// conclusion; or NULL. Loops that retry their own operation (an addition made of atomicCAS)
// and loops that fetch work do not count.
const Node *waiting_loop(Program *program, const Body *body, const char **reason);

#endif
