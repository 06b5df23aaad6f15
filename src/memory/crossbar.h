// SPDX-License-Identifier: MIT
// A crossbar in one direction: packets from sources to destinations, in flits.
//
//   push -> injection queue -> input buffer -> switch -> output queue -> ejection buffer -> pop
//
// Each source injects and each destination ejects one flit per cycle. The switch makes
// `speedup` passes per cycle; an output serves one packet until its tail has passed
// (wormhole), arbitrating round robin between inputs (iSLIP with one iteration). A packet
// takes one pass for allocation of its output and one per flit. An input is a FIFO with
// head-of-line blocking. A packet can be popped when its tail has arrived. With line_requests,
// packets that were pushed one after the other by one instruction for sectors of one line keep
// the output as one packet does.
//
// Credits take as long to return as a flit takes to cross the wire.
//
// Thread safety: push and can_push access only their source's state, front and pop only
// their destination's, so SMs may call them concurrently; all other functions require
// exclusive access.
#ifndef MEMORY_CROSSBAR_H
#define MEMORY_CROSSBAR_H

#include "base/param.h"
#include "base/stats.h"
#include "memory/request.h"

typedef struct Packet {
  MemRequest *request;
  uint16_t destination;
  uint8_t flits;
  uint8_t sector;        // replies: which sector of the request this answers
  uint8_t data_sectors;  // ... and how many it carries
  bool follows;    // set by crossbar_push: travels with the packet before it
} Packet;

// [noc]
typedef struct CrossbarConfig {
  uint32_t flit_bytes;          // 40
  uint32_t injection_flits;     // 9: queue before the network, a source
  uint32_t input_buffer_flits;  // 64
  uint32_t ejection_flits;      // 16: ejection buffer per destination
  uint32_t speedup;             // 2: switch passes a cycle
  uint32_t latency_cycles;  // 6: ticks from push until a 1-flit packet can be popped, network idle
  uint32_t output_buffer_flits;  // 64: between switch and ejection buffer; 0: as input_buffer_flits
  bool line_requests;            // sectors of a line that one instruction requests travel together
} CrossbarConfig;
extern const Param crossbar_params[];

typedef struct CrossbarStats {
  uint64_t packets, flits, bytes;  // delivered
  uint64_t latency_cycles;         // summed over packets, push to ejection
  uint64_t blocked_inputs;         // input heads that waited, a switch pass each
  uint64_t ticks;
} CrossbarStats;
extern const Stat crossbar_stats[];

typedef struct Crossbar Crossbar;

// header_bytes + payload bytes of a packet, in flits.
uint32_t crossbar_flits(const CrossbarConfig *config, uint32_t packet_bytes);

// Refuses what could never carry a packet of that size. To be asked before
// crossbar_create, which takes any configuration that keeps to crossbar_params.
Status crossbar_check(const CrossbarConfig *config, uint32_t largest_packet_bytes, Error *err);

Crossbar *crossbar_create(const CrossbarConfig *config, uint32_t sources, uint32_t destinations);
void crossbar_destroy(Crossbar *crossbar);

// Whether a packet of that many flits fits the source's injection queue now.
bool crossbar_can_push(const Crossbar *crossbar, uint32_t source, uint32_t flits);
void crossbar_push(Crossbar *crossbar, uint32_t source, Packet packet, uint32_t packet_bytes);
// The packet that a destination would pop next, or NULL.
const Packet *crossbar_front(const Crossbar *crossbar, uint32_t destination);
// By destination: how many packets it could pop. For those who ask all destinations in every tick.
const uint8_t *crossbar_packets(const Crossbar *crossbar);
// Bit i: there is one for destination `first` + i, of CROSSBAR_GROUP from `first` on, a multiple of
// that.
enum { CROSSBAR_GROUP = 8 };
uint32_t crossbar_ready(const Crossbar *crossbar, uint32_t first);
Packet crossbar_pop(Crossbar *crossbar, uint32_t destination);
void crossbar_tick(Crossbar *crossbar);
// Nothing is anywhere in it: ticks may be left out (crossbar_skip counts them).
bool crossbar_is_empty(const Crossbar *crossbar);
void crossbar_skip(Crossbar *crossbar, Cycle ticks);
CrossbarStats crossbar_stats_of(const Crossbar *crossbar);

#endif
