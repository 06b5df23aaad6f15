// SPDX-License-Identifier: MIT
// A piece is a sequence of
//
//   runs    bit 0 clear: so many steps (the number without that bit) follow each other in the code,
//           with the same lanes, no access and no barrier
//   events  bit 0 set: one step; the other bits say what is said about it, in this order:
//             EVENT_JUMPS        signed: where it is, relative to the step before
//             EVENT_SWAPS_MASK   the lanes are those before the last change
//             EVENT_HAS_MASK     the lanes
//             EVENT_HAS_BARRIER  number, threads
//             EVENT_IS_PREDICTED the access is as the instruction's last one, one step further
//             EVENT_HAS_ACCESS   a byte of ACCESS_ bits and what these announce
//
// Nothing that the bytes say is believed unchecked: a pc is within the program, an access has a
// size that a lane can have, a barrier is one of a CTA's.
#include "trace/step_codec.h"

#include <string.h>

#include "base/memory.h"
#include "isa/launch.h"
#include "trace/varint.h"

enum {
  IS_EVENT = 1,
  EVENT_JUMPS = 2,
  EVENT_SWAPS_MASK = 4,
  EVENT_HAS_MASK = 8,
  EVENT_HAS_BARRIER = 16,
  EVENT_IS_PREDICTED = 32,
  EVENT_HAS_ACCESS = 64
};

enum {
  ACCESS_HAS_STRIDE = 1,    // neighbouring lanes are so far apart
  ACCESS_IS_IRREGULAR = 2,  // each lane's distance to the one before
  ACCESS_HAS_DELTA = 4,     // of the first lane, to the instruction's last access
  ACCESS_HAS_MASK = 8,      // other lanes than those that executed it
  ACCESS_HAS_WINDOWS = 16,  // lanes in shared and local memory
  ACCESS_HAS_SHAPE = 32     // space, bytes per lane, SHAPE_ bits
};

enum { SHAPE_WRITES = 1, SHAPE_IS_ATOMIC = 2 };

enum { MAX_LANE_BYTES = 32, MAX_STEP_BYTES = 1 + (6 + 8 + WARP_LANES) * MAX_VARINT_BYTES };

static StepPrediction *prediction_of(StepState *state, uint32_t pc) {
  return &state->predictions[pc * 0x9e3779b1u >> 26];
}

static uint8_t flags_of(const StepAccess *access) {
  return (uint8_t)((access->is_write ? SHAPE_WRITES : 0) |
                   (access->is_atomic ? SHAPE_IS_ATOMIC : 0));
}

static void swap_masks(StepState *state) {
  uint32_t mask = state->mask;
  state->mask = state->other_mask;
  state->other_mask = mask;
}

// A texel has 16 bytes at most.
bool step_shape_is_valid(uint8_t space, uint8_t bytes) {
  uint32_t most = space == SPACE_TEXTURE ? MAX_LANE_BYTES / 2 : MAX_LANE_BYTES;
  return space <= SPACE_TEXTURE && bytes && bytes <= most && !(bytes & (bytes - 1));
}

// ---- encoding

static bool has_stride(const uint64_t *address, uint32_t mask, uint64_t *stride) {
  uint32_t left = mask & (mask - 1);
  uint64_t before = address[__builtin_ctz(mask)];
  *stride = left ? address[__builtin_ctz(left)] - before : 0;
  for (; left; left &= left - 1) {
    uint64_t own = address[__builtin_ctz(left)];
    if (own - before != *stride) return false;
    before = own;
  }
  return true;
}

static uint8_t *put_lanes(uint8_t *to, const uint64_t *address, uint32_t mask) {
  uint64_t before = address[__builtin_ctz(mask)];
  for (uint32_t left = mask & (mask - 1); left; left &= left - 1) {
    uint64_t own = address[__builtin_ctz(left)];
    to = varint_put_signed(to, own - before);
    before = own;
  }
  return to;
}

// The ACCESS_ bits, and what the instruction is expected to do next.
static uint8_t describe_access(StepPrediction *last, const Step *step, const uint64_t *address) {
  const StepAccess *access = &step->access;
  uint64_t base = address[__builtin_ctz(access->mask)], stride;
  uint8_t bits = 0, flags = flags_of(access);
  if (!has_stride(address, access->mask, &stride))
    bits |= ACCESS_IS_IRREGULAR;
  else if (stride != last->stride && access->mask & (access->mask - 1))
    bits |= ACCESS_HAS_STRIDE;
  if (base - last->base != last->delta) bits |= ACCESS_HAS_DELTA;
  if (access->mask != step->mask) bits |= ACCESS_HAS_MASK;
  if (access->shared | access->local) bits |= ACCESS_HAS_WINDOWS;
  if (last->space != access->space || last->bytes != access->bytes || last->flags != flags)
    bits |= ACCESS_HAS_SHAPE;
  last->delta = base - last->base;
  last->base = base;
  if (bits & ACCESS_HAS_STRIDE) last->stride = stride;
  last->space = access->space;
  last->bytes = access->bytes;
  last->flags = flags;
  return bits;
}

