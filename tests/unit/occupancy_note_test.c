// SPDX-License-Identifier: MIT
// The sentence on what limits occupancy.
#include "report/occupancy_note.h"

#include "unit/cmocka_all.h"

static char note[OCCUPANCY_NOTE_BYTES];

static void expect(const KernelResult *kernel, const char *text) {
  assert_string_equal(occupancy_note(kernel, 80, note), text);
}

static void each_resource_is_named_with_what_the_kernel_takes_of_it(void **state) {
  (void)state;
  KernelResult kernel = {
      .limit = {.by = "registers", .used = 40, .relaxed = 32, .relaxed_ctas = 8}};
  expect(&kernel, "limited by registers (40 per thread; 32 would allow 8 CTAs per SM)");
  kernel.limit.relaxed = 0;
  expect(&kernel, "limited by registers (40 per thread)");
  kernel.limit =
      (OccupancyLimit){.by = "shared_memory", .used = 12288, .relaxed = 9216, .relaxed_ctas = 5};
  expect(&kernel,
         "limited by shared memory (12,288 bytes per CTA; 9,216 would allow 5 CTAs per SM)");
  kernel.limit = (OccupancyLimit){.by = "warps", .used = 10, .available = 48};
  expect(&kernel, "limited by warp slots (10 warps per CTA, 48 per SM)");
  kernel.limit = (OccupancyLimit){.by = "ctas", .available = 8};
  expect(&kernel, "limited by CTA slots (8 per SM)");
  kernel.limit = (OccupancyLimit){0};
  expect(&kernel, "");
}

static void a_small_grid_is_named_first(void **state) {
  (void)state;
  uint64_t counters = 0;
  KernelResult kernel = {.stats = &counters, .sms = 40};
  kernel.limit = (OccupancyLimit){
      .by = "registers", .used = 64, .grid_is_small = true, .grid_ctas = 40, .gpu_ctas = 320};
  expect(&kernel, "limited by the grid of 40 CTAs for 80 SMs: 40 SMs idle");
  assert_int_equal(kernel_idle_sms(&kernel, 80), 40);
  kernel.limit.grid_ctas = 1;
  kernel.sms = 1;
  expect(&kernel, "limited by the grid of 1 CTA for 80 SMs: 79 SMs idle");
  kernel.limit.grid_ctas = 144;
  kernel.sms = 80;
  expect(&kernel,
         "limited by the grid of 144 CTAs (320 fit the GPU), then by registers (64 per thread)");
  kernel.limit.by = "warps";
  kernel.limit.used = 8;
  kernel.limit.available = 64;  // 8 CTAs fill it
  expect(&kernel, "limited by the grid of 144 CTAs (320 fit the GPU)");
}

// Without timing no CTA has an SM: as many are idle as there are too few CTAs.
static void without_timing_idle_sms_follow_from_the_grid(void **state) {
  (void)state;
  KernelResult kernel = {.limit = {.by = "warps", .grid_ctas = 30}};
  assert_int_equal(kernel_idle_sms(&kernel, 80), 50);
  kernel.limit.grid_ctas = UINT64_C(1) << 40;
  assert_int_equal(kernel_idle_sms(&kernel, 80), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_resource_is_named_with_what_the_kernel_takes_of_it),
      cmocka_unit_test(a_small_grid_is_named_first),
      cmocka_unit_test(without_timing_idle_sms_follow_from_the_grid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
