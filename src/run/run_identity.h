// SPDX-License-Identifier: MIT
// The identity of a run: a digest of everything that determines its result. Two runs with the same
// identity have the same result, so a store keeps one of them.
//
// It is made of the fields by value, the resolved configuration, and the content of the files that
// the run uses: heddle and its libraries, the program and its inputs, plugins (run_rows.def).
#ifndef RUN_RUN_IDENTITY_H
#define RUN_RUN_IDENTITY_H

#include "base/digest.h"
#include "gpu/config/gpu_config.h"
#include "run/run_spec.h"

// Adds the fields that count by value.
uint64_t run_digest_add_values(uint64_t digest, const RunSpec *spec);
// Adds every parameter of a configuration.
uint64_t run_digest_add_config(uint64_t digest, GpuConfig *config);

#endif