static uint8_t *put_access(uint8_t *to, const StepPrediction *last, const Step *step,
                           const uint64_t *address, uint8_t bits) {
  const StepAccess *access = &step->access;
  *to++ = bits;
  if (bits & ACCESS_HAS_MASK) to = varint_put(to, access->mask);
  if (bits & ACCESS_HAS_SHAPE) {
    *to++ = access->space;
    *to++ = access->bytes;
    *to++ = last->flags;
  }
  if (bits & ACCESS_HAS_WINDOWS) to = varint_put(varint_put(to, access->shared), access->local);
  if (bits & ACCESS_HAS_DELTA) to = varint_put_signed(to, last->delta);
  if (bits & ACCESS_HAS_STRIDE) to = varint_put_signed(to, last->stride);
  return bits & ACCESS_IS_IRREGULAR ? put_lanes(to, address, access->mask) : to;
}

static uint8_t *put_event(uint8_t *to, StepState *state, const Step *step,
                          const uint64_t *addresses) {
  uint8_t *event = to++, access_bits = 0;
  StepPrediction *last = prediction_of(state, step->pc);
  *event = IS_EVENT;
  if (step->pc != state->pc + 1) {
    *event |= EVENT_JUMPS;
    to = varint_put_signed(to, (uint64_t)step->pc - state->pc);
  }
  if (step->mask != state->mask && step->mask == state->other_mask) {
    *event |= EVENT_SWAPS_MASK;
    swap_masks(state);
  } else if (step->mask != state->mask) {
    *event |= EVENT_HAS_MASK;
    to = varint_put(to, step->mask);
    state->other_mask = state->mask;
    state->mask = step->mask;
  }
  if (step->has_barrier) {
    *event |= EVENT_HAS_BARRIER;
    to = varint_put(varint_put(to, step->barrier), step->barrier_threads);
  }
  state->pc = step->pc;
  if (!step->access.mask) return to;
  access_bits = describe_access(last, step, addresses);
  *event |= access_bits ? EVENT_HAS_ACCESS : EVENT_IS_PREDICTED;
  return access_bits ? put_access(to, last, step, addresses, access_bits) : to;
}

static uint8_t *room(StepEncoder *encoder) {
  size_t needed = encoder->used + MAX_STEP_BYTES;
  if (needed > encoder->capacity) {
    encoder->capacity = needed * 2;
    encoder->bytes = memory_resize(encoder->bytes, encoder->capacity);
  }
  return encoder->bytes + encoder->used;
}

static void put_run(StepEncoder *encoder) {
  if (!encoder->run) return;
  uint8_t *end = varint_put(room(encoder), encoder->run << 1);
  encoder->used = (size_t)(end - encoder->bytes);
  encoder->run = 0;
}

void step_encoder_add(StepEncoder *encoder, const Step *step, const uint64_t *addresses) {
  StepState *state = &encoder->state;
  if (step->pc == state->pc + 1 && step->mask == state->mask && !step->access.mask &&
      !step->has_barrier) {
    encoder->run++;
    state->pc++;
    return;
  }
  put_run(encoder);
  uint8_t *end = put_event(room(encoder), state, step, addresses);
  encoder->used = (size_t)(end - encoder->bytes);
}

void step_encoder_flush(StepEncoder *encoder) {
  put_run(encoder);
}

void step_encoder_restart(StepEncoder *encoder) {
  encoder->used = 0;
  encoder->run = 0;
  memset(&encoder->state, 0, sizeof encoder->state);
}

// ---- decoding

void step_decoder_start(StepDecoder *decoder, const uint8_t *bytes, size_t count,
                        uint32_t code_count) {
  memset(decoder, 0, sizeof *decoder);
  decoder->at = bytes;
  decoder->end = count ? bytes + count : bytes;
  decoder->code_count = code_count;
}

static bool get_lanes_mask(StepDecoder *decoder, uint32_t *mask) {
  uint64_t value;
  if (!varint_get(&decoder->at, decoder->end, &value) || value > UINT32_MAX) return false;
  *mask = (uint32_t)value;
  return true;
}

static bool get_shape(StepDecoder *decoder, StepPrediction *last) {
  if (decoder->end - decoder->at < 3) return false;
  last->space = *decoder->at++;
  last->bytes = *decoder->at++;
  last->flags = *decoder->at++;
  return step_shape_is_valid(last->space, last->bytes) &&
         last->flags <= (SHAPE_WRITES | SHAPE_IS_ATOMIC);
}

static bool get_windows(StepDecoder *decoder, StepAccess *access) {
  return get_lanes_mask(decoder, &access->shared) && get_lanes_mask(decoder, &access->local) &&
         !(access->shared & access->local) && !((access->shared | access->local) & ~access->mask);
}

