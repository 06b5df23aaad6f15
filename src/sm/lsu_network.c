// SPDX-License-Identifier: MIT
// Requests of the load/store unit.
#include "sm/lsu_stages.h"

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
  MemRequest *request = request_pool_take(&sm->requests);
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
