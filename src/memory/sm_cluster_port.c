// SPDX-License-Identifier: MIT
// Between the L1Ds of a cluster and the network: intra-cluster coalescing and the
// coalesced cache (Wang et al., IEEE TC 2019) plug in here. Requests held by a unit are
// linked to the one that was sent, and receive its reply.
#include "memory/sm_cluster_port.h"

#include "base/memory.h"

const Stat cluster_stats[] = {
    STAT_COUNT(ClusterStats, reads, "reads seen by cluster units"),
    STAT_COUNT(ClusterStats, held, "of which merged with an outstanding read"),
    STAT_COUNT(ClusterStats, served, "of which served by the unit"),
    {0}};

// A request may gather others only between its departure and the first part of its
// answer: later ones would miss the sectors that have passed.
// MemRequest.passage
enum { NOT_SENT, SENT, ANSWERED };

static bool has_work(const ClusterUnitType *type) {
  return type->ask || type->on_sent || type->on_answer;
}

static void begin(SmClusterPort *port, uint32_t served_entries) {
  if (port->type->lookup_cycles) port->lookup_cycles = port->type->lookup_cycles(port->state);
  // One comes in a cycle; without a lookup it does not stay.
  answer_ring_init(&port->answers, port->lookup_cycles ? port->lookup_cycles : 1);
  timed_ring_init(&port->served, served_entries);
}

Status sm_cluster_port_create(SmClusterPort **port, PolicyHost *host, const char *spec,
                              uint32_t cluster, uint32_t served_entries, Error *err) {
  const PolicyType *type;
  void *state;
  PolicyPlace place = {.sm = POLICY_EVERY_SM, .cluster = cluster};
  *port = NULL;
  TRY(policy_host_make(host, &cluster_unit_family, spec, place, &type, &state, err));
  if (!has_work((const ClusterUnitType *)type)) return OK;
  *port = memory_alloc(sizeof **port);
  (*port)->type = (const ClusterUnitType *)type;
  (*port)->state = state;
  begin(*port, served_entries);
  return OK;
}

void sm_cluster_port_destroy(SmClusterPort *port) {
  if (!port) return;
  answer_ring_clear(&port->answers);
  timed_ring_clear(&port->served);
  memory_free(port);
}

static ClusterRequest describe(const MemRequest *request, Cycle now) {
  bool is_data = request->kind == REQUEST_READ || request->kind == REQUEST_PREFETCH ||
                 request->kind == REQUEST_WRITE || request->kind == REQUEST_ATOMIC;
  return (ClusterRequest){.now = now,
                          .number = (uint64_t)(uintptr_t)request,
                          .address = request->address,
                          .bytes = request->bytes,
                          .is_write = request->kind == REQUEST_WRITE,
                          .is_atomic = request->kind == REQUEST_ATOMIC,
                          .is_global = is_data && !request->local,
                          .requester = request->requester};
}

// Only global reads can be shared within a cluster: local data belongs to one thread.
static bool is_asked_about(const MemRequest *request) {
  return (request->kind == REQUEST_READ || request->kind == REQUEST_PREFETCH) && !request->local;
}

bool sm_cluster_port_looks_up(const SmClusterPort *port, const MemRequest *request) {
  return port->lookup_cycles && port->type->ask && is_asked_about(request);
}

static void hold(SmClusterPort *port, MemRequest *request, uint64_t number) {
  MemRequest *sent = (MemRequest *)(uintptr_t)number;
  // The policy names the request by a number that is its address. The checks make a
  // stale number a reported fault of the policy rather than corruption.
  POLICY_REQUIRE(port->type, sent && sent != request && sent->passage == SENT);
  POLICY_REQUIRE(port->type, sent->address == request->address && sent->bytes == request->bytes);
  request->next = sent->next;
  sent->next = request;
  port->stats.held++;
}

