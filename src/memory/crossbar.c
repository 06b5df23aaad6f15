// SPDX-License-Identifier: MIT
// Flits are not moved about: each leaves a time stamp behind, and a packet is
// copied once, from its source's ring to its destination's.
//
// A port's Window numbers the flits that pass through a buffer. While a flit
// is on its way in or inside, its slot holds the tick from which the next part
// may take it; afterwards the tick in which it left, which is when the slot
// begins to be free for those upstream. One ring of stamps so stands for wire,
// buffer and returning credits alike.
//
// Masks say who has something to do: what is on a wire is in the mask of the
// tick in which it arrives and is not looked at before.
//
// Inside a tick: ejection, injection, then the passes of the switch. A pass
// decides on what held when it began: an output that is let go, or a head that
// comes up, counts from the next pass on.
//
// Left out: virtual channels, more than one switch between source and
// destination.
#include "memory/crossbar.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/ring.h"

const Param crossbar_params[] = {
    PARAM(CrossbarConfig, flit_bytes, 40, 1, 4096, "bytes that a flit carries"),
    PARAM(CrossbarConfig, injection_flits, 9, 1, 255, "queue before the network, a source"),
    PARAM(CrossbarConfig, input_buffer_flits, 64, 1, 4096, "buffer of a switch input"),
    PARAM(CrossbarConfig, ejection_flits, 16, 1, 255, "buffer behind the network, a destination"),
    PARAM(CrossbarConfig, speedup, 2, 1, 8, "passes of the switch a cycle"),
    PARAM(CrossbarConfig, latency_cycles, 6, 4, 1000, "push to pop of one flit, network idle"),
    PARAM(CrossbarConfig, output_buffer_flits, 64, 0, 4096,
          "flits of a destination behind the switch; 0 = as input_buffer_flits"),
    {0}};

const Stat crossbar_stats[] = {
    STAT_COUNT(CrossbarStats, packets, "packets delivered"),
    STAT_COUNT(CrossbarStats, flits, "flits delivered"),
    STAT_COUNT(CrossbarStats, bytes, "bytes delivered"),
    STAT_COUNT(CrossbarStats, latency_cycles, "cycles from push to ejection, over all packets"),
    STAT_RATIO(CrossbarStats, mean_latency, latency_cycles, packets, "cycles a packet took"),
    STAT_COUNT(CrossbarStats, blocked_inputs, "switch inputs that could not go on, a pass each"),
    STAT_COUNT(CrossbarStats, ticks, "cycles of the network"),
    STAT_RATIO(CrossbarStats, flit_rate, flits, ticks, "flits delivered a cycle"),
    {0}};

typedef struct Entry {
  Packet packet;
  uint32_t bytes;
  uint32_t pushed;  // low half of the tick count then
} Entry;
RING_DEFINE(EntryRing, entry_ring, Entry);

typedef struct Window {
  Cycle *stamps;
  uint32_t mask, limit;
  uint64_t entered, left;  // flits, ever
} Window;

typedef enum InputState {
  INPUT_IDLE,       // no flit
  INPUT_PENDING,    // the next head is still on its way in
  INPUT_WAITING,    // the head wants an output
  INPUT_CONNECTED,  // the front packet owns an output
} InputState;

typedef struct Source {
  EntryRing packets;  // pushed, and not yet given an output
  Window window;      // the input buffer and the wire before it
  InputState state;
} Source;

