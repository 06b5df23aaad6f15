// SPDX-License-Identifier: MIT
// A CTA that is executed before its time: at its start all its warps run to their end, as without
// timing, and the machine replays their steps (exec/replay.h). What the program computes is then
// independent of when steps take place, so that the machine may leave out waits and steps.
//
// For oracles (gpu/config/ideal.h):
//   no barriers     warps do not wait at barriers
//   no divergence   a warp executes what one of its lanes does, each warp another lane: as if
//                   threads that do the same were in one warp. Accesses of lanes that are left out
//                   are made by other warps of the CTA that do the same and have lanes to spare
//   balance         steps between two barriers are divided evenly among the warps of the CTA
//
// Limits: a CTA that waits for another CTA would never end, and is a fault (FAULT_WAITS); kernels
// that launch kernels and cooperative launches are not recorded.
#ifndef EXEC_RECORDED_CTA_H
#define EXEC_RECORDED_CTA_H

#include "exec/execute.h"

typedef struct RecordedCta RecordedCta;

typedef struct RecordOptions {
  bool no_barriers, no_divergence, is_balanced;
} RecordOptions;

bool recorded_cta_is_possible(const Launch *launch);

// Executes a CTA that has been started, and starts it again as a replay. NULL, with the context's
// fault set and *faulty the warp, if a thread fails. The record has to outlive the replay.
RecordedCta *recorded_cta_create(ExecContext *context, Cta *cta, RecordOptions options,
                                 const Warp **faulty);
void recorded_cta_destroy(RecordedCta *recorded);

#endif
