// SPDX-License-Identifier: MIT
// An SM's way to the memory: its cluster's source of the request crossbar, and the unit of the
// cluster before it, if there is one (memory/sm_cluster_port.h).
//
// With such a unit (intra-cluster coalescing), reads spend the cycles of its lookup in a pipeline
// per SM, which accepts one per cycle and has head-of-line blocking.
#ifndef SM_LSU_NETWORK_PORT_H
#define SM_LSU_NETWORK_PORT_H

#include "memory/cache/cache.h"
#include "memory/sm_cluster_port.h"
#include "memory/crossbar.h"
#include "sm/pools.h"

// As MemRequest.waiter: no instruction waits; or the waiter is in the MSHR (a store).
#define NO_WAITER UINT32_MAX
#define FETCH_ONLY (UINT32_MAX - 1)

typedef struct NetworkPort {
  // neighbours
  SmClusterPort *unit;  // NULL: none
  Crossbar *crossbar;  // towards the memory
  const CrossbarConfig *noc;
  uint32_t cluster;  // its source; shared by all SMs of the cluster
  uint32_t (*slice_of)(const void *map, uint64_t address);
  const void *map;
  // An oracle: atomics go to so many slices, in turn or each CTA's to its own; 0: where they
  // belong.
  uint32_t atomic_slices;
  bool atomics_by_cta;
  // state
  uint32_t next_slice;  // of them
  TimedRing lookups;  // reads that the unit is looking up
} NetworkPort;

// The neighbours are set.
void network_port_init(NetworkPort *port);
void network_port_clear(NetworkPort *port);

// Sends a request, which then is answered bytes / SECTOR_BYTES times over (sectors_left). False:
// there is no room, nothing has happened, and the caller tries again.
bool network_port_send(NetworkPort *port, MemRequest *request, Cycle now);
// Whether there is no room for such a request.
bool network_port_is_full(const NetworkPort *port, RequestKind kind, uint32_t bytes);
// Sends what the unit has looked up; true if there was something. Once per cycle, if has_lookups.
bool network_port_send_looked_up(NetworkPort *port, Cycle now);
static inline bool network_port_has_lookups(const NetworkPort *port) {
  return port->unit && port->lookups.count;
}
// Sends the oldest miss of a cache, if it has one and there is room; true if it did. Write-backs,
// and fetches of stores that wait in the MSHR, are requests of their own, from the pool.
bool network_port_send_miss(NetworkPort *port, RequestPool *pool, Cache *cache, Cycle now);

#endif