typedef struct Destination {
  EntryRing packets;        // given this output, until popped
  Window window;            // the output buffer and the wire behind it
  uint32_t owner;           // the source whose packet passes
  uint32_t flits_to_pass;   // of that packet
  uint32_t next_input;      // the first in turn
  uint32_t flits_ejected;   // of the oldest packet that is not complete
  uint32_t ejection_flits;  // in the ejection buffer
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

static void window_init(Window *window, uint32_t limit) {
  uint32_t slots = 1;
  while (slots < limit) slots *= 2;
  *window = (Window){.mask = slots - 1, .limit = limit};
  window->stamps = memory_alloc(slots * sizeof *window->stamps);
}

static uint32_t window_flits(const Window *window) {
  return (uint32_t)(window->entered - window->left);
}

// Whether a flit may enter: the one that had the slot before has left, and
// word of it has come back, which takes wire_ticks.
static bool window_has_room(const Window *window, Cycle now, uint32_t wire_ticks) {
  if (window_flits(window) >= window->limit) return false;
  if (window->entered < window->limit) return true;
  return window->stamps[(window->entered - window->limit) & window->mask] + wire_ticks <= now;
}

static void window_enter(Window *window, Cycle ready) {
  window->stamps[window->entered++ & window->mask] = ready;
}

static bool window_is_ready(const Window *window, Cycle now) {
  return window->entered != window->left && window->stamps[window->left & window->mask] <= now;
}

static void window_leave(Window *window, Cycle now) {
  window->stamps[window->left++ & window->mask] = now;
}

uint32_t crossbar_flits(const CrossbarConfig *config, uint32_t packet_bytes) {
  uint32_t flits = packet_bytes / config->flit_bytes + (packet_bytes % config->flit_bytes != 0);
  return flits ? flits : 1;
}

Status crossbar_check(const CrossbarConfig *config, uint32_t largest_packet_bytes, Error *err) {
  uint32_t flits = crossbar_flits(config, largest_packet_bytes);
  const struct {
    const char *name;
    uint32_t limit;
  } limits[] = {{"injection_flits", config->injection_flits},
                {"ejection_flits", config->ejection_flits},
                {"the largest packet in flits", UINT8_MAX}};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
    if (flits > limits[i].limit)
      return error_set(
          err, ERR_CONFIG, "a packet of %u bytes is %u flits of %u bytes, but %s is only %u",
          largest_packet_bytes, flits, config->flit_bytes, limits[i].name, limits[i].limit);
  return OK;
}

// A packet that finds the switch free has its output in the first pass of a
// tick, crosses in the second, and is on the wire out in the pass after that.
static void share_latency(Crossbar *crossbar) {
  uint32_t switch_ticks = 2 / crossbar->config.speedup;
  assert(crossbar->config.latency_cycles >= switch_ticks + 2);
  uint32_t wires = crossbar->config.latency_cycles - 1 - switch_ticks;
  crossbar->wire_out = (wires + 1) / 2;
  crossbar->wire_in = wires / 2;
  uint32_t slots = 1;
  while (slots < crossbar->wire_out + 2) slots *= 2;  // wire_out is not the shorter one
  crossbar->arrival_mask = slots - 1;
}

static void create_ports(Crossbar *crossbar) {
  const CrossbarConfig *config = &crossbar->config;
  for (uint32_t i = 0; i < crossbar->source_count; i++) {
    Source *source = &crossbar->sources[i];
    entry_ring_init(&source->packets, config->injection_flits + config->input_buffer_flits);
    window_init(&source->window, config->input_buffer_flits);
  }
  for (uint32_t i = 0; i < crossbar->destination_count; i++) {
    Destination *destination = &crossbar->destinations[i];
    // One more: a packet has its output before its first flit is there.
    entry_ring_init(&destination->packets,
                    config->ejection_flits + config->output_buffer_flits + 1);
    window_init(&destination->window, config->output_buffer_flits);
  }
}

static uint64_t *masks_alloc(uint32_t words, uint32_t count) {
  return memory_alloc((size_t)words * count * sizeof(uint64_t));
}

static void create_masks(Crossbar *crossbar) {
  uint32_t in = crossbar->source_words, out = crossbar->destination_words;
  crossbar->head_arrivals = masks_alloc(in, crossbar->arrival_mask + 1);
  crossbar->flit_arrivals = masks_alloc(out, crossbar->arrival_mask + 1);
  crossbar->leaving = masks_alloc(out, 1);
  crossbar->waiting = masks_alloc(in, crossbar->destination_count);
  crossbar->wanted = masks_alloc(out, 1);
  crossbar->owned = masks_alloc(out, 1);
  crossbar->granted = masks_alloc(out, 1);
}

// Eight to a word, the last of them zero where there is no port.
static uint8_t *bytes_alloc(uint32_t count) {
  return memory_alloc((count + 7) / 8 * 8);
}

Crossbar *crossbar_create(const CrossbarConfig *config, uint32_t sources, uint32_t destinations) {
  assert(sources && destinations && destinations <= UINT16_MAX + 1u);
  assert(config->injection_flits && config->ejection_flits && config->speedup);
  Crossbar *crossbar = memory_alloc(sizeof *crossbar);
  crossbar->config = *config;
  if (!config->output_buffer_flits)
    crossbar->config.output_buffer_flits = config->input_buffer_flits;
  crossbar->source_count = sources, crossbar->destination_count = destinations;
  crossbar->source_words = (sources + 63) / 64;
  crossbar->destination_words = (destinations + 63) / 64;
  share_latency(crossbar);
  crossbar->sources = memory_alloc(sources * sizeof *crossbar->sources);
  crossbar->destinations = memory_alloc(destinations * sizeof *crossbar->destinations);
  crossbar->injection_flits = bytes_alloc(sources);
  crossbar->complete_packets = bytes_alloc(destinations);
  create_masks(crossbar);
  create_ports(crossbar);
  return crossbar;
}

void crossbar_destroy(Crossbar *crossbar) {
  if (!crossbar) return;
  for (uint32_t i = 0; i < crossbar->source_count; i++) {
    entry_ring_clear(&crossbar->sources[i].packets);
    memory_free(crossbar->sources[i].window.stamps);
  }
  for (uint32_t i = 0; i < crossbar->destination_count; i++) {
    entry_ring_clear(&crossbar->destinations[i].packets);
    memory_free(crossbar->destinations[i].window.stamps);
  }
  void *const pieces[] = {crossbar->sources,         crossbar->destinations,
                          crossbar->injection_flits, crossbar->complete_packets,
                          crossbar->head_arrivals,   crossbar->flit_arrivals,
                          crossbar->leaving,         crossbar->waiting,
                          crossbar->wanted,          crossbar->owned,
                          crossbar->granted};
  for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) memory_free(pieces[i]);
  memory_free(crossbar);
}

