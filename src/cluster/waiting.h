// SPDX-License-Identifier: MIT
// Loops in which a CTA waits for another. An agent does the work of several
// CTAs in turn: one that waits for a later one would wait for ever.
#ifndef CLUSTER_WAITING_H
#define CLUSTER_WAITING_H

#include "cluster/calls.h"

// A loop of the body that goes on until another CTA has written something, and
// why it is thought to; or NULL. Loops that try again what they do themselves
// (an addition made of atomicCAS) and loops that fetch work are none.
const Node *waiting_loop(Program *program, const Body *body, const char **reason);

#endif
