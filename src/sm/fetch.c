// SPDX-License-Identifier: MIT
// The front end: one fetch a cycle, warps in turn. A fetch delivers as many
// instructions as the buffer holds; the buffer is filled only when it is
// empty. There is no branch prediction: what lies behind a branch is fetched,
// and dropped at issue if the branch went elsewhere.
#include "sm/sm.h"

void sm_decode(Sm *sm) {
  if (!sm->fetched.is_valid) return;
  sm->fetched.is_valid = false;
  WarpSlot *slot = &sm->warps[sm->fetched.warp];
  uint32_t pc = sm->fetched.pc, end = slot->table->program->code_count;
  uint32_t wanted = sm->config->buffer_entries;
  slot->buffer_pc = pc;
  // Behind the program's end there is nothing, which issue finds useless.
  slot->buffer_count = (uint8_t)(pc >= end ? 1 : end - pc < wanted ? end - pc : wanted);
  sm_refresh_head(sm, sm->fetched.warp);
  sm->did_something = true;
}

static void take_response(Sm *sm) {
  uint32_t sector;
  MemRequest *request = cache_next_ready(sm->l1i, &sector);
  uint32_t w = request->waiter;
  sm->missing &= ~(UINT64_C(1) << w);
  sm->fetched.is_valid = true;
  sm->fetched.warp = w;
  sm->fetched.pc = sm->warps[w].fetch_pc;
  sm_give_request(sm, request);
  sm->did_something = true;
}

static void access(Sm *sm, uint32_t w, Cycle now) {
  WarpSlot *slot = &sm->warps[w];
  sm->last_fetched = w;
  sm->did_something = true;
  if (sm->l1i) {
    if (!sm->fetch_request) sm->fetch_request = sm_take_request(sm);
    MemRequest *request = sm->fetch_request;
    uint64_t address = slot->table->code_address +
                       (uint64_t)slot->fetch_pc * sm->config->instruction_bytes;
    request->address = address & ~(uint64_t)(SECTOR_BYTES - 1);
    request->bytes = SECTOR_BYTES;
    request->kind = REQUEST_INSTRUCTION;
    request->who.warp = (uint8_t)w;
    request->waiter = w;
    request->who.pc = slot->fetch_pc;
    request->created = now;
    FailReason reason;
    CacheResult result = cache_access(sm->l1i, request, 0, request->address, now, &reason);
    if (result == CACHE_MISS || result == CACHE_HIT_PENDING) {
      request->who = sm_requester(sm, w, slot->fetch_pc);  // for what lies behind the cache
      sm->missing |= UINT64_C(1) << w;
      sm->fetch_request = NULL;
      return;
    }
    if (result == CACHE_FAIL) return;
  }
  sm->fetched.is_valid = true;
  sm->fetched.warp = w;
  sm->fetched.pc = slot->fetch_pc;
}

void sm_fetch(Sm *sm, Cycle now) {
  if (sm->l1i_has_fills) sm->l1i_has_fills = cache_has_ready(sm->l1i);
  if (sm->l1i_has_fills) {
    take_response(sm);
  } else {
    uint64_t fetchable = sm->resident & ~sm->ended & ~sm->missing & ~sm->buffered;
    if (sm->ended) sm_retire(sm, fetchable);
    if (fetchable) access(sm, (uint32_t)next_warp(fetchable, (int)sm->last_fetched), now);
  }
  if (!sm->l1i_has_misses) return;
  sm_send_miss(sm, sm->l1i, now);
  sm->l1i_has_misses = cache_miss_front(sm->l1i) != NULL;
}
