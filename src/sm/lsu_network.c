// SPDX-License-Identifier: MIT
// From the SM to the network. With a cluster unit (intra-cluster coalescing), reads spend the
// cycles of its lookup in a pipeline per SM, which accepts one per cycle and has head-of-line
// blocking.
#include "sm/lsu_stages.h"

// As in GPGPU-Sim: address and control.
enum { REQUEST_HEADER_BYTES = 8 };

// Reads carry an address only; the reply carries the data.
static uint32_t packet_bytes(RequestKind kind, uint32_t bytes) {
  bool carries_data = kind == REQUEST_WRITE || kind == REQUEST_ATOMIC;
  return REQUEST_HEADER_BYTES + (carries_data ? bytes : 0u);
}

// All SMs of a cluster share one port of the crossbar (its source is the cluster).
bool sm_network_is_full(const Sm *sm, RequestKind kind, uint32_t bytes) {
  if (sm->port && timed_ring_is_full(&sm->lookups)) return true;
  uint32_t flits = crossbar_flits(sm->noc, packet_bytes(kind, bytes));
  return !crossbar_can_push(sm->requests, sm->cluster, flits);
}

static PortAnswer ask_port(Sm *sm, MemRequest *request) {
  PortAnswer answer = cluster_port_ask(sm->port, request, sm->context.clock);
  if (answer == PORT_TAKEN) sm->did_something = true;
  return answer;
}

// The cluster unit precedes the crossbar: requests that it merges or serves need no flits.
static bool send_now(Sm *sm, MemRequest *request) {
  PortAnswer answer = sm->port ? ask_port(sm, request) : PORT_PASSES;
  if (answer != PORT_PASSES) return answer == PORT_TAKEN;
  uint32_t bytes = packet_bytes(request->kind, request->bytes);
  uint32_t flits = crossbar_flits(sm->noc, bytes);
  if (!crossbar_can_push(sm->requests, sm->cluster, flits)) return false;
  // Set when the request leaves, not when it is made: requests that merge or are
  // held by the cluster unit never need a slice.
  request->slice = (uint16_t)sm->slice_of(sm->map, request->address);
  request->sectors_left = (uint8_t)(request->bytes / SECTOR_BYTES);
  Packet packet = {.request = request, .destination = request->slice, .flits = (uint8_t)flits};
  crossbar_push(sm->requests, sm->cluster, packet, bytes);
  if (sm->port) cluster_port_sent(sm->port, request, sm->context.clock);
  sm->did_something = true;
  return true;
}

bool sm_send(Sm *sm, MemRequest *request) {
  if (!sm->port || !cluster_port_looks_up(sm->port, request)) return send_now(sm, request);
  if (timed_ring_is_full(&sm->lookups)) return false;
  Cycle ready = sm->context.clock + sm->port->lookup_cycles;
  timed_ring_push(&sm->lookups, (TimedRequest){request, ready});
  sm->did_something = true;
  return true;
}

void sm_send_looked_up(Sm *sm, Cycle now) {
  while (!timed_ring_is_empty(&sm->lookups)) {
    const TimedRequest *front = timed_ring_front(&sm->lookups);
    if (front->ready > now || !send_now(sm, front->request)) return;
    timed_ring_pop(&sm->lookups);
  }
}

// The fetch of a write-allocating store is a separate request.
static MemRequest *make_fetch(Sm *sm, const MemRequest *store, Cycle now) {
  MemRequest *fetch = sm_take_request(sm);
  *fetch = *store;
  fetch->kind = REQUEST_READ;
  fetch->waiter = FETCH_ONLY;
  fetch->created = now;
  return fetch;
}

// Sends the next miss of a cache: a fetch or a write as the request that caused it, a
// write-back as a new one that nobody waits for.
void sm_send_miss(Sm *sm, Cache *cache, Cycle now) {
  const CacheMiss *miss = cache_miss_front(cache);
  if (!miss) return;
  RequestKind kind = miss->write ? REQUEST_WRITE : REQUEST_READ;
  uint32_t flits = crossbar_flits(sm->noc, packet_bytes(kind, miss->bytes));
  // The port may hold or serve a read, which then needs no room in the network.
  bool may_be_taken = sm->port && !miss->write;
  if (!may_be_taken && !crossbar_can_push(sm->requests, sm->cluster, flits)) return;
  MemRequest *request = miss->request;
  if (miss->write_back) {
    request = sm_take_request(sm);
    request->kind = REQUEST_WRITE;
    request->waiter = NO_WAITER;
    request->created = now;
    request->full_sectors = (uint8_t)((1u << miss->bytes / SECTOR_BYTES) - 1);
  }
  // Write-allocate with fetch: the store waits in the MSHR under its own request, so
  // the fetch needs another one.
  if (!miss->write && request->kind == REQUEST_WRITE) request = make_fetch(sm, request, now);
  if (!miss->write || miss->write_back) {
    request->address = miss->address;
    request->bytes = (uint16_t)miss->bytes;
  }
  if (!sm_send(sm, request)) {
    // Retried in the next cycle from the same miss: free the new request.
    if (request != miss->request) sm_give_request(sm, request);
    return;
  }
  cache_miss_pop(cache);
  lsu_unblock(&sm->lsu);
}

Requester sm_cta_requester(const Sm *sm, const CtaSlot *cta) {
  const LaunchOrigin *origin = &cta->kernel->launch.origin;
  return (Requester){.cta = cta->cta.linear,
                     .parent_cta = origin->parent_cta,
                     .parent = origin->has_parent ? origin->parent : REQUESTER_NO_PARENT,
                     .kernel = cta->kernel->id,
                     .sm = (uint16_t)sm->id,
                     .cluster = (uint16_t)sm->cluster,
                     .cta_slot = (uint8_t)(cta - sm->ctas)};
}

MemRequest *lsu_make_request(Sm *sm, Inflight *inflight, RequestKind kind, Cycle now) {
  const Access *access = &inflight->accesses[inflight->access_next];
  MemRequest *request = sm_take_request(sm);
  request->address = access->address;
  request->bytes = access->bytes;
  request->kind = (uint8_t)kind;
  request->full_sectors = access->full;
  request->touched_sectors = access->touched;
  request->local = inflight->is_local;
  request->requester = sm_requester(sm, inflight->warp, inflight->pc);
  request->is_lowest = inflight->access_next == inflight->lowest_access;
  request->order = (uint32_t)inflight->order;
  uint32_t cta_slot = request->requester.cta_slot;
  request->l1_part = (uint8_t)(sm->lsu.l1_parts ? cta_slot % sm->lsu.l1_parts : 0);
  request->created = now;
  request->waiter = inflight->index;
  return request;
}
