// SPDX-License-Identifier: MIT
// The steps of a warp as bytes: what it executed, with which lanes, and which addresses these
// accessed. Encoder and decoder predict from what the warp did before, so that a step that follows
// its predecessor in the code costs a fraction of a byte, and a load in a loop one.
//
//   StepEncoder encoder = {0};                         StepDecoder decoder;
//   step_encoder_add(&encoder, &step, addresses) ...   step_decoder_start(&decoder, bytes, count,
//   n) step_encoder_flush(&encoder)                       step_decoder_next(&decoder, &step,
//   addresses)
//
// A piece of a warp's steps is decoded without the pieces before it.
#ifndef TRACE_STEP_CODEC_H
#define TRACE_STEP_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/instruction.h"

// What a memory instruction did with its addresses.
typedef struct StepAccess {
  uint32_t mask;           // lanes that accessed memory; 0: none did
  uint32_t shared, local;  // of generic addresses: lanes in these windows
  uint8_t space, bytes;    // bytes per lane
  bool is_write, is_atomic;
} StepAccess;

typedef struct Step {
  uint32_t pc;    // index into Program.code
  uint32_t mask;  // lanes that executed it; may be 0
  bool has_barrier;
  uint32_t barrier, barrier_threads;  // of a barrier that it arrived at; 0 threads: all
  StepAccess access;
} Step;

// Whether a lane can access so many bytes of a space: others are not encoded.
bool step_shape_is_valid(uint8_t space, uint8_t bytes);

// What an instruction did last: instructions share entries.
typedef struct StepPrediction {
  uint64_t base, delta, stride;
  uint8_t space, bytes, flags;
} StepPrediction;

enum { STEP_PREDICTIONS = 64 };

typedef struct StepState {
  uint32_t pc, mask, other_mask;
  StepPrediction predictions[STEP_PREDICTIONS];
} StepState;

typedef struct StepEncoder {
  uint8_t *bytes;  // the caller frees them (memory_free)
  size_t used, capacity;
  uint64_t run;  // steps that follow each other and are not yet in bytes
  StepState state;
} StepEncoder;

// addresses: 32, of which those in step->access.mask count.
void step_encoder_add(StepEncoder *encoder, const Step *step, const uint64_t *addresses);
// Completes the bytes of a piece.
void step_encoder_flush(StepEncoder *encoder);
// Begins another one in the same memory.
void step_encoder_restart(StepEncoder *encoder);

typedef struct StepDecoder {
  const uint8_t *at, *end;
  uint64_t run;
  uint32_t code_count;
  bool is_damaged;
  StepState state;
} StepDecoder;

// The bytes stay where they are until the end. code_count: of instructions in the program.
void step_decoder_start(StepDecoder *decoder, const uint8_t *bytes, size_t count,
                        uint32_t code_count);
// False at the end, and if the bytes are not those of steps (is_damaged). Of the addresses only
// those in step->access.mask are set.
bool step_decoder_next(StepDecoder *decoder, Step *step, uint64_t *addresses);

#endif