// A ring that runs empty starts over, so that a quiet port stays in the
// host's cache.
static Entry take_entry(EntryRing *ring) {
  Entry entry = entry_ring_pop(ring);
  if (entry_ring_is_empty(ring)) ring->head = 0;
  return entry;
}

bool crossbar_can_push(const Crossbar *crossbar, uint32_t source, uint32_t flits) {
  assert(source < crossbar->source_count);
  return crossbar->injection_flits[source] + flits <= crossbar->config.injection_flits;
}

void crossbar_push(Crossbar *crossbar, uint32_t source, Packet packet, uint32_t packet_bytes) {
  assert(crossbar_can_push(crossbar, source, packet.flits));
  assert(packet.flits && packet.destination < crossbar->destination_count);
  assert(!entry_ring_is_full(&crossbar->sources[source].packets));
  crossbar->injection_flits[source] = (uint8_t)(crossbar->injection_flits[source] + packet.flits);
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
  Packet packet = take_entry(&port->packets).packet;
  port->ejection_flits -= packet.flits;
  crossbar->complete_packets[destination]--;
  return packet;
}

const uint8_t *crossbar_ready(const Crossbar *crossbar) {
  return crossbar->complete_packets;
}

// The oldest packet that was not complete is complete now.
static void complete_packet(Crossbar *crossbar, uint32_t i, const Entry *entry) {
  crossbar->destinations[i].flits_ejected = 0;
  crossbar->complete_packets[i]++;
  crossbar->stats.packets++;
  crossbar->stats.flits += entry->packet.flits;
  crossbar->stats.bytes += entry->bytes;
  crossbar->stats.latency_cycles += (uint32_t)crossbar->now - entry->pushed;
}

