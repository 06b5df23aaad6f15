// SPDX-License-Identifier: MIT
// Constants and textures: a fixed number of blocks per cycle is looked up, from the latch of the
// load/store unit or, with sm.block_queue_entries, from a separate queue per kind.
#include "sm/lsu/lsu_stages.h"

bool lsu_is_operand(const Inflight *inflight) {
  return inflight->path == PATH_CONSTANT && !inflight->info->source_count;
}

static bool is_texture(const Inflight *inflight) {
  return inflight->path == PATH_TEXTURE;
}

// False: it has to be tried again.
static bool look_up_block(Lsu *lsu, Inflight *inflight, Cycle now) {
  Cache *cache = is_texture(inflight) ? lsu->l1t : lsu->l1c;
  FailReason reason;
  CacheResult result = CACHE_HIT;
  if (cache) {
    RequestKind kind = is_texture(inflight) ? REQUEST_TEXTURE : REQUEST_CONSTANT;
    MemRequest *request = lsu_make_request(lsu, inflight, kind, now);
    result = cache_access(cache, request, 0, request->address, now, &reason);
    if (lsu->events && result != CACHE_FAIL) emit_lookup(lsu->events, request, cache, now);
    if (lsu->events && result == CACHE_HIT) emit_answer(lsu->events, request, SERVED_BY_L1, now);
    // A request that hits or fails is not in flight; one that misses belongs to the MSHR from here
    // on.
    if (result == CACHE_HIT || result == CACHE_FAIL)
      request_pool_give(lsu->ports.requests, request);
    if (result == CACHE_FAIL) return false;
  }
  if (result == CACHE_HIT) inflight->outstanding--;
  inflight->access_next++;
  lsu->signals.did_something = true;
  return true;
}

// The pipeline that remains after all blocks have been looked up; NULL if none.
static SharedRing *block_pipe(Lsu *lsu, const Inflight *inflight) {
  if (lsu_is_operand(inflight)) return NULL;
  SharedRing *pipe = is_texture(inflight) ? &lsu->texture_pipe : &lsu->constant_pipe;
  return pipe->capacity ? pipe : NULL;
}

static void delay_block(Lsu *lsu, Inflight *inflight, SharedRing *pipe, Cycle now) {
  // The pipe itself is one more thing to wait for: the instruction retires when the last of its
  // blocks and the latency have passed, in either order.
  SharedResult result = {.inflight = inflight, .ready = now + pipe->capacity};
  inflight->outstanding++;
  shared_ring_push(pipe, result);
  lsu->block_ready = cycle_earlier(lsu->block_ready, result.ready);
}

bool lsu_look_up_blocks(Lsu *lsu, Inflight *inflight, Cycle now) {
  SharedRing *pipe = block_pipe(lsu, inflight);
  if (pipe && shared_ring_is_full(pipe)) return false;
  uint32_t slots = is_texture(inflight) ? lsu->config->texture_accesses_per_cycle : 1;
  for (uint32_t i = 0; i < slots && inflight->access_next < inflight->access_count; i++)
    if (!look_up_block(lsu, inflight, now)) break;
  if (inflight->access_next < inflight->access_count) return false;
  if (pipe) delay_block(lsu, inflight, pipe, now);
  return true;
}

// ---- queues

bool lsu_queue_block(Lsu *lsu, Inflight *inflight) {
  BlockQueue *queue = &lsu->block_queues[is_texture(inflight)];
  if (queue->count == lsu->config->block_queue_entries) return false;
  queue->entries[queue->count++] = inflight;
  lsu->queued_blocks++;
  lsu->signals.did_something = true;
  return true;
}

static void leave_queue(Lsu *lsu, BlockQueue *queue) {
  queue->count--;
  lsu->queued_blocks--;
  for (uint32_t i = 0; i < queue->count; i++) queue->entries[i] = queue->entries[i + 1];
}

static void work_on_queue(Lsu *lsu, BlockQueue *queue, Cycle now) {
  Inflight *head = queue->entries[0];
  if (head->conflict_cycles > 1) {
    head->conflict_cycles--;
    lsu->signals.did_something = true;
  } else if (lsu_look_up_blocks(lsu, head, now)) {
    leave_queue(lsu, queue);
    lsu_end_blocks(lsu, head, now);
  }
}

void lsu_work_on_queues(Lsu *lsu, Cycle now) {
  for (uint32_t i = 0; i < BLOCK_QUEUES; i++)
    if (lsu->block_queues[i].count) work_on_queue(lsu, &lsu->block_queues[i], now);
}