// A full `served` queue must be checked after the policy has answered, as only SERVE needs it;
// the policy is asked again next cycle (cluster_unit.h says so).
PortAnswer sm_cluster_port_ask(SmClusterPort *port, MemRequest *request, Cycle now) {
  if (!is_asked_about(request) || !port->type->ask) return PORT_PASSES;
  ClusterRequest view = describe(request, now);
  uint64_t number = 0;
  ClusterAnswer answer = port->type->ask(port->state, &view, &number);
  POLICY_REQUIRE(port->type, answer <= CLUSTER_SERVE);
  if (answer == CLUSTER_SEND) return PORT_PASSES;
  if (answer == CLUSTER_SERVE && timed_ring_is_full(&port->served)) return PORT_WAITS;
  request->sectors_left = (uint8_t)(request->bytes / SECTOR_BYTES);
  port->stats.reads++;
  if (answer == CLUSTER_HOLD) {
    hold(port, request, number);
  } else {
    // Served in the next cycle at the earliest: replies of this cycle have passed.
    timed_ring_push(&port->served, (TimedRequest){request, now + 1});
    port->stats.served++;
  }
  return PORT_TAKEN;
}

void sm_cluster_port_sent(SmClusterPort *port, MemRequest *request, Cycle now) {
  port->stats.reads += is_asked_about(request);
  request->passage = SENT;
  if (!port->type->on_sent) return;
  ClusterRequest view = describe(request, now);
  port->type->on_sent(port->state, &view);
}

// A coalesced cache holds lines of the L1Ds of its cluster, and must not outlive their flush.
void sm_cluster_port_flushed(SmClusterPort *port) {
  if (port->type->on_flush) port->type->on_flush(port->state);
}

bool sm_cluster_port_can_take(const SmClusterPort *port) {
  return !answer_ring_is_full(&port->answers);
}

void sm_cluster_port_take(SmClusterPort *port, Packet packet, Cycle now) {
  answer_ring_push(&port->answers, (TimedPacket){packet, now + port->lookup_cycles});
}

const Packet *sm_cluster_port_looked_up(const SmClusterPort *port, Cycle now) {
  if (answer_ring_is_empty(&port->answers)) return NULL;
  const TimedPacket *front = answer_ring_front(&port->answers);
  return front->ready <= now ? &front->packet : NULL;
}

// The first part of an answer: from now on nothing can be held for it.
static void count_answer(SmClusterPort *port, MemRequest *request, Cycle now) {
  request->passage = ANSWERED;
  if (!port->type->on_answer) return;
  uint32_t held = 0;
  for (const MemRequest *each = request->next; each; each = each->next) held++;
  ClusterRequest view = describe(request, now);
  port->type->on_answer(port->state, &view, held);
}

Packet sm_cluster_port_enter(SmClusterPort *port, Cycle now) {
  Packet packet = answer_ring_pop(&port->answers).packet;
  if (packet.request->passage == SENT) count_answer(port, packet.request, now);
  return packet;
}

MemRequest *sm_cluster_port_next_held(SmClusterPort *port, const Packet *packet) {
  if (!port->is_handing_out) {
    port->is_handing_out = true;
    port->next_held = packet->request->next;
  }
  if (port->next_held) port->next_held->served_by = packet->request->served_by;
  return port->next_held;
}

// Its SM may use it again once it has its last part, but not before this cycle's end.
void sm_cluster_port_given(SmClusterPort *port) {
  port->next_held = port->next_held->next;
}

void sm_cluster_port_done(SmClusterPort *port) {
  port->is_handing_out = false;
}

MemRequest *sm_cluster_port_served_front(const SmClusterPort *port, Cycle now) {
  if (timed_ring_is_empty(&port->served)) return NULL;
  const TimedRequest *front = timed_ring_front(&port->served);
  return front->ready <= now ? front->request : NULL;
}

void sm_cluster_port_served_pop(SmClusterPort *port) {
  timed_ring_pop(&port->served);
}
