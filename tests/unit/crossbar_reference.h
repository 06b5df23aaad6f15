// SPDX-License-Identifier: MIT
// The crossbar once more, slow and plain: every flit is an object that moves
// from queue to queue, every wire a list of arrivals, every credit counted.
// The tests hold memory/crossbar.c against it.
#ifndef UNIT_CROSSBAR_REFERENCE_H
#define UNIT_CROSSBAR_REFERENCE_H

#include <assert.h>
#include <string.h>

#include "memory/crossbar.h"

enum { REF_PORTS = 80, REF_FLITS = 512, REF_NONE = -1 };

typedef struct RefFlit {
  uint32_t packet;  // index into packets
  bool head, tail;
  Cycle arrives;  // on a wire
} RefFlit;

// A queue without a bound; it never holds more than REF_FLITS.
typedef struct RefQueue {
  RefFlit flits[REF_FLITS];
  uint32_t first, count;
} RefQueue;

typedef struct RefPacket {
  Packet packet;
  uint32_t bytes;
  Cycle pushed;
} RefPacket;

// Credits on their way back, oldest first.
typedef struct RefCredits {
  Cycle arrives[REF_FLITS];
  uint32_t first, last, free;
} RefCredits;

typedef struct Reference {
  CrossbarConfig config;
  uint32_t sources, destinations, wire_in, wire_out;
  Cycle now;
  RefPacket *packets;
  uint32_t packet_count;
  struct RefSource {
    RefQueue injection, wire, input;
    RefCredits credits;
    int output;  // that the front packet owns
  } * in;
  struct RefDestination {
    RefQueue crossing, output, wire, ejection, boundary;
    RefCredits credits;
    int owner;
    uint32_t turn;
    uint32_t complete;
  } * out;
  CrossbarStats stats;
} Reference;

static void ref_put(RefQueue *queue, RefFlit flit) {
  assert(queue->count < REF_FLITS);
  queue->flits[(queue->first + queue->count++) % REF_FLITS] = flit;
}

static RefFlit *ref_front(RefQueue *queue) {
  return &queue->flits[queue->first];
}

static RefFlit ref_take(RefQueue *queue) {
  assert(queue->count);
  RefFlit flit = *ref_front(queue);
  queue->first = (queue->first + 1) % REF_FLITS;
  queue->count--;
  return flit;
}

static void ref_send_credit(RefCredits *credits, Cycle arrives) {
  credits->arrives[credits->last++ % REF_FLITS] = arrives;
}

static void ref_receive_credits(RefCredits *credits, Cycle now) {
  while (credits->first != credits->last && credits->arrives[credits->first % REF_FLITS] <= now) {
    credits->first++;
    credits->free++;
  }
}

// packet_limit: how many will be pushed in all.
static Reference *reference_create(const CrossbarConfig *config, uint32_t sources,
                                   uint32_t destinations, uint32_t packet_limit) {
  Reference *ref = memory_alloc(sizeof *ref);
  assert(sources <= REF_PORTS && destinations <= REF_PORTS);
  ref->config = *config, ref->sources = sources, ref->destinations = destinations;
  uint32_t wires = config->latency_cycles - 1 - 2 / config->speedup;
  ref->wire_out = wires - wires / 2;
  ref->wire_in = wires / 2;
  ref->packets = memory_alloc(packet_limit * sizeof *ref->packets);
  ref->in = memory_alloc(sources * sizeof *ref->in);
  ref->out = memory_alloc(destinations * sizeof *ref->out);
  for (uint32_t s = 0; s < sources; s++) {
    ref->in[s].output = REF_NONE;
    ref->in[s].credits.free = config->input_buffer_flits;
  }
  for (uint32_t d = 0; d < destinations; d++) {
    ref->out[d].owner = REF_NONE;
    ref->out[d].credits.free = config->output_buffer_flits;
  }
  return ref;
}

static void reference_destroy(Reference *ref) {
  memory_free(ref->packets);
  memory_free(ref->in);
  memory_free(ref->out);
  memory_free(ref);
}

static bool reference_can_push(const Reference *ref, uint32_t source, uint32_t flits) {
  return ref->in[source].injection.count + flits <= ref->config.injection_flits;
}

static void reference_push(Reference *ref, uint32_t source, Packet packet, uint32_t bytes) {
  uint32_t id = ref->packet_count++;
  ref->packets[id] = (RefPacket){packet, bytes, ref->now};
  for (uint32_t i = 0; i < packet.flits; i++)
    ref_put(&ref->in[source].injection, (RefFlit){id, i == 0, i + 1 == packet.flits, 0});
}

static const Packet *reference_front(Reference *ref, uint32_t destination) {
  if (!ref->out[destination].complete) return NULL;
  return &ref->packets[ref_front(&ref->out[destination].boundary)->packet].packet;
}

static Packet reference_pop(Reference *ref, uint32_t destination) {
  RefFlit flit;
  do flit = ref_take(&ref->out[destination].boundary);
  while (!flit.tail);
  ref->out[destination].complete--;
  return ref->packets[flit.packet].packet;
}

