// SPDX-License-Identifier: MIT
// The memory side of a step: each channel's replies enter the network, then its DRAM and its slices
// tick. Channels do not know of one another, so several threads may tick a group of them each;
// what the slices tell of expected answers is kept by group (window.c).
#include "gpu/machine.h"

// As request headers (sm/lsu/network_port.c).
enum { REPLY_HEADER_BYTES = 8 };
// Threads pay off only when each has several channels at work.
enum { MIN_CHANNELS_A_THREAD = 4 };
enum { MEMORY_EVENTS = 1 << EVENT_L2 | 1 << EVENT_DRAM };

uint32_t memory_group_of(const Gpu *gpu, uint32_t p) {
  return p * gpu->memory_groups / gpu->partition_count;
}

static uint32_t first_of_group(const Gpu *gpu, uint32_t group) {
  return (group * gpu->partition_count + gpu->memory_groups - 1) / gpu->memory_groups;
}

static void send_replies(Gpu *gpu, uint32_t p, uint32_t group) {
  Partition *partition = gpu->partitions[p];
  uint32_t slices = gpu->config.gpu.slices_per_channel;
  for (uint32_t left = partition_reply_mask(partition); left; left &= left - 1) {
    uint32_t s = (uint32_t)__builtin_ctz(left), source = p * slices + s;
    uint32_t bytes = partition_reply_bytes(partition_reply_front(partition, s), REPLY_HEADER_BYTES);
    uint32_t flits = crossbar_flits(&gpu->config.noc, bytes);
    if (!crossbar_can_push(gpu->replies, source, flits)) continue;
    Packet packet = partition_reply_pop(partition, s);
    window_note_reply(gpu, packet.destination, group);
    packet.flits = (uint8_t)flits;
    crossbar_push(gpu->replies, source, packet, bytes);
  }
}

// arrivals: by slice, how many requests it could take; NULL: none has any.
static void tick_l2(Gpu *gpu, uint32_t p, const uint8_t *arrivals) {
  Partition *partition = gpu->partitions[p];
  uint32_t slices = gpu->config.gpu.slices_per_channel, first = p * slices;
  for (uint32_t s = 0; arrivals && s < slices; s++)
    if (arrivals[first + s] && partition_can_accept(partition, s))
      partition_accept(partition, s, crossbar_pop(gpu->requests, first + s), gpu->now);
  partition_l2_tick(partition, gpu->now);
}

void memory_tick_group(void *subject, uint32_t group) {
  Gpu *gpu = subject;
  const MemoryStep *step = &gpu->memory_step;
  uint32_t end = first_of_group(gpu, group + 1), busy = 0;
  for (uint32_t p = first_of_group(gpu, group); p < end; p++) {
    if (step->has_noc) send_replies(gpu, p, group);
    if (step->has_dram) partition_dram_tick(gpu->partitions[p], gpu->now);
    if (step->has_l2) tick_l2(gpu, p, step->arrivals);
    busy += gpu->workers && partition_is_busy(gpu->partitions[p], gpu->now);
  }
  gpu->busy_channels[group] = busy;
}

// Events of the slices, and what policies share, have an order.
static bool is_parallel(const Gpu *gpu) {
  if (!gpu->workers || gpu->policies.shared_count) return false;
  const Observers *observers = &gpu->observers;
  if (observers->count && observers->buffers[gpu->sm_count].wants & MEMORY_EVENTS) return false;
  if (gpu->options.threads == GPU_THREADS_AUTO && !gpu->thread_choice.is_parallel) return false;
  uint32_t busy = 0;  // in the last step
  for (uint32_t g = 0; g < gpu->memory_groups; g++) busy += gpu->busy_channels[g];
  return busy >= MIN_CHANNELS_A_THREAD * gpu->threads;
}

void memory_tick(Gpu *gpu, uint32_t due) {
  if (!(due & (1u << CLOCK_NOC | 1u << CLOCK_DRAM | 1u << CLOCK_L2))) return;
  bool has_requests = !crossbar_is_empty(gpu->requests);
  gpu->memory_step =
      (MemoryStep){.has_noc = due >> CLOCK_NOC & 1,
                   .has_dram = due >> CLOCK_DRAM & 1,
                   .has_l2 = due >> CLOCK_L2 & 1,
                   .arrivals = has_requests ? crossbar_packets(gpu->requests) : NULL};
  if (is_parallel(gpu))
    workers_run(gpu->workers, memory_tick_group, gpu->memory_groups);
  else
    for (uint32_t g = 0; g < gpu->memory_groups; g++) memory_tick_group(gpu, g);
}
