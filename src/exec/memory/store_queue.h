// SPDX-License-Identifier: MIT
// Stores and atomics to global memory that wait for the end of the cycle.
//
// One queue an SM. Addresses have been checked and data copied when a store
// is queued, so applying it cannot fail. Queues are applied in SM order.
#ifndef EXEC_MEMORY_STORE_QUEUE_H
#define EXEC_MEMORY_STORE_QUEUE_H

#include "exec/execute.h"

enum { STORE_MAX_BYTES = 16 };

typedef struct PendingStore {
  const Instruction *in;              // form tells a store from an atomic, and which
  uint32_t mask;
  uint32_t bytes;                     // a lane
  uint8_t *at[WARP_LANES];            // host addresses
  uint8_t data[WARP_LANES][STORE_MAX_BYTES];   // what to store, or the atomic's first operand
  uint64_t operand2[WARP_LANES];  // atom.cas: the new value; a tile's reduction: [0] its DataType
  void *result;                       // atom: lanes that receive the old value, or NULL
} PendingStore;

struct StoreQueue {
  PendingStore *stores;               // grows to the most a cycle ever held, then stays
  uint32_t count, capacity;
  // Not NULL: told of every store before it is applied.
  void (*before)(void *self, const PendingStore *store);
  void *before_self;
};

PendingStore *store_queue_push(StoreQueue *queue);
void store_queue_apply(StoreQueue *queue);  // and empties it
void store_queue_clear(StoreQueue *queue);

#endif
