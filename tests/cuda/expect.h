// SPDX-License-Identifier: MIT
// Counting what is not as it should be; for programs of the runtime and of the driver API.
#ifndef EXPECT_H
#define EXPECT_H

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define EXPECT(condition)                                                       \
  do {                                                                          \
    if (!(condition)) {                                                         \
      if (failures++ < 5)                                                       \
        fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
    }                                                                           \
  } while (0)

static int failures = 0;

static inline int finish(const char *name) {
  printf("%s: %s\n", name, failures ? "FAILED" : "PASSED");
  return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