static void spread(uint64_t *address, uint32_t mask, uint64_t base, uint64_t stride) {
  if (mask == FULL_MASK) {
    for (uint64_t i = 0; i < WARP_LANES; i++) address[i] = base + i * stride;
    return;
  }
  for (; mask; mask &= mask - 1, base += stride) address[__builtin_ctz(mask)] = base;
}

static bool get_addresses(StepDecoder *decoder, uint64_t *address, uint32_t mask, uint64_t base) {
  address[__builtin_ctz(mask)] = base;
  for (uint32_t left = mask & (mask - 1); left; left &= left - 1) {
    uint64_t distance;
    if (!varint_get_signed(&decoder->at, decoder->end, &distance)) return false;
    address[__builtin_ctz(left)] = base += distance;
  }
  return true;
}

static bool get_access(StepDecoder *decoder, Step *step, uint64_t *addresses, uint8_t bits) {
  StepPrediction *last = prediction_of(&decoder->state, step->pc);
  StepAccess *access = &step->access;
  access->mask = step->mask;
  if (bits & ACCESS_HAS_MASK && !get_lanes_mask(decoder, &access->mask)) return false;
  if (!access->mask || access->mask & ~step->mask) return false;
  if (bits & ACCESS_HAS_SHAPE && !get_shape(decoder, last)) return false;
  if (!last->bytes) return false;  // of an instruction that has had none
  if (bits & ACCESS_HAS_WINDOWS && !get_windows(decoder, access)) return false;
  if (bits & ACCESS_HAS_DELTA && !varint_get_signed(&decoder->at, decoder->end, &last->delta))
    return false;
  if (bits & ACCESS_HAS_STRIDE && !varint_get_signed(&decoder->at, decoder->end, &last->stride))
    return false;
  access->space = last->space;
  access->bytes = last->bytes;
  access->is_write = last->flags & SHAPE_WRITES;
  access->is_atomic = last->flags & SHAPE_IS_ATOMIC;
  last->base += last->delta;
  if (bits & ACCESS_IS_IRREGULAR)
    return get_addresses(decoder, addresses, access->mask, last->base);
  spread(addresses, access->mask, last->base, last->stride);
  return true;
}

static bool get_barrier(StepDecoder *decoder, Step *step) {
  enum { BARRIERS = 16 };
  if (!get_lanes_mask(decoder, &step->barrier) || !get_lanes_mask(decoder, &step->barrier_threads))
    return false;
  step->has_barrier = true;
  return step->barrier < BARRIERS && step->barrier_threads <= MAX_CTA_THREADS &&
         step->barrier_threads % WARP_LANES == 0;
}

static bool get_event(StepDecoder *decoder, Step *step, uint64_t *addresses, uint8_t event) {
  StepState *state = &decoder->state;
  uint64_t jump = 1;
  if (event & EVENT_JUMPS && !varint_get_signed(&decoder->at, decoder->end, &jump)) return false;
  state->pc += (uint32_t)jump;
  if (event & EVENT_SWAPS_MASK) {
    swap_masks(state);
  } else if (event & EVENT_HAS_MASK) {
    state->other_mask = state->mask;
    if (!get_lanes_mask(decoder, &state->mask)) return false;
  }
  step->pc = state->pc;
  step->mask = state->mask;
  if (step->pc >= decoder->code_count) return false;
  if (event & EVENT_HAS_BARRIER && !get_barrier(decoder, step)) return false;
  if (event & EVENT_IS_PREDICTED) return get_access(decoder, step, addresses, 0);
  if (!(event & EVENT_HAS_ACCESS)) return true;
  return decoder->at < decoder->end && get_access(decoder, step, addresses, *decoder->at++);
}

// A run must not leave the program.
static bool get_run(StepDecoder *decoder) {
  uint64_t run;
  if (!varint_get(&decoder->at, decoder->end, &run)) return false;
  decoder->run = run >> 1;
  return decoder->run && decoder->run < decoder->code_count &&
         decoder->state.pc + decoder->run < decoder->code_count;
}

bool step_decoder_next(StepDecoder *decoder, Step *step, uint64_t *addresses) {
  step->access.mask = step->access.shared = step->access.local = 0;
  step->has_barrier = false;
  if (!decoder->run) {
    if (decoder->at == decoder->end) return false;
    bool is_event = *decoder->at & IS_EVENT;
    bool is_good =
        is_event ? get_event(decoder, step, addresses, *decoder->at++) : get_run(decoder);
    decoder->is_damaged |= !is_good;
    if (!is_good) decoder->at = decoder->end;
    if (!is_good || is_event) return is_good;
  }
  decoder->run--;
  step->pc = ++decoder->state.pc;
  step->mask = decoder->state.mask;
  return true;
}
