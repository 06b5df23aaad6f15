// SPDX-License-Identifier: MIT
// Sends the load/store unit's events to observers.
#include "sm/events.h"

#include "sm/sm.h"

static uint8_t access_of(const MemRequest *request) {
  switch (request->kind) {
    case REQUEST_WRITE: return ACCESS_STORE;
    case REQUEST_ATOMIC: return ACCESS_ATOMIC;
    case REQUEST_PREFETCH: return ACCESS_PREFETCH;
    default: return ACCESS_LOAD;
  }
}

static uint8_t space_of(const MemRequest *request) {
  if (request->kind == REQUEST_CONSTANT) return SPACE_CONST;
  if (request->kind == REQUEST_TEXTURE) return SPACE_TEXTURE;
  return request->local ? SPACE_LOCAL : SPACE_GLOBAL;
}

static uint8_t space_of_path(const Inflight *inflight) {
  switch (inflight->path) {
    case PATH_SHARED: return SPACE_SHARED;
    case PATH_CONSTANT: return SPACE_CONST;
    case PATH_TEXTURE: return SPACE_TEXTURE;
    default: return inflight->is_local ? SPACE_LOCAL : SPACE_GLOBAL;
  }
}

// Emits an event about a transaction; the caller sets the remaining fields.
static MemEvent *emit_request(EventBuffer *events, EventKind kind, const MemRequest *request,
                              Cycle now) {
  MemEvent *event = event_next(events);
  *event = (MemEvent){.cycle = now,
                      .requester = request->requester,
                      .address = request->address,
                      .bytes = request->bytes,
                      .is_lowest = request->is_lowest,
                      .order = request->order,
                      .sectors = request->touched_sectors,
                      .kind = (uint8_t)kind,
                      .space = space_of(request),
                      .access = access_of(request)};
  return event;
}

// The same about an instruction.
static MemEvent *emit_warp(EventBuffer *events, EventKind kind, Requester requester, Cycle now) {
  MemEvent *event = event_next(events);
  *event = (MemEvent){.cycle = now, .requester = requester, .kind = (uint8_t)kind};
  return event;
}

void emit_lookup(EventBuffer *events, const MemRequest *request, const Cache *cache, Cycle now) {
  if (event_is_wanted(events, EVENT_ACCESS))
    emit_request(events, EVENT_ACCESS, request, now)->outcome =
        (uint8_t)cache_effects(cache)->outcome;
}

void emit_bypass(EventBuffer *events, const MemRequest *request, Cycle now) {
  if (event_is_wanted(events, EVENT_ACCESS))
    emit_request(events, EVENT_ACCESS, request, now)->outcome = OUTCOME_BYPASS;
}

void emit_answer(EventBuffer *events, const MemRequest *request, ServedBy from, Cycle now) {
  if (!event_is_wanted(events, EVENT_ANSWER)) return;
  MemEvent *event = emit_request(events, EVENT_ANSWER, request, now);
  event->latency = (uint32_t)(now - request->created);
  // What waited without leaving the SM had merged onto what left.
  if (from != SERVED_BY_L1 && request->served_by != SERVED_BY_L1)
    from = request->served_by == SERVED_BY_L2 ? SERVED_BY_L2 : SERVED_BY_DRAM;
  event->served_by = (uint8_t)from;
}

void emit_done(EventBuffer *events, const Inflight *inflight, Requester requester, Cycle now) {
  if (!event_is_wanted(events, EVENT_LOAD_DONE)) return;
  MemEvent *event = emit_warp(events, EVENT_LOAD_DONE, requester, now);
  event->access = inflight->info->is_atomic ? ACCESS_ATOMIC : ACCESS_LOAD;
  event->space = space_of_path(inflight);
  event->transactions = inflight->access_count;
  event->latency = (uint32_t)(now - inflight->issued);
}

void sm_emit_issue(Sm *sm, uint32_t w, uint32_t pc, uint32_t active, Cycle now) {
  if (event_is_wanted(sm->events, EVENT_ISSUE))
    emit_warp(sm->events, EVENT_ISSUE, sm_requester(sm, w, pc), now)->lanes =
        (uint8_t)__builtin_popcount(active);
}

static uint8_t access_of_info(const IssueInfo *info) {
  if (info->is_atomic) return ACCESS_ATOMIC;
  return info->is_store ? ACCESS_STORE : ACCESS_LOAD;
}

void sm_emit_memory(Sm *sm, const Inflight *inflight, const Instruction *in, Cycle now) {
  if (inflight->path == PATH_NONE || !event_is_wanted(sm->events, EVENT_MEMORY)) return;
  const MemoryAccess *access = &sm->context.access;
  bool is_shared = inflight->path == PATH_SHARED;
  Requester requester = sm_requester(sm, inflight->warp, inflight->pc);
  MemEvent *event = emit_warp(sm->events, EVENT_MEMORY, requester, now);
  event->access = access_of_info(inflight->info);
  event->space = space_of_path(inflight);
  event->lanes = (uint8_t)__builtin_popcount(access->mask);
  event->transactions = is_shared ? inflight->passes : inflight->access_count;
  event->bank_cycles = (uint8_t)(is_shared ? inflight->bank_cycles : 0);
  event->ideal =
      (uint16_t)ideal_transactions(inflight, in, access, sm->config, &sm->access_units);
}

void sm_emit_stall(Sm *sm, const Culprit *culprit, uint32_t slots) {
  *event_next(sm->events) = (MemEvent){.cycle = sm->context.clock,
                                       .requester = {.kernel = culprit->kernel,
                                                     .parent = REQUESTER_NO_PARENT,
                                                     .pc = culprit->pc,
                                                     .sm = (uint16_t)sm->id,
                                                     .cluster = (uint16_t)sm->cluster},
                                       .slots = slots,
                                       .kind = EVENT_STALL,
                                       .reason = (uint8_t)culprit->reason};
}

void sm_emit_cta(Sm *sm, const CtaSlot *cta, EventKind kind, Cycle now) {
  if (!event_is_wanted(sm->events, kind)) return;
  *event_next(sm->events) =
      (MemEvent){.cycle = now, .requester = sm_cta_requester(sm, cta), .kind = (uint8_t)kind};
}
