// SPDX-License-Identifier: MIT
// What those who rewrite clang's texts print.
#ifndef TESTS_UNIT_CC_TEXT_SUPPORT_H
#define TESTS_UNIT_CC_TEXT_SUPPORT_H

#include <stdio.h>
#include <stdlib.h>

#include "unit/cmocka_all.h"

static inline void assert_rewritten(void (*print)(const char *text, FILE *file), const char *text,
                                    const char *expected) {
  char *printed;
  size_t length;
  FILE *file = open_memstream(&printed, &length);
  print(text, file);
  fclose(file);
  assert_string_equal(printed, expected);
  free(printed);
}

#endif
