// SPDX-License-Identifier: MIT
// Inside a crossbar: ports, and masks of the ports that have work.
#ifndef MEMORY_CROSSBAR_STATE_H
#define MEMORY_CROSSBAR_STATE_H

#include "base/ring.h"
#include "memory/crossbar.h"
#include "memory/flit_window.h"

typedef struct Entry {
  Packet packet;
  uint32_t bytes;
  uint32_t pushed;  // low half of the tick count then
} Entry;
RING_DEFINE(EntryRing, entry_ring, Entry);

typedef enum InputState {
  INPUT_IDLE,       // no flit
  INPUT_PENDING,    // the next head is on the input wire
  INPUT_WAITING,    // the head wants an output
  INPUT_CONNECTED,  // the front packet owns an output
} InputState;

// Ports are a line of the host's cache each.
typedef struct Source {
  _Alignas(64) EntryRing packets;  // pushed, and not yet given an output
  FlitWindow window;  // the input buffer and the wire before it
  InputState state;
} Source;

typedef struct Destination {
  _Alignas(64) EntryRing packets;  // given this output, until popped
  FlitWindow window;               // the output buffer and the wire after it
  uint16_t owner;                  // source of the packet that is passing
  uint16_t flits_to_pass;          // of that packet, and of those that follow it
  uint16_t next_input;             // the first in turn
  uint8_t flits_ejected;           // of the oldest packet that is not complete
  uint8_t ejection_flits;          // in the ejection buffer
} Destination;

struct Crossbar {
  CrossbarConfig config;
  uint32_t source_count, destination_count;
  uint32_t source_words, destination_words;  // of bit masks
  uint32_t wire_in, wire_out;                // ticks to the switch and from it

  Cycle now;
  uint64_t flits_inside;   // injected, not ejected
  uint32_t heads_waiting;  // inputs in INPUT_WAITING
  Source *sources;
  Destination *destinations;
  // Bytes, so that eight of them are looked at in one go.
  uint8_t *injection_flits;   // by source: in its injection queue
  uint8_t *complete_packets;  // by destination: ready to be popped

  uint32_t arrival_mask;    // to find the masks of a tick
  uint64_t *head_arrivals;  // by tick: sources in INPUT_PENDING whose head arrives then
  uint64_t *flit_arrivals;  // by tick: destinations for which a flit arrives then
  uint64_t *leaving;        // destinations with a flit to be ejected now
  uint64_t *waiting;        // by destination: the sources in INPUT_WAITING for it
  uint64_t *wanted;         // destinations that some head waits for
  uint64_t *owned;          // destinations that a packet owns
  uint64_t *granted;        // destinations given away in this pass

  CrossbarStats stats;
};

#endif
