// SPDX-License-Identifier: MIT
// Recognises headers of NVIDIA libraries that heddle cc does not provide, for error messages.
#include "cc/foreign.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct {
  const char *header;  // how its name begins
  const char *library;
} libraries[] = {
    {"thrust/", "Thrust"}, {"cub/", "CUB"},  {"cuda/", "libcu++"}, {"cusolverMg", "cuSOLVERMg"},
    {"cudnn", "cuDNN"},    {"nccl", "NCCL"}, {"npp", "NPP"},       {"cutlass/", "CUTLASS"},
};

// Debian has Thrust, CUB and libcu++.
static bool is_installed(const IncludeLine *line) {
  char path[512];
  size_t shown = line->length < sizeof path ? line->length : sizeof path;
  int length = snprintf(path, sizeof path, "/usr/include/%.*s", (int)shown, line->name);
  return length < (int)sizeof path && access(path, R_OK) == 0;
}

const char *foreign_library(const IncludeLine *line) {
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
    if (strncmp(line->name, libraries[i].header, strlen(libraries[i].header)) == 0)
      return is_installed(line) ? NULL : libraries[i].library;
  return NULL;
}
