// SPDX-License-Identifier: MIT
// A policy without a machine around it: made as a machine makes it, with sizes
// that the test may change. States live until the test program ends.
#ifndef TESTS_UNIT_POLICY_SUPPORT_H
#define TESTS_UNIT_POLICY_SUPPORT_H

#include "policies/host.h"
#include "unit/cmocka_all.h"

static PolicyHost policy_bench = {.machine = {.sm_count = 1,
                                              .sms_per_cluster = 1,
                                              .cluster_count = 1,
                                              .max_warps = 64,
                                              .max_ctas = 16,
                                              .warp_schedulers = 4,
                                              .l1d_bytes = 16384,
                                              .l1d_line_bytes = 128,
                                              .hardware_queues = 32}};

// The policy of a family that spec names. Parts that it shares belong to SM 0.
static inline const PolicyType *policy_bench_make(const PolicyFamily *family, const char *spec,
                                                  void **state) {
  const PolicyType *type;
  Error err = {0};
  PolicyPlace place = {.sm = 0};
  if (policy_host_make(&policy_bench, family, spec, place, &type, state, &err) != OK)
    fail_msg("%s: %s", spec, err.text);
  return type;
}

// From here on policies share parts with those made later only.
static inline void policy_bench_forget_shared(void) {
  policy_bench.shared_count = 0;
}

#endif
