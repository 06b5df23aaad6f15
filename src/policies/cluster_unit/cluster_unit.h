// SPDX-License-Identifier: MIT
// Cluster units: what stands between the L1s of a cluster and the network.
//
// To add one, write a file beside this one that defines a ClusterUnitType and
// name it in cluster_units.def. There is one state per cluster. The unit is
// asked about every read of global memory that wants to leave the cluster; it
// answers "send it", "hold it, the answer to that one will do" or "serve it, I
// have the line". It keeps addresses and numbers; the machine keeps requests,
// and gives the answer of a request to all that are held for it.
#ifndef POLICIES_CLUSTER_UNIT_CLUSTER_UNIT_H
#define POLICIES_CLUSTER_UNIT_CLUSTER_UNIT_H

#include "base/cycle.h"
#include "policies/policy.h"
#include "policies/requester.h"

typedef enum ClusterAnswer { CLUSTER_SEND, CLUSTER_HOLD, CLUSTER_SERVE } ClusterAnswer;

typedef struct ClusterRequest {
  Cycle now;
  uint64_t number;  // names it while it is in flight
  uint64_t address;
  uint32_t bytes;                       // from address on
  bool is_write, is_atomic, is_global;  // else an instruction, a constant, a texture, local memory
  Requester requester;
} ClusterRequest;

typedef struct ClusterUnitType {
  PolicyType policy;
  // A read of global memory wants to leave. CLUSTER_HOLD: *for_number is a read
  // of the same bytes that was sent and of which nothing has come back. It may
  // be asked again about the same request if the network has no room, so a
  // CLUSTER_SEND leaves no trace. NULL: all are sent.
  ClusterAnswer (*ask)(void *state, const ClusterRequest *request, uint64_t *for_number);
  // The rest is optional. A request left, of any kind: also stores and atomics.
  void (*on_sent)(void *state, const ClusterRequest *request);
  // The first part of its reply has arrived; `held` requests waited for it. From now on
  // none can be.
  void (*on_answer)(void *state, const ClusterRequest *request, uint32_t held);
  // An SM has emptied its L1D: it may not read what is older than now.
  void (*on_flush)(void *state);
  // Lookup latency in cycles: a read that is looked up spends them before
  // `ask`, and an answer of any kind before `on_answer`. NULL: none.
  uint32_t (*lookup_cycles)(const void *state);
} ClusterUnitType;

extern const PolicyFamily cluster_unit_family;

#endif
