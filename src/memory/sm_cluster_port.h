// SPDX-License-Identifier: MIT
// Port between a cluster and the network for a unit of the policy family cluster_unit.
// Without a unit there is no port.
//
// A lookup takes lookup_cycles: SMs delay reads by this time before the unit is called,
// and each reply stays in the port for this time before the unit sees it. A held request
// is in a list of the request that it is held for, and receives a copy of each part of
// its reply. A request served by the unit is answered one cycle later.
#ifndef MEMORY_SM_CLUSTER_PORT_H
#define MEMORY_SM_CLUSTER_PORT_H

#include "base/ring.h"
#include "memory/crossbar.h"
#include "policies/cluster_unit/cluster_unit.h"
#include "policies/host.h"

typedef struct TimedRequest {
  MemRequest *request;
  Cycle ready;
} TimedRequest;
RING_DEFINE(TimedRing, timed_ring, TimedRequest);

typedef struct TimedPacket {
  Packet packet;
  Cycle ready;
} TimedPacket;
RING_DEFINE(AnswerRing, answer_ring, TimedPacket);

typedef struct ClusterStats {
  uint64_t reads, held, served;  // asked about; of which
} ClusterStats;
extern const Stat cluster_stats[];

typedef struct SmClusterPort {
  // unit
  const ClusterUnitType *type;
  void *state;
  uint32_t lookup_cycles;
  // state
  AnswerRing answers;     // that are being looked up
  TimedRing served;
  bool is_handing_out;    // the answer at the front has begun to be given to those held for it
  MemRequest *next_held;  // ... and this one is next
  // stats
  ClusterStats stats;
} SmClusterPort;

// *port is NULL if the policy needs none.
Status sm_cluster_port_create(SmClusterPort **port, PolicyHost *host, const char *spec,
                              uint32_t cluster, uint32_t served_entries, Error *err);
void sm_cluster_port_destroy(SmClusterPort *port);

// Whether a request has to be looked up before the unit is asked.
bool sm_cluster_port_looks_up(const SmClusterPort *port, const MemRequest *request);
// A request wants to leave: it may; it has been taken; it has to wait.
typedef enum PortAnswer { PORT_PASSES, PORT_TAKEN, PORT_WAITS } PortAnswer;
PortAnswer sm_cluster_port_ask(SmClusterPort *port, MemRequest *request, Cycle now);
void sm_cluster_port_sent(SmClusterPort *port, MemRequest *request, Cycle now);
// An SM of the cluster has emptied its L1D.
void sm_cluster_port_flushed(SmClusterPort *port);

// Parts of answers on their way in. _can_take: there is room for one; _take: it
// is looked up from now on; _looked_up: the oldest that has been, or NULL; _enter:
// the unit has seen it, and it leaves.
bool sm_cluster_port_can_take(const SmClusterPort *port);
void sm_cluster_port_take(SmClusterPort *port, Packet packet, Cycle now);
const Packet *sm_cluster_port_looked_up(const SmClusterPort *port, Cycle now);
Packet sm_cluster_port_enter(SmClusterPort *port, Cycle now);
// The next request to receive a copy of the packet; NULL if only its own request is
// left. Call _given after each copy, and _done at the end.
MemRequest *sm_cluster_port_next_held(SmClusterPort *port, const Packet *packet);
void sm_cluster_port_given(SmClusterPort *port);
void sm_cluster_port_done(SmClusterPort *port);

// A request that the unit has served by now, or NULL.
MemRequest *sm_cluster_port_served_front(const SmClusterPort *port, Cycle now);
void sm_cluster_port_served_pop(SmClusterPort *port);

#endif
