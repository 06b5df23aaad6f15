// SPDX-License-Identifier: MIT
// Barriers in shared memory: a word of 64 bits that counts arrivals and bytes.
//
//   bits 0-19   arrivals that a phase wants
//   bits 20-39  arrivals still to come
//   bits 40-62  bytes still to come (tx-count), signed
//   bit  63     the phase's parity
//
// A phase completes when no more arrivals or bytes are expected; the next
// one then wants as many arrivals again. The word before an arrival is the state
// that the arriving thread gets.
#ifndef EXEC_MBARRIER_H
#define EXEC_MBARRIER_H

#include <stdbool.h>
#include <stdint.h>

enum { MBARRIER_MAX_COUNT = (1 << 20) - 1 };

typedef struct Mbarrier {
  uint32_t expected, pending;
  int32_t bytes;
  bool parity;
} Mbarrier;

static inline Mbarrier mbarrier_unpack(uint64_t word) {
  return (Mbarrier){.expected = (uint32_t)(word & MBARRIER_MAX_COUNT),
                    .pending = (uint32_t)(word >> 20 & MBARRIER_MAX_COUNT),
                    .bytes = (int32_t)((int64_t)(word << 1) >> 41),
                    .parity = word >> 63};
}

static inline uint64_t mbarrier_pack(Mbarrier barrier) {
  return (barrier.expected & MBARRIER_MAX_COUNT) |
         (uint64_t)(barrier.pending & MBARRIER_MAX_COUNT) << 20 |
         (uint64_t)((uint32_t)barrier.bytes & 0x7fffffu) << 40 | (uint64_t)barrier.parity << 63;
}

static inline void mbarrier_settle(Mbarrier *barrier) {
  if (barrier->pending || barrier->bytes) return;
  barrier->parity = !barrier->parity;
  barrier->pending = barrier->expected;
}

// False if more arrive than the phase wants.
static inline bool mbarrier_arrive(Mbarrier *barrier, uint32_t count) {
  if (count > barrier->pending) return false;
  barrier->pending -= count;
  mbarrier_settle(barrier);
  return true;
}

static inline void mbarrier_complete_bytes(Mbarrier *barrier, uint32_t bytes) {
  barrier->bytes -= (int32_t)bytes;
  mbarrier_settle(barrier);
}

#endif
