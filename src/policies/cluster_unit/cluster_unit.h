// SPDX-License-Identifier: MIT
// Cluster units: between the L1s of a cluster and the network.
//
// To add one, write a file in this folder that defines a ClusterUnitType and list
// it in cluster_units.def. There is one state per cluster. The unit is called for
// every read of global memory that is about to leave the cluster, and returns
// whether to send it, to hold it until the reply to an earlier request arrives, or
// to serve it from the unit. The unit stores addresses and request numbers; the
// machine stores the requests, and forwards a reply to all requests held for it.
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
  // An SM has invalidated its L1D: it must not read older data from now on.
  void (*on_flush)(void *state);
  // Lookup latency in cycles: a read that is looked up spends them before
  // `ask`, and an answer of any kind before `on_answer`. NULL: none.
  uint32_t (*lookup_cycles)(const void *state);
} ClusterUnitType;

extern const PolicyFamily cluster_unit_family;

#endif
