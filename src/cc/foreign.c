// SPDX-License-Identifier: MIT
// Recognises headers of NVIDIA libraries that heddle cc does not provide, for error messages.
#include "cc/foreign.h"

#include <string.h>

static const struct {
  const char *header;  // how its name begins
  const char *library;
} libraries[] = {
    {"thrust/", "Thrust"}, {"cub/", "CUB"},  {"cuda/", "libcu++"}, {"cusolver", "cuSOLVER"},
    {"cudnn", "cuDNN"},    {"nccl", "NCCL"}, {"npp", "NPP"},       {"cutlass/", "CUTLASS"},
};

const char *foreign_library(const IncludeLine *line) {
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
    if (strncmp(line->name, libraries[i].header, strlen(libraries[i].header)) == 0)
      return libraries[i].library;
  return NULL;
}
