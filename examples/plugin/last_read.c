// SPDX-License-Identifier: MIT
// Cluster unit: remembers the last line that the cluster read and serves it
// again, a coalesced cache of one line.
#include "policies/cluster_unit/cluster_unit.h"
#include "policies/plugin.h"

typedef struct LastRead {
  uint64_t address;
  uint32_t bytes;  // 0: nothing yet
  uint64_t served;
} LastRead;

static ClusterAnswer last_read_ask(void *state, const ClusterRequest *request,
                                   uint64_t *for_number) {
  LastRead *last = state;
  (void)for_number;
  if (last->address != request->address || last->bytes < request->bytes) return CLUSTER_SEND;
  last->served++;
  return CLUSTER_SERVE;
}

static void last_read_on_sent(void *state, const ClusterRequest *request) {
  LastRead *last = state;
  // A write may change it.
  if (request->is_write || request->is_atomic) last->bytes = 0;
}

static void last_read_on_answer(void *state, const ClusterRequest *request, uint32_t held) {
  LastRead *last = state;
  (void)held;
  if (!request->is_global || request->is_write || request->is_atomic) return;
  last->address = request->address;
  last->bytes = request->bytes;
}

static void last_read_on_flush(void *state) {
  ((LastRead *)state)->bytes = 0;
}

static const Stat stats[] = {STAT_COUNT(LastRead, served, "reads that it served"), {0}};

static const ClusterUnitType last_read = {
    .policy = {.name = "last_read",
               .summary = "serves the line that was read last",
               .state_size = sizeof(LastRead),
               .stats = stats},
    .ask = last_read_ask,
    .on_sent = last_read_on_sent,
    .on_answer = last_read_on_answer,
    .on_flush = last_read_on_flush,
};
POLICY_PLUGIN("cluster_unit", last_read);
