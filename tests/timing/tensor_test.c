// SPDX-License-Identifier: MIT
// Rows of `make microbenchmarks` on tensor cores, copies and clusters: still within 10 % of what
// was published.
#include <string.h>

#include "support/micro_published.h"
#include "support/micro_quantity.h"
#include "unit/cmocka_all.h"

static const char folder[] = "bench/microbenchmarks";

static void check(Status status, const Error *err) {
  if (status != OK) fail_msg("%s", err->text);
}

static const MicroQuantity *find(const char *name) {
  for (const MicroQuantity *quantity = micro_tensor_quantities; quantity->name; quantity++)
    if (strcmp(quantity->name, name) == 0) return quantity;
  fail_msg("no quantity %s", name);
  return NULL;
}

static void check_rows(const char *gpu, const char *const *names) {
  Error err;
  GpuConfig config;
  MicroPublished published = {0};
  check(gpu_config_load(&config, gpu, &err), &err);
  check(micro_published_read(&published, "bench/microbenchmarks/published.tsv", &err), &err);
  for (; *names; names++) {
    const MicroQuantity *quantity = find(*names);
    MicroRange range = micro_published_range(&published, gpu, *names);
    double value;
    assert_true(range.count > 0);
    check(quantity->measure(quantity, folder, &config, &value, &err), &err);
    if (value < range.low * 0.9 || value > range.high * 1.1)
      fail_msg("%s: %s is %g, published are %g to %g", gpu, *names, value, range.low, range.high);
  }
  micro_published_clear(&published);
}

static void tensor_cores_are_as_fast_as_published(void **state) {
  (void)state;
  static const char *const a100[] = {"mma m16n8k8 f16/f32 latency",  "mma m16n8k16 f16/f32 latency",
                                     "mma m16n8k16 f16/f32 rate",    "mma m16n8k8 tf32 rate",
                                     "mma sp m16n8k32 f16/f32 rate", "mma m16n8k64 s4 rate",
                                     "mma m16n8k256 b1 rate",        NULL};
  static const char *const h100[] = {"mma m16n8k16 f16/f32 latency", "mma m16n8k16 f16/f32 rate",
                                     "mma m16n8k32 s8 rate",         "wgmma m64n256k16 latency",
                                     "wgmma m64n64k16 latency",      NULL};
  static const char *const rtx4090[] = {"mma m16n8k16 f16/f16 latency", "mma m16n8k16 f16/f32 rate",
                                        NULL};
  check_rows("a100", a100);
  check_rows("h100", h100);
  check_rows("rtx4090", rtx4090);
}

static void clusters_and_copies_are_as_fast_as_published(void **state) {
  (void)state;
  static const char *const h100[] = {"remote shared latency", "bulk copy latency", NULL};
  check_rows("h100", h100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tensor_cores_are_as_fast_as_published),
      cmocka_unit_test(clusters_and_copies_are_as_fast_as_published),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
