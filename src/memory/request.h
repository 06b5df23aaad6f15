// SPDX-License-Identifier: MIT
// A memory request, from an SM to an L2 slice and back.
//
// It belongs to the SM that made it, from its pool: caches, networks, slices
// and DRAM only pass a pointer on, and the SM gives it back when its last
// answer has arrived. An L2 slice answers each 32-byte sector by itself.
#ifndef MEMORY_REQUEST_H
#define MEMORY_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cycle.h"
#include "policies/outcome.h"
#include "policies/requester.h"

enum { SECTOR_BYTES = 32, MAX_SECTORS = 8 };
// As the sector of a reply: all of its request's sectors at once.
enum { SECTOR_ALL = 0xff };

typedef enum RequestKind {
  REQUEST_READ,         // global or local load
  REQUEST_WRITE,        // global or local store
  REQUEST_ATOMIC,
  REQUEST_INSTRUCTION,
  REQUEST_CONSTANT,     // constant or parameter
  REQUEST_TEXTURE,
  REQUEST_PREFETCH,
  REQUEST_KINDS
} RequestKind;

typedef struct MemRequest MemRequest;
// What the memory system asks on the way is in the first line of the host's cache, what policies
// and observers are told of in the second.
struct MemRequest {
  // what
  _Alignas(64) uint64_t address;  // first byte; a multiple of SECTOR_BYTES
  uint16_t bytes;         // a multiple of SECTOR_BYTES, at most MAX_SECTORS of them
  uint8_t kind;           // RequestKind
  bool bypass_l1;         // not for the L1: .cg, .cv, atomics
  bool is_copy;           // of an asynchronous copy past the L1: writes no registers
  bool always_hits;       // an oracle (gpu/config/ideal.h): in the first cache that looks it up
  bool instant;           // an oracle: nobody waits if it misses in the L1
  bool local;             // local memory: caches may treat its stores differently
  uint8_t full_sectors;   // writes: bit s: every byte of sector s (from address) is written
  uint8_t touched_sectors;  // bit s: some byte of sector s is wanted
  bool is_lowest;           // of the requests of its instruction: carries the lowest active lane
  // where, once the address map has spoken
  uint8_t served_by;      // ServedBy; the L2 slice sets it before the reply
  uint16_t slice;
  uint8_t passage;        // how far it is, for units between cluster and network
  // the sender's
  uint8_t l1_part;        // which part of a divided L1D it belongs to
  uint8_t sectors_left;   // answers still to come
  uint32_t waiter;        // what waits for it
  uint32_t mshr;          // of the cache of its SM that fetches with it
  uint32_t order;         // of the instruction: its issue number in its SM, modulo 2^32
  Cycle created;          // core cycle
  MemRequest *next;       // in whatever list holds it
  Requester requester;
};

#endif
