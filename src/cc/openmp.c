// SPDX-License-Identifier: MIT
// Asks clang for omp.h, which comes with its OpenMP library: it prints a whole path if it has the
// header, and the words of the question otherwise. The library itself it finds in other ways.
#include "cc/openmp.h"

#include <string.h>

#include "base/files/file.h"
#include "base/memory.h"

enum { MAX_PATH_BYTES = 1 << 16 };

static bool uses_openmp(const Words *options) {
  for (int i = 0; i < options->count; i++)
    if (strcmp(options->items[i], "-fopenmp") == 0) return true;
  return false;
}

static bool has_library(Build *build) {
  const char *output = build_temporary(build, ".txt");
  Words words = {0};
  Error ignored;
  words_add(&words, "%s", build->toolchain->clang);
  words_add(&words, "-print-file-name=include/omp.h");
  Status status = build_run(build, &words, output, "", &ignored);
  words_clear(&words);
  char *path;
  size_t length;
  if (status != OK || file_read(output, MAX_PATH_BYTES, &path, &length, &ignored) != OK)
    return true;
  bool has = path[0] == '/';
  memory_free(path);
  return has;
}

Status openmp_explain(Build *build, Status status, Error *err) {
  if (status == OK || !uses_openmp(&build->request->link) || has_library(build)) return status;
  return error_set(err, status,
                   "%s: -fopenmp needs clang's OpenMP library (libomp), which is missing; install "
                   "libomp-dev, or that of your clang's version",
                   build->toolchain->clang);
}
