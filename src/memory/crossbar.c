// SPDX-License-Identifier: MIT
// Flits are not moved: each leaves a time stamp (flit_window.h), and a packet is copied
// once, from its source's ring to its destination's.
//
// Masks mark active ports: a flit on a wire is in the mask of the tick in which it
// arrives, and is ignored until then.
//
// Order within a tick: ejection, injection, then the passes of the switch. A pass acts
// on the state at its start: an output that is released, or a packet that reaches the
// head of its queue, takes part from the next pass.
//
// Not modelled: virtual channels, multi-stage networks.
#include "memory/crossbar_state.h"

#include <assert.h>
#include <string.h>

enum { LINE_BYTES = 128 };

static void set_bit(uint64_t *mask, uint32_t i) {
  mask[i / 64] |= UINT64_C(1) << i % 64;
}

static void clear_bit(uint64_t *mask, uint32_t i) {
  mask[i / 64] &= ~(UINT64_C(1) << i % 64);
}

static uint64_t *mask_at(uint64_t *masks, uint32_t words, uint64_t i) {
  return &masks[i * words];
}

// Takes the lowest bit out of a copy of word number w; returns its index.
static uint32_t take_bit(uint64_t *word, uint32_t w) {
  uint32_t i = 64 * w + (uint32_t)__builtin_ctzll(*word);
  *word &= *word - 1;
  return i;
}

// A packet enters whole or not at all; its flits then leave the injection queue one per tick.
bool crossbar_can_push(const Crossbar *crossbar, uint32_t source, uint32_t flits) {
  assert(source < crossbar->source_count);
  return crossbar->injection_flits[source] + flits <= crossbar->config.injection_flits;
}

// An L2 request covers up to four sectors of a line (Nsight Compute: sectors per request of the
// L2). Packets here have one each where the L1 misses by sector; if others came between them, the
// DRAM would find too few of a row in its queue, and with many SMs that feeds itself.
static bool continues(const Crossbar *crossbar, const EntryRing *ring, const Packet *packet) {
  if (!crossbar->config.line_requests || entry_ring_is_empty(ring)) return false;
  const Packet *before = &entry_ring_at(ring, ring->count - 1)->packet;
  const MemRequest *a = before->request, *b = packet->request;
  return before->destination == packet->destination && a->kind == b->kind &&
         a->address / LINE_BYTES == b->address / LINE_BYTES && a->order == b->order &&
         a->requester.sm == b->requester.sm;
}

// pushed is 32 bits: differences of times are exact as long as a packet takes less than 2^32
// ticks.
void crossbar_push(Crossbar *crossbar, uint32_t source, Packet packet, uint32_t packet_bytes) {
  assert(crossbar_can_push(crossbar, source, packet.flits));
  assert(packet.flits && packet.destination < crossbar->destination_count);
  assert(!entry_ring_is_full(&crossbar->sources[source].packets));
  crossbar->injection_flits[source] = (uint8_t)(crossbar->injection_flits[source] + packet.flits);
  packet.follows = continues(crossbar, &crossbar->sources[source].packets, &packet);
  entry_ring_push(&crossbar->sources[source].packets,
                  (Entry){packet, packet_bytes, (uint32_t)crossbar->now});
}

const Packet *crossbar_front(const Crossbar *crossbar, uint32_t destination) {
  assert(destination < crossbar->destination_count);
  if (!crossbar->complete_packets[destination]) return NULL;
  return &entry_ring_front(&crossbar->destinations[destination].packets)->packet;
}

Packet crossbar_pop(Crossbar *crossbar, uint32_t destination) {
  assert(crossbar_front(crossbar, destination));
  Destination *port = &crossbar->destinations[destination];
  Packet packet = entry_ring_pop(&port->packets).packet;
  port->ejection_flits = (uint8_t)(port->ejection_flits - packet.flits);
  crossbar->complete_packets[destination]--;
  return packet;
}

// The oldest packet that was not complete is complete now. Whoever pops it looks at its request,
// which has left the host's cache on a large machine.
static void complete_packet(Crossbar *crossbar, uint32_t i, const Entry *entry) {
  __builtin_prefetch(entry->packet.request);
  crossbar->destinations[i].flits_ejected = 0;
  crossbar->complete_packets[i]++;
  crossbar->stats.packets++;
  crossbar->stats.flits += entry->packet.flits;
  crossbar->stats.bytes += entry->bytes;
  crossbar->stats.latency_cycles += (uint32_t)crossbar->now - entry->pushed;
}

