// SPDX-License-Identifier: MIT
// Steps of warps: what is written is read back, for any steps, by cursors side by side.
#include "trace/steps.h"

#include <stdlib.h>
#include <string.h>

#include "unit/cmocka_all.h"

static uint64_t random_u64(uint64_t *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return *seed;
}

// Mostly as code is: one after the other, all lanes, regular addresses.
static TraceStep random_step(uint64_t *seed, uint32_t previous) {
  uint64_t kind = random_u64(seed);
  TraceStep step = {.instruction = kind % 4 ? previous + 1 : (uint32_t)random_u64(seed) % 100000,
                    .mask = kind % 8 ? FULL_MASK : (uint32_t)random_u64(seed),
                    .has_access = kind % 3 == 0};
  uint64_t base = random_u64(seed), stride = kind & 0x100 ? 4 : random_u64(seed);
  for (uint32_t i = 0; i < WARP_LANES; i++)
    step.address[i] = kind & 0x200 ? base + i * stride : random_u64(seed);
  return step;
}

static void assert_same(const TraceStep *a, const TraceStep *b) {
  assert_int_equal(a->instruction, b->instruction);
  assert_int_equal(a->mask, b->mask);
  bool has_access = a->has_access && a->mask;
  assert_int_equal(has_access, b->has_access);
  for (uint32_t i = 0; has_access && i < WARP_LANES; i++)
    if (a->mask >> i & 1) assert_int_equal(a->address[i], b->address[i]);
}

static void steps_are_read_back_in_their_order(void **state) {
  (void)state;
  enum { WARPS = 5 };
  static const uint64_t counts[WARPS] = {0, 1, STEPS_PER_CHUNK, STEPS_PER_CHUNK + 1, 5000};
  Steps *steps;
  Error err;
  assert_int_equal(steps_create(&steps, WARPS, &err), OK);
  for (uint32_t w = WARPS; w-- > 0;) {
    uint64_t seed = w + 1;
    uint32_t previous = 0;
    assert_int_equal(steps_begin(steps, w, &err), OK);
    for (uint64_t i = 0; i < counts[w]; i++) {
      TraceStep step = random_step(&seed, previous);
      previous = step.instruction;
      assert_int_equal(steps_add(steps, &step, &err), OK);
    }
    assert_int_equal(steps_end(steps, &err), OK);
  }
  assert_int_equal(steps_count(steps), 1 + 2 * STEPS_PER_CHUNK + 1 + 5000);
  // Side by side, a step of each warp in turn.
  StepCursor *cursors[WARPS];
  uint64_t seeds[WARPS], read[WARPS] = {0};
  uint32_t previous[WARPS] = {0};
  for (uint32_t w = 0; w < WARPS; w++) {
    cursors[w] = step_cursor_open(steps, w);
    seeds[w] = w + 1;
  }
  for (uint64_t i = 0; i <= 5000; i++)
    for (uint32_t w = 0; w < WARPS; w++) {
      TraceStep got = {0};
      if (!step_cursor_next(cursors[w], &got)) continue;
      TraceStep wanted = random_step(&seeds[w], previous[w]);
      previous[w] = wanted.instruction;
      assert_same(&wanted, &got);
      read[w]++;
    }
  for (uint32_t w = 0; w < WARPS; w++) {
    assert_int_equal(read[w], counts[w]);
    step_cursor_close(cursors[w]);
  }
  assert_false(steps_have_failed(steps));
  steps_destroy(steps);
}

static void a_warp_is_written_once_and_within_its_grid(void **state) {
  (void)state;
  Steps *steps;
  Error err;
  TraceStep step = {.instruction = 1, .mask = 1};
  assert_int_equal(steps_create(&steps, 2, &err), OK);
  assert_int_equal(steps_begin(steps, 1, &err), OK);
  assert_int_equal(steps_add(steps, &step, &err), OK);
  assert_int_equal(steps_end(steps, &err), OK);
  assert_int_equal(steps_begin(steps, 1, &err), ERR_SYNTAX);
  assert_int_equal(steps_begin(steps, 2, &err), ERR_SYNTAX);
  steps_destroy(steps);
}

static void straight_code_takes_little_room(void **state) {
  (void)state;
  Steps *steps;
  Error err;
  assert_int_equal(steps_create(&steps, 1, &err), OK);
  assert_int_equal(steps_begin(steps, 0, &err), OK);
  for (uint32_t i = 0; i < 100000; i++) {
    TraceStep step = {.instruction = i % 50, .mask = FULL_MASK, .has_access = i % 10 == 0};
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
      step.address[lane] = UINT64_C(0x7f0000000000) + 128 * i + 4 * lane;
    assert_int_equal(steps_add(steps, &step, &err), OK);
  }
  assert_int_equal(steps_end(steps, &err), OK);
  // Of about 45 bytes per line in a trace of text.
  assert_true(steps_file_bytes(steps) < 100000);
  steps_destroy(steps);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_are_read_back_in_their_order),
      cmocka_unit_test(a_warp_is_written_once_and_within_its_grid),
      cmocka_unit_test(straight_code_takes_little_room),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
