// SPDX-License-Identifier: MIT
// Applies queued stores and atomics to memory at the end of a cycle, in order.
#include "exec/memory/store_queue.h"

#include <string.h>

#include "base/memory.h"
#include "exec/memory/exec_atomic.h"

PendingStore *store_queue_push(StoreQueue *queue) {
  GROW(queue->stores, queue->count, queue->capacity);
  return &queue->stores[queue->count++];
}

// bytes is a constant where this is called: the copy becomes one move.
static inline void apply_bytes(const PendingStore *store, size_t bytes) {
  for (uint32_t left = store->mask; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    memcpy(store->at[lane], store->data[lane], bytes);
  }
}

static void apply_store(const PendingStore *store) {
  switch (store->bytes) {
    case 4: apply_bytes(store, 4); break;
    case 8: apply_bytes(store, 8); break;
    case 16: apply_bytes(store, 16); break;
    default: apply_bytes(store, store->bytes); break;
  }
}

// Of a bulk copy: what it adds. Its tensor map knows the type of a tile.
static void apply_reduction(const PendingStore *store) {
  Form form = store->in->form;
  if (form.mode == MODE_BULK_TENSOR) form.type = (uint8_t)store->operand2[0];
  for (uint32_t left = store->mask; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    atomic_apply_bytes(&form, store->at[lane], store->data[lane], store->bytes, true);
  }
}

// In issue order within the SM; between SMs in the order of their numbers (gpu/cycle.c).
// Atomics read and write here, so that no two of a cycle see the same old value.
void store_queue_apply(StoreQueue *queue) {
  for (uint32_t i = 0; i < queue->count; i++) {
    const PendingStore *store = &queue->stores[i];
    Opcode op = (Opcode)store->in->form.op;
    if (queue->before) queue->before(queue->before_self, store);
    if (op == OP_ATOM || op == OP_RED)
      atomic_apply_pending(store);
    else if (op == OP_CP && store->in->form.operation)
      apply_reduction(store);
    else
      apply_store(store);
  }
  queue->count = 0;
}

void store_queue_clear(StoreQueue *queue) {
  memory_free(queue->stores);
  *queue = (StoreQueue){0};
}
