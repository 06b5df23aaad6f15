// SPDX-License-Identifier: MIT
// Sends packets of an SM to the network, through the unit of its cluster if there is one.
#include "sm/lsu/network_port.h"

// As in GPGPU-Sim: address and control.
enum { REQUEST_HEADER_BYTES = 8 };

void network_port_init(NetworkPort *port) {
  timed_ring_init(&port->lookups, port->unit ? port->unit->lookup_cycles : 0);
}

void network_port_clear(NetworkPort *port) {
  timed_ring_clear(&port->lookups);
}

// Reads carry an address only; the reply carries the data.
static uint32_t packet_bytes(RequestKind kind, uint32_t bytes) {
  bool carries_data = kind == REQUEST_WRITE || kind == REQUEST_ATOMIC;
  return REQUEST_HEADER_BYTES + (carries_data ? bytes : 0u);
}

static bool has_room(const NetworkPort *port, uint32_t flits) {
  return crossbar_can_push(port->crossbar, port->cluster, flits);
}

bool network_port_is_full(const NetworkPort *port, RequestKind kind, uint32_t bytes) {
  if (port->unit && timed_ring_is_full(&port->lookups)) return true;
  return !has_room(port, crossbar_flits(port->noc, packet_bytes(kind, bytes)));
}

static uint16_t slice_of(NetworkPort *port, const MemRequest *request) {
  if (port->atomic_slices && request->kind == REQUEST_ATOMIC) {
    uint64_t turn = port->atomics_by_cta ? request->requester.cta : port->next_slice++;
    return (uint16_t)(turn % port->atomic_slices);
  }
  return (uint16_t)port->slice_of(port->map, request->address);
}

// The cluster unit precedes the crossbar: requests that it merges or serves need no flits.
static bool send_now(NetworkPort *port, MemRequest *request, Cycle now) {
  PortAnswer answer = port->unit ? sm_cluster_port_ask(port->unit, request, now) : PORT_PASSES;
  if (answer != PORT_PASSES) return answer == PORT_TAKEN;
  uint32_t bytes = packet_bytes(request->kind, request->bytes);
  uint32_t flits = crossbar_flits(port->noc, bytes);
  if (!has_room(port, flits)) return false;
  // Set when the request leaves, not when it is made: requests that merge or are
  // held by the cluster unit never need a slice.
  request->slice = slice_of(port, request);
  request->sectors_left = (uint8_t)(request->bytes / SECTOR_BYTES);
  Packet packet = {.request = request, .destination = request->slice, .flits = (uint8_t)flits};
  crossbar_push(port->crossbar, port->cluster, packet, bytes);
  if (port->unit) sm_cluster_port_sent(port->unit, request, now);
  return true;
}

bool network_port_send(NetworkPort *port, MemRequest *request, Cycle now) {
  if (!port->unit || !sm_cluster_port_looks_up(port->unit, request))
    return send_now(port, request, now);
  if (timed_ring_is_full(&port->lookups)) return false;
  Cycle ready = now + port->unit->lookup_cycles;
  timed_ring_push(&port->lookups, (TimedRequest){request, ready});
  return true;
}

bool network_port_send_looked_up(NetworkPort *port, Cycle now) {
  bool has_sent = false;
  while (!timed_ring_is_empty(&port->lookups)) {
    const TimedRequest *front = timed_ring_front(&port->lookups);
    if (front->ready > now || !send_now(port, front->request, now)) return has_sent;
    timed_ring_pop(&port->lookups);
    has_sent = true;
  }
  return has_sent;
}

// ---- misses

// The fetch of a write-allocating store: the store waits in the MSHR under its own request.
static MemRequest *make_fetch(RequestPool *pool, const MemRequest *store, Cycle now) {
  MemRequest *fetch = request_pool_take(pool);
  *fetch = *store;
  fetch->kind = REQUEST_READ;
  fetch->waiter = FETCH_ONLY;
  fetch->created = now;
  return fetch;
}

// Nobody waits for it.
static MemRequest *make_write_back(RequestPool *pool, const CacheMiss *miss, Cycle now) {
  MemRequest *request = request_pool_take(pool);
  request->kind = REQUEST_WRITE;
  request->waiter = NO_WAITER;
  request->created = now;
  request->full_sectors = (uint8_t)((1u << miss->bytes / SECTOR_BYTES) - 1);
  return request;
}

// A fetch or a write leaves as the request that caused it.
static MemRequest *request_of(RequestPool *pool, const CacheMiss *miss, Cycle now) {
  MemRequest *request = miss->write_back ? make_write_back(pool, miss, now) : miss->request;
  if (!miss->write && request->kind == REQUEST_WRITE) request = make_fetch(pool, request, now);
  if (!miss->write) request->mshr = miss->entry;
  if (!miss->write || miss->write_back) {
    request->address = miss->address;
    request->bytes = (uint16_t)miss->bytes;
  }
  return request;
}

bool network_port_send_miss(NetworkPort *port, RequestPool *pool, Cache *cache, Cycle now) {
  const CacheMiss *miss = cache_miss_front(cache);
  if (!miss) return false;
  RequestKind kind = miss->write ? REQUEST_WRITE : REQUEST_READ;
  uint32_t flits = crossbar_flits(port->noc, packet_bytes(kind, miss->bytes));
  // The unit may hold or serve a read, which then needs no room in the network.
  bool may_be_taken = port->unit && !miss->write;
  if (!may_be_taken && !has_room(port, flits)) return false;
  MemRequest *request = request_of(pool, miss, now);
  if (!network_port_send(port, request, now)) {
    // Retried in the next cycle from the same miss: free the new request.
    if (request != miss->request) request_pool_give(pool, request);
    return false;
  }
  cache_miss_pop(cache);
  return true;
}
