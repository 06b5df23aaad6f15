// SPDX-License-Identifier: MIT
// Where answers from the network enter the clusters and reach their SMs, one a
// cycle, with or without a cluster unit in between (memory/sm_cluster_port.h).
#include <assert.h>

#include "gpu/machine.h"

static bool give(Gpu *gpu, Packet packet) {
  uint32_t s = packet.request->requester.sm;
  assert(gpu->last_tick[s] <= gpu->now);  // no SM is ahead of what reaches it (window.c)
  return sm_accept(gpu->sms[s], packet, gpu->now);
}

// Requests that are held for another get copies of its answer, before it does:
// its SM may use it again as soon as it has it all.
static bool give_all(Gpu *gpu, SmClusterPort *port, Packet packet) {
  MemRequest *held;
  while ((held = sm_cluster_port_next_held(port, &packet))) {
    Packet copy = packet;
    copy.request = held;
    if (!give(gpu, copy)) return false;
    sm_cluster_port_given(port);
  }
  if (!give(gpu, packet)) return false;
  sm_cluster_port_done(port);
  return true;
}

static void give_served(Gpu *gpu, SmClusterPort *port) {
  MemRequest *served = sm_cluster_port_served_front(port, gpu->now);
  if (served && give(gpu, (Packet){.request = served, .sector = SECTOR_ALL}))
    sm_cluster_port_served_pop(port);
}

// The oldest reply is delivered to its SM, then one packet enters. One reply per cycle and cluster;
// a full SM blocks later replies (head-of-line blocking), as GPGPU-Sim's response FIFO does.
static bool deliver(Gpu *gpu, uint32_t c) {
  ClusterRing *waiting = &gpu->responses[c];
  if (cluster_ring_is_empty(waiting) || !give(gpu, *cluster_ring_front(waiting))) return false;
  cluster_ring_pop(waiting);
  gpu->responses_waiting--;
  if (cluster_ring_is_empty(waiting)) gpu->waiting_clusters[c / 64] &= ~(UINT64_C(1) << c % 64);
  window_note_given(gpu, c);
  return true;
}

static bool enter(Gpu *gpu, uint32_t c) {
  ClusterRing *waiting = &gpu->responses[c];
  if (!crossbar_packets(gpu->replies)[c] || cluster_ring_is_full(waiting)) return false;
  cluster_ring_push(waiting, crossbar_pop(gpu->replies, c));
  gpu->responses_waiting++;
  gpu->waiting_clusters[c / 64] |= UINT64_C(1) << c % 64;
  return true;
}

static bool is_copy(const Packet *packet) {
  return packet->request->is_copy;
}

// Answers to asynchronous copies come two at a time: 64 bytes per cycle and port. Requests are
// looked at only if there are two answers.
static void tick_cluster(Gpu *gpu, uint32_t c) {
  ClusterRing *waiting = &gpu->responses[c];
  bool are_copies = waiting->count >= 2 && is_copy(cluster_ring_front(waiting)) &&
                    is_copy(cluster_ring_at(waiting, 1));
  if (deliver(gpu, c) && are_copies) deliver(gpu, c);
  bool has_two = crossbar_packets(gpu->replies)[c] >= 2;
  bool was_copy = has_two && is_copy(crossbar_front(gpu->replies, c));
  if (enter(gpu, c) && was_copy && is_copy(crossbar_front(gpu->replies, c))) enter(gpu, c);
}

// A reply that the unit has seen is queued for its SM.
static void let_in(SmClusterPort *port, ClusterRing *waiting, Cycle now) {
  if (!cluster_ring_is_full(waiting) && sm_cluster_port_looked_up(port, now))
    cluster_ring_push(waiting, sm_cluster_port_enter(port, now));
}

// The same with a unit between the cluster and the network.
static void tick_cluster_unit(Gpu *gpu, uint32_t c, SmClusterPort *port) {
  ClusterRing *waiting = &gpu->responses[c];
  give_served(gpu, port);
  if (!cluster_ring_is_empty(waiting) && give_all(gpu, port, *cluster_ring_front(waiting))) {
    cluster_ring_pop(waiting);
    gpu->responses_waiting--;
  }
  let_in(port, waiting, gpu->now);
  bool has_room =
      port->lookup_cycles ? sm_cluster_port_can_take(port) : !cluster_ring_is_full(waiting);
  if (!has_room || !crossbar_front(gpu->replies, c)) return;
  sm_cluster_port_take(port, crossbar_pop(gpu->replies, c), gpu->now);
  gpu->responses_waiting++;
  if (!port->lookup_cycles) let_in(port, waiting, gpu->now);
}

// Most have nothing.
static void tick_clusters(Gpu *gpu) {
  for (uint32_t first = 0; first < gpu->cluster_count; first += CROSSBAR_GROUP) {
    uint32_t due = crossbar_ready(gpu->replies, first);
    due |= (uint8_t)(gpu->waiting_clusters[first / 64] >> first % 64);
    for (; due; due &= due - 1) tick_cluster(gpu, first + (uint32_t)__builtin_ctz(due));
  }
}

void clusters_tick(Gpu *gpu) {
  if (!gpu->ports) {
    tick_clusters(gpu);
    return;
  }
  for (uint32_t c = 0; c < gpu->cluster_count; c++) tick_cluster_unit(gpu, c, gpu->ports[c]);
}

bool clusters_have_work(const Gpu *gpu) {
  for (uint32_t c = 0; gpu->ports && c < gpu->cluster_count; c++)
    if (!timed_ring_is_empty(&gpu->ports[c]->served)) return true;
  return false;
}
