// SPDX-License-Identifier: MIT
// A run thirty times as long takes thirty times as long and no more memory.
// `make bench GROWTH=1` goes further and is stricter; here the host may have
// other things to do, so only what grows faster than the run is found.
#include "unit/cmocka_all.h"

#include <stdlib.h>

#include "support/growth.h"

static void cost_follows_the_length_of_a_run(void **state) {
  (void)state;
  const char *heddle = getenv("HEDDLE");
  if (!heddle) skip();
  for (int k = 0; k < GROWTH_KINDS; k++) {
    GrowthPoint few, many;
    Error err;
    const GrowthKind *kind = &growth_kinds[k];
    if (growth_measure(kind, heddle, "tests/reference", 100000, &few, &err) != OK ||
        growth_measure(kind, heddle, "tests/reference", 3000000, &many, &err) != OK)
      fail_msg("%s: %s", kind->name, err.text);
    assert_in_range(few.warp_instructions, 60000, 200000);
    assert_in_range(many.warp_instructions, 2000000, 5000000);
    assert_true(many.seconds_an_instruction < 1.6 * few.seconds_an_instruction);
    assert_true(many.peak_mb < few.peak_mb + 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(cost_follows_the_length_of_a_run)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
