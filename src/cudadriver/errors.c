// SPDX-License-Identifier: MIT
// Names and texts of errors.
#include "cudadriver/api.h"

static const struct ErrorText {
  CUresult number;
  const char *name, *text;
} error_texts[] = {
#define DRIVER_ERROR(name, text) {name, #name, text},
#include "cudadriver/errors.def"
#undef DRIVER_ERROR
};

static const struct ErrorText *find(CUresult number) {
  for (size_t i = 0; i < sizeof error_texts / sizeof *error_texts; i++)
    if (error_texts[i].number == number) return &error_texts[i];
  return NULL;
}

EXPORT CUresult cuGetErrorName(CUresult number, const char **name) {
  const struct ErrorText *found = find(number);
  NEED_VALUE(name);
  *name = found ? found->name : NULL;
  return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuGetErrorString(CUresult number, const char **text) {
  const struct ErrorText *found = find(number);
  NEED_VALUE(text);
  *text = found ? found->text : NULL;
  return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
