// SPDX-License-Identifier: MIT
// Steps as bytes: what is encoded is decoded, in few bytes where it is regular; damaged bytes give
// steps within the program, or an end.
#include "trace/step_codec.h"

#include <string.h>

#include "base/memory.h"
#include "unit/cmocka_all.h"

enum { CODE = 5000 };

static uint64_t random_u64(uint64_t *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return *seed;
}

// Mostly as code is: one after the other, all lanes, regular addresses.
static Step random_step(uint64_t *seed, uint32_t previous, uint64_t *address) {
  uint64_t kind = random_u64(seed);
  Step step = {
      .pc = kind % 4 && previous + 1 < CODE ? previous + 1 : (uint32_t)random_u64(seed) % CODE,
      .mask = kind % 8 ? FULL_MASK : (uint32_t)random_u64(seed)};
  if (kind % 32 == 1 && step.mask) {
    step.has_barrier = true;
    step.barrier = (uint32_t)(kind >> 8) % 16;
    step.barrier_threads = kind & 0x10000 ? 64 : 0;
  }
  if (kind % 3 || !step.mask) return step;
  uint64_t base = random_u64(seed), stride = kind & 0x100 ? 4 : random_u64(seed);
  for (uint32_t i = 0; i < WARP_LANES; i++)
    address[i] = kind & 0x200 ? base + i * stride : random_u64(seed);
  step.access = (StepAccess){.mask = kind & 0x400 ? step.mask : step.mask & (0 - step.mask),
                             .space = kind & 0x800 ? SPACE_GLOBAL : SPACE_GENERIC,
                             .bytes = (uint8_t)(1u << (kind >> 20) % 6),
                             .is_write = kind & 0x1000,
                             .is_atomic = kind & 0x2000};
  if (kind & 0x4000) step.access.shared = step.access.mask;
  return step;
}

static void assert_same(const Step *a, const uint64_t *from, const Step *b, const uint64_t *to) {
  assert_int_equal(a->pc, b->pc);
  assert_int_equal(a->mask, b->mask);
  assert_int_equal(a->has_barrier, b->has_barrier);
  if (a->has_barrier) assert_int_equal(a->barrier, b->barrier);
  if (a->has_barrier) assert_int_equal(a->barrier_threads, b->barrier_threads);
  assert_int_equal(a->access.mask, b->access.mask);
  if (!a->access.mask) return;
  assert_int_equal(a->access.shared, b->access.shared);
  assert_int_equal(a->access.space, b->access.space);
  assert_int_equal(a->access.bytes, b->access.bytes);
  assert_int_equal(a->access.is_write, b->access.is_write);
  assert_int_equal(a->access.is_atomic, b->access.is_atomic);
  for (uint32_t i = 0; i < WARP_LANES; i++)
    if (a->access.mask >> i & 1) assert_int_equal(from[i], to[i]);
}

static void encode(StepEncoder *encoder, uint64_t seed, uint32_t count) {
  uint64_t address[WARP_LANES];
  uint32_t previous = 0;
  for (uint32_t i = 0; i < count; i++) {
    Step step = random_step(&seed, previous, address);
    previous = step.pc;
    step_encoder_add(encoder, &step, address);
  }
  step_encoder_flush(encoder);
}

static void steps_are_decoded_as_they_were_encoded(void **state) {
  (void)state;
  enum { COUNT = 20000 };
  StepEncoder encoder = {0};
  for (int round = 0; round < 2; round++) {  // the second in the memory of the first
    uint64_t seed = 17 + (uint64_t)round, from[WARP_LANES], to[WARP_LANES];
    uint32_t previous = 0;
    Step decoded;
    StepDecoder decoder;
    step_encoder_restart(&encoder);
    encode(&encoder, seed, COUNT);
    step_decoder_start(&decoder, encoder.bytes, encoder.used, CODE);
    for (uint32_t i = 0; i < COUNT; i++) {
      Step step = random_step(&seed, previous, from);
      previous = step.pc;
      assert_true(step_decoder_next(&decoder, &decoded, to));
      assert_same(&step, from, &decoded, to);
    }
    assert_false(step_decoder_next(&decoder, &decoded, to));
    assert_false(decoder.is_damaged);
  }
  memory_free(encoder.bytes);
}

// A loop of ten instructions with a load that moves on: a byte for the load, one for the jump and
// those around it.
static void a_regular_loop_takes_few_bytes(void **state) {
  (void)state;
  enum { ROUNDS = 1000, BODY = 10 };
  StepEncoder encoder = {0};
  uint64_t address[WARP_LANES];
  for (uint64_t round = 0; round < ROUNDS; round++)
    for (uint32_t pc = 0; pc < BODY; pc++) {
      Step step = {.pc = 100 + pc, .mask = FULL_MASK};
      if (pc == 4) step.access = (StepAccess){.mask = FULL_MASK, .space = SPACE_GLOBAL, .bytes = 4};
      for (uint64_t i = 0; i < WARP_LANES; i++) address[i] = 0x70000000 + 4096 * round + 4 * i;
      step_encoder_add(&encoder, &step, address);
    }
  step_encoder_flush(&encoder);
  assert_in_range(encoder.used, 3 * ROUNDS, 6 * ROUNDS);
  memory_free(encoder.bytes);
}

static void damaged_bytes_stay_within_the_program(void **state) {
  (void)state;
  enum { COUNT = 400 };
  StepEncoder encoder = {0};
  uint64_t seed = 5, address[WARP_LANES];
  uint32_t damaged = 0;
  encode(&encoder, 99, COUNT);
  for (uint32_t trial = 0; trial < 4000; trial++) {
    StepDecoder decoder;
    Step step;
    size_t at = random_u64(&seed) % encoder.used, count = encoder.used;
    uint8_t before = encoder.bytes[at];
    encoder.bytes[at] = (uint8_t)random_u64(&seed);
    if (trial % 4 == 0) count = at;  // cut off
    step_decoder_start(&decoder, encoder.bytes, count, CODE);
    for (uint32_t i = 0; i < 100000 && step_decoder_next(&decoder, &step, address); i++) {
      assert_in_range(step.pc, 0, CODE - 1);
      assert_int_equal(step.access.mask & ~step.mask, 0);
      if (step.access.mask) assert_true(step_shape_is_valid(step.access.space, step.access.bytes));
      if (step.has_barrier) assert_in_range(step.barrier, 0, 15);
    }
    damaged += decoder.is_damaged;
    encoder.bytes[at] = before;
  }
  assert_in_range(damaged, 100, 4000);
  memory_free(encoder.bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_are_decoded_as_they_were_encoded),
      cmocka_unit_test(a_regular_loop_takes_few_bytes),
      cmocka_unit_test(damaged_bytes_stay_within_the_program),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
