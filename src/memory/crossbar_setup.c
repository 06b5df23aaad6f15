// SPDX-License-Identifier: MIT
// Parameters, statistics and construction of a crossbar.
#include "memory/crossbar_state.h"

#include <assert.h>

#include "base/memory.h"

const Param crossbar_params[] = {
    PARAM(CrossbarConfig, flit_bytes, 40, 1, 4096, "bytes per flit"),
    PARAM(CrossbarConfig, injection_flits, 9, 1, 255, "injection queue per source"),
    PARAM(CrossbarConfig, input_buffer_flits, 64, 1, 4096, "switch input buffer"),
    PARAM(CrossbarConfig, ejection_flits, 16, 1, 255, "ejection buffer per destination"),
    PARAM(CrossbarConfig, speedup, 2, 1, 8, "switch passes per cycle"),
    PARAM(CrossbarConfig, latency_cycles, 6, 4, 1000, "zero-load latency of one flit, push to pop"),
    PARAM(CrossbarConfig, output_buffer_flits, 64, 0, 4096,
          "switch output buffer per destination, in flits; 0 = input_buffer_flits"),
    PARAM(CrossbarConfig, line_requests, false, 0, 1,
          "sectors of a line that one instruction requests travel together"),
    {0}};

const Stat crossbar_stats[] = {
    STAT_COUNT(CrossbarStats, packets, "packets delivered"),
    STAT_COUNT(CrossbarStats, flits, "flits delivered"),
    STAT_COUNT(CrossbarStats, bytes, "bytes delivered"),
    STAT_COUNT(CrossbarStats, latency_cycles, "cycles from push to ejection, summed over packets"),
    STAT_RATIO(CrossbarStats, mean_latency, latency_cycles, packets, "mean packet latency, cycles"),
    STAT_COUNT(CrossbarStats, blocked_inputs, "blocked switch inputs, summed over passes"),
    STAT_COUNT(CrossbarStats, ticks, "network cycles"),
    STAT_RATIO(CrossbarStats, flit_rate, flits, ticks, "flits delivered per cycle"),
    {0}};

uint32_t crossbar_flits(const CrossbarConfig *config, uint32_t packet_bytes) {
  uint32_t flits = packet_bytes / config->flit_bytes + (packet_bytes % config->flit_bytes != 0);
  return flits ? flits : 1;
}

// A packet that does not fit a queue whole would wait for ever.
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
          err, ERR_CONFIG, "a packet of %u bytes takes %u flits of %u bytes, but %s is %u",
          largest_packet_bytes, flits, config->flit_bytes, limits[i].name, limits[i].limit);
  return OK;
}

// At zero load a packet is allocated its output in the first pass of a tick, crosses in
// the second, and is on the outgoing wire in the next. The configured latency is push to
// pop at zero load; the part not spent in the switch is divided between the wires before
// and after it.
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
    flit_window_init(&source->window, config->input_buffer_flits);
  }
  for (uint32_t i = 0; i < crossbar->destination_count; i++) {
    Destination *destination = &crossbar->destinations[i];
    // A line more: packets have their output before their first flit is there.
    entry_ring_init(&destination->packets,
                    config->ejection_flits + config->output_buffer_flits + MAX_SECTORS);
    flit_window_init(&destination->window, config->output_buffer_flits);
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

// Padded to words of eight; entries without a port are zero.
static uint8_t *bytes_alloc(uint32_t count) {
  return memory_alloc((count + 7) / 8 * 8);
}

Crossbar *crossbar_create(const CrossbarConfig *config, uint32_t sources, uint32_t destinations) {
  assert(sources && destinations && destinations <= UINT16_MAX + 1u && sources <= UINT16_MAX + 1u);
  assert(config->injection_flits && config->ejection_flits && config->speedup);
  Crossbar *crossbar = memory_alloc(sizeof *crossbar);
  crossbar->config = *config;
  if (!config->output_buffer_flits)
    crossbar->config.output_buffer_flits = config->input_buffer_flits;
  crossbar->source_count = sources, crossbar->destination_count = destinations;
  crossbar->source_words = (sources + 63) / 64;
  crossbar->destination_words = (destinations + 63) / 64;
  share_latency(crossbar);
  crossbar->sources = memory_alloc_aligned(sources * sizeof *crossbar->sources, _Alignof(Source));
  crossbar->destinations =
      memory_alloc_aligned(destinations * sizeof *crossbar->destinations, _Alignof(Destination));
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
    flit_window_clear(&crossbar->sources[i].window);
  }
  for (uint32_t i = 0; i < crossbar->destination_count; i++) {
    entry_ring_clear(&crossbar->destinations[i].packets);
    flit_window_clear(&crossbar->destinations[i].window);
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
