// SPDX-License-Identifier: MIT
// Names and texts of errors.
#include "cudart/api.h"

static const struct ErrorText {
  int number;
  const char *name, *text;
} error_texts[] = {
#define CUDA_ERROR(number, name, text) {number, #name, text},
#include "cudart/errors.def"
#undef CUDA_ERROR
};

static const struct ErrorText *find(int number) {
  for (size_t i = 0; i < sizeof error_texts / sizeof *error_texts; i++)
    if (error_texts[i].number == number) return &error_texts[i];
  return NULL;
}

EXPORT const char *cudaGetErrorName(int number) {
  const struct ErrorText *found = find(number);
  return found ? found->name : "unrecognized error code";
}

EXPORT const char *cudaGetErrorString(int number) {
  const struct ErrorText *found = find(number);
  return found ? found->text : "unrecognized error code";
}
