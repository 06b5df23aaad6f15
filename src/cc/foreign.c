// SPDX-License-Identifier: MIT
#include "cc/foreign.h"

#include <string.h>

static const struct {
  const char *header;  // how its name begins
  const char *library;
} libraries[] = {
    {"thrust/", "Thrust"}, {"cub/", "CUB"},    {"cuda/", "libcu++"},     {"curand", "cuRAND"},
    {"cublas", "cuBLAS"},  {"cufft", "cuFFT"}, {"cusparse", "cuSPARSE"}, {"cusolver", "cuSOLVER"},
    {"cudnn", "cuDNN"},    {"nccl", "NCCL"},   {"npp", "NPP"},           {"nvToolsExt", "NVTX"},
    {"nvtx3/", "NVTX"},    {"nvrtc", "NVRTC"}, {"cutlass/", "CUTLASS"},
};

static const char *behind_space(const char *at) {
  return at + strspn(at, " \t");
}

// The name behind #include, its mark left out; NULL if this line has none.
static const char *included(const char *line) {
  line = behind_space(line);
  if (*line != '#') return NULL;
  line = behind_space(line + 1);
  if (strncmp(line, "include", 7) != 0) return NULL;
  line = behind_space(line + 7);
  return *line == '<' || *line == '"' ? line + 1 : NULL;
}

const char *foreign_library(const char *source) {
  for (const char *line = source; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
    const char *name = included(line);
    if (!name) continue;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
      if (strncmp(name, libraries[i].header, strlen(libraries[i].header)) == 0)
        return libraries[i].library;
  }
  return NULL;
}
