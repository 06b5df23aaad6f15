// SPDX-License-Identifier: MIT
// What arrives within half a second of a request to stop is the same request.
#include "base/signals.h"

#include <time.h>

#include "unit/cmocka_all.h"

static void the_same_request_is_told_from_another(void **state) {
  (void)state;
  assert_false(signal_is_repeated());
  assert_true(signal_is_repeated());
  struct timespec half_a_second = {.tv_nsec = 510000000};
  nanosleep(&half_a_second, NULL);
  assert_false(signal_is_repeated());
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_request_is_told_from_another)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
