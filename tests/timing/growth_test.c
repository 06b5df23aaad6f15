// SPDX-License-Identifier: MIT
// An instruction late in a run costs what one early in it does, and no memory.
// `make bench GROWTH=1` goes to 1e8 instructions and is stricter; here the host
// may have other things to do, so only what really grows is found.
#include "unit/cmocka_all.h"

#include "support/growth.h"

static void cost_does_not_grow_along_a_run(void **state) {
  (void)state;
  for (int k = 0; k < GROWTH_KINDS; k++) {
    GrowthDecade decades[GROWTH_DECADES];
    uint32_t count;
    Error err;
    if (growth_measure(&growth_kinds[k], "tests/reference", 3000000, decades, &count, &err) != OK)
      fail_msg("%s: %s", growth_kinds[k].name, err.text);
    assert_int_equal(count, 2);
    assert_in_range(decades[1].last, 2500000, 4000000);
    assert_true(decades[0].windows >= 2);
    assert_true(decades[1].seconds_an_instruction < 1.5 * decades[0].seconds_an_instruction);
    assert_true(decades[1].resident_mb < decades[0].resident_mb + 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(cost_does_not_grow_along_a_run)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
