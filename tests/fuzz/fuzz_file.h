// SPDX-License-Identifier: MIT
// An input as a file, for readers that take a path.
#ifndef FUZZ_FUZZ_FILE_H
#define FUZZ_FUZZ_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// The path of a file with these bytes, until the next call.
static inline const char *fuzz_file(const uint8_t *data, size_t size) {
  static FILE *file;
  static char path[64];
  if (!file) {
    file = tmpfile();
    if (!file) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
  }
  rewind(file);
  if (ftruncate(fileno(file), 0) != 0 || fwrite(data, 1, size, file) != size || fflush(file) != 0)
    abort();
  return path;
}

#endif
