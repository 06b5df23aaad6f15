// SPDX-License-Identifier: MIT
// Configurations: shipped GPUs, files, overrides, occupancy.
#include "gpu/config/gpu_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sm/sm.h"
#include "unit/cmocka_all.h"

static void every_shipped_gpu_loads_under_its_own_name(void **state) {
  (void)state;
  char name[GPU_NAME_BYTES];
  size_t count = 0;
  for (; gpu_config_shipped(count, name); count++) {
    GpuConfig config;
    Error err = {0};
    if (gpu_config_load(&config, name, &err) != OK) fail_msg("%s", err.text);
    assert_string_equal(config.gpu.name, name);
  }
  assert_true(count >= 2);
}

static void gtx480_has_the_values_of_its_file(void **state) {
  (void)state;
  GpuConfig config;
  assert_int_equal(gpu_config_load(&config, "gtx480", NULL), OK);
  assert_int_equal(config.gpu.sm_count, 15);
  assert_int_equal(config.gpu.core_clock_mhz, 700);
  assert_int_equal(config.sm.max_warps, 48);
  assert_int_equal(config.sm.registers, 32768);
  assert_int_equal(config.run.max_instructions, 0);
}

static void a_path_is_read_and_assignments_override_it(void **state) {
  (void)state;
  char path[] = "/tmp/heddle_gpu_XXXXXX.cfg";
  int file = mkstemps(path, 4);
  const char text[] = "[gpu]\nsm_count = 3\n";
  assert_int_equal(write(file, text, sizeof text - 1), sizeof text - 1);
  close(file);
  GpuConfig config;
  assert_int_equal(gpu_config_load(&config, path, NULL), OK);
  remove(path);
  assert_int_equal(config.gpu.sm_count, 3);
  assert_int_equal(config.sm.max_ctas, 8);
  assert_int_equal(gpu_config_assign(&config, "gpu.sm_count=4", NULL), OK);
  assert_int_equal(config.gpu.sm_count, 4);
}

static void an_unknown_gpu_gets_a_suggestion(void **state) {
  (void)state;
  GpuConfig config;
  Error err;
  assert_int_equal(gpu_config_load(&config, "gtx48", &err), ERR_CONFIG);
  assert_non_null(strstr(err.text, "unknown GPU 'gtx48'; did you mean 'gtx480'?"));
}

static uint32_t fit(uint32_t threads, uint32_t registers, uint32_t shared) {
  GpuConfig config;
  gpu_config_load(&config, "gtx480", NULL);
  Function kernel = {.registers = registers};
  Launch launch = {.kernel = &kernel, .grid = {1, 1, 1}, .block = {threads, 1, 1},
                   .dynamic_shared_bytes = shared};
  return sm_max_ctas(&config.sm, &launch);
}

static void occupancy_is_what_the_scarcest_resource_allows(void **state) {
  (void)state;
  assert_int_equal(fit(32, 1, 0), 8);       // CTA slots
  assert_int_equal(fit(256, 10, 0), 6);     // 48 warps
  assert_int_equal(fit(257, 10, 0), 5);     // a thread more is a warp more
  assert_int_equal(fit(256, 64, 2048), 2);  // 32768 registers
  assert_int_equal(fit(256, 21, 0), 5);     // 21 count as 24
  assert_int_equal(fit(64, 8, 20000), 2);   // 48 KB
  assert_int_equal(fit(1024, 63, 0), 0);    // not even one
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_shipped_gpu_loads_under_its_own_name),
      cmocka_unit_test(gtx480_has_the_values_of_its_file),
      cmocka_unit_test(a_path_is_read_and_assignments_override_it),
      cmocka_unit_test(an_unknown_gpu_gets_a_suggestion),
      cmocka_unit_test(occupancy_is_what_the_scarcest_resource_allows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
