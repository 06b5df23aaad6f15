// SPDX-License-Identifier: MIT
// Events of the load/store unit for observers. Callers ask first whether there are any: without
// observers none of this is reached. Those of the rest of the SM are in sm.h.
#ifndef SM_EVENTS_H
#define SM_EVENTS_H

#include "memory/cache/cache.h"
#include "policies/observer/event.h"
#include "sm/inflight.h"

void emit_lookup(EventBuffer *events, const MemRequest *request, const Cache *cache, Cycle now);
void emit_bypass(EventBuffer *events, const MemRequest *request, Cycle now);
// from: SERVED_BY_L1 or SERVED_BY_MERGE.
void emit_answer(EventBuffer *events, const MemRequest *request, ServedBy from, Cycle now);
void emit_done(EventBuffer *events, const Inflight *inflight, Requester requester, Cycle now);

#endif