static void eject_flit(Crossbar *crossbar, uint32_t i) {
  Destination *port = &crossbar->destinations[i];
  if (port->ejection_flits == crossbar->config.ejection_flits) return;
  window_leave(&port->window, crossbar->now);
  if (!window_is_ready(&port->window, crossbar->now)) clear_bit(crossbar->leaving, i);
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

// The next head of input i is on its way in.
static void expect_head(Crossbar *crossbar, uint32_t i, Cycle arrives) {
  crossbar->sources[i].state = INPUT_PENDING;
  set_bit(
      mask_at(crossbar->head_arrivals, crossbar->source_words, arrives & crossbar->arrival_mask),
      i);
}

static void inject_flit(Crossbar *crossbar, uint32_t i) {
  Source *port = &crossbar->sources[i];
  Cycle arrives = crossbar->now + crossbar->wire_in;
  if (!window_has_room(&port->window, crossbar->now, crossbar->wire_in)) return;
  window_enter(&port->window, arrives);
  crossbar->injection_flits[i]--;
  crossbar->flits_inside++;
  if (port->state == INPUT_IDLE) expect_head(crossbar, i, arrives);
}

static uint64_t eight_bytes(const uint8_t *bytes, uint32_t i) {
  uint64_t word;
  memcpy(&word, &bytes[i], sizeof word);
  return word;
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

// The head of input i stands before the switch.
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

static void grant_output(Crossbar *crossbar, uint32_t output) {
  Destination *port = &crossbar->destinations[output];
  uint64_t *waiting = mask_at(crossbar->waiting, crossbar->source_words, output);
  uint32_t input = next_in_turn(waiting, crossbar->source_words, port->next_input);
  port->next_input = input + 1 < crossbar->source_count ? input + 1 : 0;
  clear_bit(waiting, input);
  if (is_zero(waiting, crossbar->source_words)) clear_bit(crossbar->wanted, output);
  crossbar->heads_waiting--;

  Entry entry = take_entry(&crossbar->sources[input].packets);
  crossbar->sources[input].state = INPUT_CONNECTED;
  port->owner = input;
  port->flits_to_pass = entry.packet.flits;
  entry_ring_push(&port->packets, entry);
}

// The tail has passed: what is behind it comes up.
static void let_go(Crossbar *crossbar, uint32_t output) {
  uint32_t input = crossbar->destinations[output].owner;
  Source *port = &crossbar->sources[input];
  clear_bit(crossbar->owned, output);
  if (!window_flits(&port->window)) {
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
  Window *from = &crossbar->sources[to->owner].window;
  if (!window_is_ready(from, crossbar->now)) return;
  if (!window_has_room(&to->window, crossbar->now, crossbar->wire_out)) {
    crossbar->stats.blocked_inputs++;
    return;
  }
  window_leave(from, crossbar->now);
  window_enter(&to->window, arrives);
  set_bit(mask_at(crossbar->flit_arrivals, crossbar->destination_words,
                  arrives & crossbar->arrival_mask),
          output);
  if (--to->flits_to_pass == 0) let_go(crossbar, output);
}

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

void crossbar_tick(Crossbar *crossbar) {
  crossbar->now++;
  crossbar->stats.ticks++;
  eject(crossbar);
  inject(crossbar);
  receive_heads(crossbar);
  uint32_t passes = crossbar->config.speedup;
  for (uint32_t pass = 1; pass <= passes; pass++)
    run_pass(crossbar, crossbar->now + (pass == passes));
}

bool crossbar_is_empty(const Crossbar *crossbar) {
  if (crossbar->flits_inside) return false;
  uint64_t any = 0;
  for (uint32_t i = 0; i < crossbar->source_count; i += 8)
    any |= eight_bytes(crossbar->injection_flits, i);
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