static void reference_count(Reference *ref, const RefPacket *packet) {
  ref->stats.packets++;
  ref->stats.flits += packet->packet.flits;
  ref->stats.bytes += packet->bytes;
  ref->stats.latency_cycles += ref->now - packet->pushed;
}

static void reference_eject(Reference *ref, uint32_t d) {
  struct RefDestination *out = &ref->out[d];
  while (out->wire.count && ref_front(&out->wire)->arrives <= ref->now)
    ref_put(&out->ejection, ref_take(&out->wire));
  assert(out->ejection.count <= ref->config.output_buffer_flits);
  if (!out->ejection.count || out->boundary.count >= ref->config.ejection_flits) return;
  RefFlit flit = ref_take(&out->ejection);
  ref_put(&out->boundary, flit);
  ref_send_credit(&out->credits, ref->now + ref->wire_out);
  if (!flit.tail) return;
  out->complete++;
  reference_count(ref, &ref->packets[flit.packet]);
}

static void reference_inject(Reference *ref, uint32_t s) {
  struct RefSource *in = &ref->in[s];
  ref_receive_credits(&in->credits, ref->now);
  if (in->injection.count && in->credits.free) {
    RefFlit flit = ref_take(&in->injection);
    flit.arrives = ref->now + ref->wire_in;
    ref_put(&in->wire, flit);
    in->credits.free--;
  }
  while (in->wire.count && ref_front(&in->wire)->arrives <= ref->now)
    ref_put(&in->input, ref_take(&in->wire));
  assert(in->input.count <= ref->config.input_buffer_flits);
}

static uint32_t reference_wish(Reference *ref, uint32_t s) {
  return ref->packets[ref_front(&ref->in[s].input)->packet].packet.destination;
}

// All decisions first, from the state as it is; then all changes.
static void reference_pass(Reference *ref) {
  int winner[REF_PORTS], moves[REF_PORTS];
  for (uint32_t d = 0; d < ref->destinations; d++) {
    struct RefDestination *out = &ref->out[d];
    while (out->crossing.count) ref_put(&out->output, ref_take(&out->crossing));
    winner[d] = REF_NONE;
    for (uint32_t i = 0; out->owner == REF_NONE && i < ref->sources; i++) {
      uint32_t s = (out->turn + i) % ref->sources;
      if (ref->in[s].output != REF_NONE || !ref->in[s].input.count) continue;
      if (reference_wish(ref, s) == d && winner[d] == REF_NONE) winner[d] = (int)s;
    }
  }
  for (uint32_t s = 0; s < ref->sources; s++) {
    struct RefSource *in = &ref->in[s];
    moves[s] = in->output != REF_NONE && in->input.count && ref->out[in->output].credits.free;
    bool wins =
        in->output == REF_NONE && in->input.count && winner[reference_wish(ref, s)] == (int)s;
    if (in->input.count && !moves[s] && !wins) ref->stats.blocked_inputs++;
  }
  for (uint32_t s = 0; s < ref->sources; s++) {
    if (!moves[s]) continue;
    struct RefSource *in = &ref->in[s];
    struct RefDestination *out = &ref->out[in->output];
    RefFlit flit = ref_take(&in->input);
    ref_put(&out->crossing, flit);
    out->credits.free--;
    ref_send_credit(&in->credits, ref->now + ref->wire_in);
    if (flit.tail) in->output = out->owner = REF_NONE;
  }
  for (uint32_t d = 0; d < ref->destinations; d++) {
    if (winner[d] == REF_NONE) continue;
    ref->out[d].owner = winner[d];
    ref->out[d].turn = ((uint32_t)winner[d] + 1) % ref->sources;
    ref->in[winner[d]].output = (int)d;
  }
}

static void reference_tick(Reference *ref) {
  ref->now++;
  ref->stats.ticks++;
  for (uint32_t d = 0; d < ref->destinations; d++) reference_eject(ref, d);
  for (uint32_t s = 0; s < ref->sources; s++) reference_inject(ref, s);
  for (uint32_t d = 0; d < ref->destinations; d++)
    ref_receive_credits(&ref->out[d].credits, ref->now);
  for (uint32_t pass = 0; pass < ref->config.speedup; pass++) reference_pass(ref);
  for (uint32_t d = 0; d < ref->destinations; d++) {
    struct RefDestination *out = &ref->out[d];
    if (!out->output.count) continue;
    RefFlit flit = ref_take(&out->output);
    flit.arrives = ref->now + ref->wire_out;
    ref_put(&out->wire, flit);
  }
}

static bool reference_is_empty(const Reference *ref) {
  uint32_t flits = 0;
  for (uint32_t s = 0; s < ref->sources; s++)
    flits += ref->in[s].injection.count + ref->in[s].wire.count + ref->in[s].input.count;
  for (uint32_t d = 0; d < ref->destinations; d++) {
    const struct RefDestination *out = &ref->out[d];
    flits += out->crossing.count + out->output.count + out->wire.count + out->ejection.count +
             out->boundary.count;
  }
  return flits == 0;
}

#endif