// If the ejection buffer is full, the flit stays in the output buffer, which in turn stops the
// switch and then the inputs: back-pressure propagates one buffer at a time.
static void eject_flit(Crossbar *crossbar, uint32_t i) {
  Destination *port = &crossbar->destinations[i];
  if (port->ejection_flits == crossbar->config.ejection_flits) return;
  flit_window_leave(&port->window, crossbar->now);
  if (!flit_window_is_ready(&port->window, crossbar->now)) clear_bit(crossbar->leaving, i);
  crossbar->flits_inside--;
  port->ejection_flits++;
  const Entry *entry = entry_ring_at(&port->packets, crossbar->complete_packets[i]);
  if (++port->flits_ejected == entry->packet.flits) complete_packet(crossbar, i, entry);
}

static void eject(Crossbar *crossbar) {
  uint32_t words = crossbar->destination_words;
  uint64_t *arrivals =
      mask_at(crossbar->flit_arrivals, words, crossbar->now & crossbar->arrival_mask);
  for (uint32_t w = 0; w < words; w++) {
    uint64_t word = crossbar->leaving[w] |= arrivals[w];
    arrivals[w] = 0;
    while (word) eject_flit(crossbar, take_bit(&word, w));
  }
}

// The next head of input i is on the wire.
static void expect_head(Crossbar *crossbar, uint32_t i, Cycle arrives) {
  crossbar->sources[i].state = INPUT_PENDING;
  set_bit(
      mask_at(crossbar->head_arrivals, crossbar->source_words, arrives & crossbar->arrival_mask),
      i);
}

// Room is reserved for flits on the wire: credits, in effect, with the wire's delay.
static void inject_flit(Crossbar *crossbar, uint32_t i) {
  Source *port = &crossbar->sources[i];
  Cycle arrives = crossbar->now + crossbar->wire_in;
  if (!flit_window_has_room(&port->window, crossbar->now, crossbar->wire_in)) return;
  flit_window_enter(&port->window, arrives, crossbar->now, crossbar->wire_in);
  crossbar->injection_flits[i]--;
  crossbar->flits_inside++;
  if (port->state == INPUT_IDLE) expect_head(crossbar, i, arrives);
}

static uint64_t eight_bytes(const uint8_t *bytes, uint32_t i) {
  uint64_t word;
  memcpy(&word, &bytes[i], sizeof word);
  return word;
}

const uint8_t *crossbar_packets(const Crossbar *crossbar) {
  return crossbar->complete_packets;
}

// The bits of each byte are or'ed into its lowest one; the multiplication moves these side by side.
uint32_t crossbar_ready(const Crossbar *crossbar, uint32_t first) {
  uint64_t word = eight_bytes(crossbar->complete_packets, first);
  if (!word) return 0;
  word |= word >> 4 & 0x0f0f0f0f0f0f0f0f;
  word |= word >> 2 & 0x0303030303030303;
  word |= word >> 1;
  return (uint32_t)((word & 0x0101010101010101) * 0x0102040810204080 >> 56);
}

static void inject(Crossbar *crossbar) {
  for (uint32_t first = 0; first < crossbar->source_count; first += 8) {
    uint64_t word = eight_bytes(crossbar->injection_flits, first);
    while (word) {
      uint32_t byte = (uint32_t)__builtin_ctzll(word) / 8;  // the host is little-endian
      word &= ~(UINT64_C(0xff) << 8 * byte);
      inject_flit(crossbar, first + byte);
    }
  }
}

// The head packet of input i has reached the switch. An input requests the output of its head
// only: head-of-line blocking is modelled.
static void request_output(Crossbar *crossbar, uint32_t i) {
  Source *port = &crossbar->sources[i];
  uint32_t output = entry_ring_front(&port->packets)->packet.destination;
  port->state = INPUT_WAITING;
  crossbar->heads_waiting++;
  set_bit(mask_at(crossbar->waiting, crossbar->source_words, output), i);
  set_bit(crossbar->wanted, output);
}

static void receive_heads(Crossbar *crossbar) {
  uint32_t words = crossbar->source_words;
  uint64_t *arrivals =
      mask_at(crossbar->head_arrivals, words, crossbar->now & crossbar->arrival_mask);
  for (uint32_t w = 0; w < words; w++) {
    uint64_t word = arrivals[w];
    arrivals[w] = 0;
    while (word) request_output(crossbar, take_bit(&word, w));
  }
}

// The first set bit from start on, going round; there is one.
static uint32_t next_in_turn(const uint64_t *mask, uint32_t words, uint32_t start) {
  uint32_t w = start / 64;
  uint64_t word = mask[w] & ~UINT64_C(0) << start % 64;
  while (!word) {
    w = w + 1 < words ? w + 1 : 0;
    word = mask[w];
  }
  return take_bit(&word, w);
}

static bool is_zero(const uint64_t *mask, uint32_t words) {
  uint64_t any = 0;
  for (uint32_t w = 0; w < words; w++) any |= mask[w];
  return any == 0;
}

