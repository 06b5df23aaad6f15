// SPDX-License-Identifier: MIT
// Events that the machine reports to observers: one small record each.
//
// Each SM writes its events to its own buffer during a cycle; when all SMs have
// completed the cycle, the buffers are delivered in the order of the SMs. The order of
// events therefore does not depend on the number of threads. Those of the memory system come first.
#ifndef POLICIES_OBSERVER_EVENT_H
#define POLICIES_OBSERVER_EVENT_H

#include "base/cycle.h"
#include "base/memory.h"
#include "isa/types.h"
#include "policies/outcome.h"
#include "policies/requester.h"

typedef enum EventKind {
  EVENT_ISSUE,      // a warp issued an instruction: lanes
  EVENT_MEMORY,     // ... that accesses memory: access, space, lanes, transactions, ideal
  EVENT_ACCESS,     // a transaction was looked up or went past the cache: access, outcome, address
  EVENT_ANSWER,     // a load's transaction has its data: served_by, latency since it was made
  EVENT_LOAD_DONE,  // a load's registers are written: transactions, latency since its issue
  EVENT_STALL,      // slots of a scheduler were lost to an access, up to now: slots, reason
  EVENT_CTA_START,
  EVENT_CTA_END,
  EVENT_L2,    // a request has reached an L2 slice: access, space, address, bytes, channel, slice
  EVENT_DRAM,  // a slice sends a request to its DRAM channel: the same; a write-back of the L2 has
               // no requester (sm is UINT16_MAX)
  EVENT_KINDS
} EventKind;

typedef enum AccessKind { ACCESS_LOAD, ACCESS_STORE, ACCESS_ATOMIC, ACCESS_PREFETCH } AccessKind;

typedef struct MemEvent {
  Cycle cycle;
  Requester
      requester;     // of a CTA's start and end: without warp and pc; of a stall: kernel, pc and SM
  uint64_t address;  // of a transaction: its first byte
  union {
    uint32_t latency;  // cycles
    uint32_t slots;    // issue slots
  };
  uint32_t order;    // of a transaction: its instruction's issue number on its SM, modulo 2^32
  uint16_t bytes;         // of a transaction
  union {
    uint16_t transactions;  // of an instruction; of shared memory: what is served one after another
    uint16_t channel;       // of a request to the L2 or DRAM
  };
  union {
    uint16_t ideal;  // of an instruction: as few transactions as the same data would take at best
    uint16_t slice;  // of a request to the L2 or DRAM, in its channel
  };
  uint8_t kind;           // EventKind
  uint8_t space;          // Space: GLOBAL, LOCAL, SHARED, CONST or TEXTURE
  uint8_t access;         // AccessKind
  uint8_t outcome;        // Outcome
  uint8_t served_by;      // ServedBy
  uint8_t lanes;          // active ones
  bool is_lowest;         // carries the lowest active lane: one of the instruction's transactions
  uint8_t sectors;        // of a transaction: bit s: bytes of its sector s are wanted
  uint8_t reason;         // SlotReason
  uint8_t bank_cycles;    // of an instruction: what banks of shared memory need for different words
} MemEvent;

// An SM's events of the current cycle.
typedef struct EventBuffer {
  MemEvent *events;
  uint32_t count, capacity;
  uint32_t wants;  // bit k: events of kind k are written
} EventBuffer;

static inline bool event_is_wanted(const EventBuffer *buffer, EventKind kind) {
  return buffer->wants >> kind & 1;
}

// Where the next event goes.
static inline MemEvent *event_next(EventBuffer *buffer) {
  GROW(buffer->events, buffer->count, buffer->capacity);
  return &buffer->events[buffer->count++];
}

#endif
