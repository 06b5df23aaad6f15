// SPDX-License-Identifier: MIT
// Schemes: named bundles of policies with their parameters.
//
//   gto                            a policy; its family follows from the name
//   lrr + next_line:degree=2       several, of different families
//   gto + replacement=fifo         with its family, if the name is ambiguous
//   lookahead                      a shipped scheme (schemes/*.ini)
//   ./mine.ini                     a file: with a '/' or ending in ".ini", before any '=' or ':'
//
// A file has a [policy] section with a family = policy line for each choice,
// and may have a summary in a [scheme] section. For other families the GPU's policies
// apply.
#ifndef GPU_CONFIG_SCHEME_H
#define GPU_CONFIG_SCHEME_H

#include "gpu/config/gpu_config.h"

// Families, and the field of GpuConfig that holds their policy.
#define SCHEME_FAMILY_LIST(X)                  \
  X(warp_scheduler, policy.warp_scheduler)     \
  X(cta_dispatch, policy.cta_dispatch)         \
  X(kernel_scheduler, policy.kernel_scheduler) \
  X(throttle, policy.throttle)                 \
  X(prefetch, policy.prefetch)                 \
  X(l1_insertion, policy.l1_insertion)         \
  X(cluster_unit, policy.cluster_unit)         \
  X(shared, policy.shared)                     \
  X(replacement, l1d.replacement)              \
  X(dram_scheduler, dram.scheduler)            \
  X(address_map, gpu.address_map)

// The policy of each family that a scheme chooses; empty: none.
typedef struct Scheme {
  char summary[128];
#define X(family, field) char family[POLICY_SPEC_BYTES];
  SCHEME_FAMILY_LIST(X)
#undef X
} Scheme;

// Parses a scheme from the command line. Names are looked up among the built-in policies
// and those of the set (NULL: none); parameters are checked.
Status scheme_parse(Scheme *scheme, const char *text, const PolicySet *more, Error *err);
// Whether one word of such a text is the path of a scheme's file.
bool scheme_names_file(const char *word);
void scheme_apply(const Scheme *scheme, GpuConfig *config);
// The configuration of a GPU (NULL: GPU_DEFAULT) under a scheme (NULL: as the
// GPU has it). The command line, studies and the environment all get theirs
// here; single parameters (gpu_config_assign) come last, so that they win.
Status scheme_config(GpuConfig *config, const char *gpu, const char *scheme, const PolicySet *more,
                     Error *err);
// The choices as one line: "warp_scheduler=gto prefetch=none".
enum { SCHEME_TEXT_BYTES = 2048 };
const char *scheme_text(const Scheme *scheme, char out[SCHEME_TEXT_BYTES]);

// The shipped schemes by index; NULL past the last. The name is copied to out.
enum { SCHEME_NAME_BYTES = EMBEDDED_NAME_BYTES };
const char *scheme_shipped(size_t index, char out[SCHEME_NAME_BYTES]);

#endif