// Wormhole switching: an input keeps the output until its tail has passed. Round robin per
// output, so that no source starves.
static void grant_output(Crossbar *crossbar, uint32_t output) {
  Destination *port = &crossbar->destinations[output];
  uint64_t *waiting = mask_at(crossbar->waiting, crossbar->source_words, output);
  uint32_t input = next_in_turn(waiting, crossbar->source_words, port->next_input);
  port->next_input = (uint16_t)(input + 1 < crossbar->source_count ? input + 1 : 0);
  clear_bit(waiting, input);
  if (is_zero(waiting, crossbar->source_words)) clear_bit(crossbar->wanted, output);
  crossbar->heads_waiting--;

  EntryRing *from = &crossbar->sources[input].packets;
  crossbar->sources[input].state = INPUT_CONNECTED;
  port->owner = (uint16_t)input;
  port->flits_to_pass = 0;
  uint32_t taken = 0;
  do {
    Entry entry = entry_ring_pop(from);
    port->flits_to_pass = (uint16_t)(port->flits_to_pass + entry.packet.flits);
    entry_ring_push(&port->packets, entry);
  } while (++taken < MAX_SECTORS && from->count && entry_ring_front(from)->packet.follows);
}

// The tail has passed: the next packet becomes the head.
static void let_go(Crossbar *crossbar, uint32_t output) {
  uint32_t input = crossbar->destinations[output].owner;
  Source *port = &crossbar->sources[input];
  clear_bit(crossbar->owned, output);
  if (!flit_window_flits(&port->window)) {
    port->state = INPUT_IDLE;
    return;
  }
  Cycle arrives = port->window.stamps[port->window.left & port->window.mask];
  if (arrives <= crossbar->now)
    request_output(crossbar, input);
  else
    expect_head(crossbar, input, arrives);
}

// ready: the tick in which the flit, should it cross, is on the wire out.
static void pass_flit(Crossbar *crossbar, uint32_t output, Cycle ready) {
  Cycle arrives = ready + crossbar->wire_out;
  Destination *to = &crossbar->destinations[output];
  FlitWindow *from = &crossbar->sources[to->owner].window;
  if (!flit_window_is_ready(from, crossbar->now)) return;
  if (!flit_window_has_room(&to->window, crossbar->now, crossbar->wire_out)) {
    crossbar->stats.blocked_inputs++;
    return;
  }
  flit_window_leave(from, crossbar->now);
  flit_window_enter(&to->window, arrives, crossbar->now, crossbar->wire_out);
  set_bit(mask_at(crossbar->flit_arrivals, crossbar->destination_words,
                  arrives & crossbar->arrival_mask),
          output);
  if (--to->flits_to_pass == 0) let_go(crossbar, output);
}

// Outputs that are granted in this pass carry flits from the next one on: arbitration takes a
// pass.
static void run_pass(Crossbar *crossbar, Cycle ready) {
  for (uint32_t w = 0; w < crossbar->destination_words; w++) {
    crossbar->granted[w] = crossbar->wanted[w] & ~crossbar->owned[w];
    for (uint64_t word = crossbar->granted[w]; word;) grant_output(crossbar, take_bit(&word, w));
  }
  crossbar->stats.blocked_inputs += crossbar->heads_waiting;
  for (uint32_t w = 0; w < crossbar->destination_words; w++) {
    for (uint64_t word = crossbar->owned[w]; word;) pass_flit(crossbar, take_bit(&word, w), ready);
    crossbar->owned[w] |= crossbar->granted[w];
  }
}

// Flits that have not been ejected.
// Eight counters at a time: this is asked in every tick of an idle network.
static bool has_flits(const Crossbar *crossbar) {
  uint64_t any = crossbar->flits_inside;
  for (uint32_t i = 0; i < crossbar->source_count; i += 8)
    any |= eight_bytes(crossbar->injection_flits, i);
  return any;
}

void crossbar_tick(Crossbar *crossbar) {
  crossbar->now++;
  crossbar->stats.ticks++;
  if (!has_flits(crossbar)) return;
  eject(crossbar);
  inject(crossbar);
  receive_heads(crossbar);
  uint32_t passes = crossbar->config.speedup;
  for (uint32_t pass = 1; pass <= passes; pass++)
    run_pass(crossbar, crossbar->now + (pass == passes));
}

bool crossbar_is_empty(const Crossbar *crossbar) {
  if (crossbar->flits_inside || has_flits(crossbar)) return false;
  uint64_t any = 0;
  for (uint32_t i = 0; i < crossbar->destination_count; i += 8)
    any |= eight_bytes(crossbar->complete_packets, i);
  return any == 0;
}

void crossbar_skip(Crossbar *crossbar, Cycle ticks) {
  assert(crossbar_is_empty(crossbar));
  crossbar->now += ticks;
  crossbar->stats.ticks += ticks;
}

CrossbarStats crossbar_stats_of(const Crossbar *crossbar) {
  return crossbar->stats;
}
