// SPDX-License-Identifier: MIT
// The front end: sm.fetches_per_cycle fetches per cycle, warps round robin. A fetch delivers as
// many instructions as the buffer holds; the buffer is filled only when it is empty. There is
// no branch prediction: instructions after a branch are fetched, and dropped at issue if the
// branch was taken. With sm.code_prefetch_lines the L1I follows the code ahead of the warps, as
// the stream buffers before the instruction caches of Volta and later do (Huerta et al.,
// "Analyzing Modern NVIDIA GPU Cores", 2025): a miss starts a stream, a fetch inside its window
// advances the window, and each cycle fetches one line of it.
#include "sm/sm.h"

static uint64_t code_line(const Sm *sm, uint64_t address) {
  return address >> sm->l1i_line_log2;
}

// The last line of the warp's kernel; functions that it calls lie elsewhere.
static uint64_t last_line(const Sm *sm, const WarpSlot *slot) {
  const Function *kernel = sm->ctas[slot->cta].kernel->launch->kernel;
  uint32_t last = kernel->entry + kernel->code_count - 1;
  return code_line(sm, slot->table->code_address + (uint64_t)last * sm->config->instruction_bytes);
}

// A fetch of this line starts a stream, or advances the current one.
static void follow(Sm *sm, const WarpSlot *slot, uint64_t line, bool is_miss) {
  CodeStream *stream = &sm->stream;
  uint32_t ahead = sm->config->code_prefetch_lines;
  if (is_miss) {
    stream->next = line + 1;
    stream->last = last_line(sm, slot);
  } else if (line <= stream->base || line > stream->base + ahead) {
    return;
  }
  stream->base = line;
  uint64_t end = line + ahead;
  stream->end = end < stream->last ? end : stream->last;
}

// A prefetch that finds no room is tried again with the same line.
static void prefetch(Sm *sm, Cycle now) {
  CodeStream *stream = &sm->stream;
  MemRequest *request = request_pool_take(&sm->requests);
  request->address = stream->next << sm->l1i_line_log2;
  request->bytes = SECTOR_BYTES;
  request->kind = REQUEST_INSTRUCTION;
  request->waiter = NO_WAITER;
  request->created = now;
  CacheResult result = cache_prefetch(sm->l1i, request, request->address, now);
  if (result != CACHE_MISS) request_pool_give(&sm->requests, request);
  if (result == CACHE_FAIL) return;
  sm->did_something = true;
  stream->next++;
  if (result != CACHE_MISS) return;
  sm->prefetches++;
  sm->stats.code_prefetches++;
}

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

// Prefetched lines have no waiting warp.
static MemRequest *next_response(Sm *sm) {
  while (cache_has_ready(sm->l1i)) {
    uint32_t sector;
    MemRequest *request = cache_next_ready(sm->l1i, &sector);
    if (request->waiter != NO_WAITER) return request;
    request_pool_give(&sm->requests, request);
    sm->prefetches--;
    sm->did_something = true;
  }
  return NULL;
}

static void fetched(Sm *sm, uint32_t w, uint32_t pc) {
  sm->fetched.is_valid = true;
  sm->fetched.warp = w;
  sm->fetched.pc = pc;
}

static void take_response(Sm *sm, MemRequest *request) {
  uint32_t w = request->waiter;
  sm->missing &= ~(UINT64_C(1) << w);
  fetched(sm, w, sm->warps[w].fetch_pc);
  request_pool_give(&sm->requests, request);
  sm->did_something = true;
}

// The request is kept between cycles (fetch_request): a hit returns it unused.
static CacheResult look_up(Sm *sm, uint32_t w, uint64_t address, Cycle now) {
  if (!sm->fetch_request) sm->fetch_request = request_pool_take(&sm->requests);
  MemRequest *request = sm->fetch_request;
  request->address = address;
  request->bytes = SECTOR_BYTES;
  request->kind = REQUEST_INSTRUCTION;
  request->requester = sm_requester(sm, w, sm->warps[w].fetch_pc);  // for lower levels
  request->waiter = w;
  request->created = now;
  FailReason reason;
  CacheResult result = cache_access(sm->l1i, request, 0, address, now, &reason);
  if (result == CACHE_MISS || result == CACHE_HIT_PENDING) {
    sm->missing |= UINT64_C(1) << w;
    sm->fetch_request = NULL;
  }
  return result;
}

// Warps execute the same few sectors of code: mostly it is known where they are.
static CacheResult access_l1i(Sm *sm, uint32_t w, uint64_t address, Cycle now) {
  CacheSpot *spot = &sm->code_spots[address / SECTOR_BYTES % CODE_SPOTS];
  if (spot->address == address && cache_hits_again(sm->l1i, spot, now)) return CACHE_HIT;
  CacheResult result = look_up(sm, w, address, now);
  if (result == CACHE_HIT) *spot = cache_spot_of(sm->l1i, address);
  return result;
}

static void access(Sm *sm, uint32_t w, Cycle now) {
  const WarpSlot *slot = &sm->warps[w];
  sm->last_fetched = w;
  sm->did_something = true;
  if (sm->l1i) {
    uint64_t address = slot->table->code_address +
                       (uint64_t)slot->fetch_pc * sm->config->instruction_bytes;
    address &= ~(uint64_t)(SECTOR_BYTES - 1);
    CacheResult result = access_l1i(sm, w, address, now);
    if (sm->config->code_prefetch_lines && result != CACHE_FAIL)
      follow(sm, slot, code_line(sm, address), result == CACHE_MISS);
    if (result != CACHE_HIT) return;
  }
  fetched(sm, w, slot->fetch_pc);
}

// One result per cycle leaves the L1I: a returning miss takes the place of this cycle's fetch.
void sm_fetch(Sm *sm, Cycle now) {
  MemRequest *response = sm->l1i_has_fills ? next_response(sm) : NULL;
  sm->l1i_has_fills = response != NULL;
  if (response) {
    take_response(sm, response);
  } else {
    // Retiring is part of the same round-robin scan, as in GPGPU-Sim: when a warp slot becomes free
    // depends on it.
    uint64_t fetchable = sm->resident & ~sm->ended & ~sm->missing & ~sm->buffered;
    if (sm->ended) sm_retire(sm, fetchable);
    if (fetchable) access(sm, (uint32_t)next_warp(fetchable, (int)sm->last_fetched), now);
  }
  if (sm->stream.next <= sm->stream.end && sm->l1i) prefetch(sm, now);
}

void sm_send_code_miss(Sm *sm, Cycle now) {
  if (!sm->l1i_has_misses) return;
  if (network_port_send_miss(&sm->network, &sm->requests, sm->l1i, now)) {
    lsu_unblock(&sm->lsu);  // as after a miss of its own: what was rejected is tried again
    sm->did_something = true;
  }
  sm->l1i_has_misses = cache_miss_front(sm->l1i) != NULL;
}
