// SPDX-License-Identifier: MIT
// Reads device code from files and rejects truncated images.
#include "cudadriver/files.h"

#include <stdio.h>
#include <stdlib.h>

enum { ZEROS = 64 };  // more than any header

CUresult file_read(const char *path, char **bytes, size_t *length) {
  FILE *file = path ? fopen(path, "rb") : NULL;
  if (!file) return path ? CUDA_ERROR_FILE_NOT_FOUND : CUDA_ERROR_INVALID_VALUE;
  size_t room = 1 << 16, used = 0, got;
  char *text = calloc(1, room);
  while (text && (got = fread(text + used, 1, room - used - ZEROS, file))) {
    used += got;
    if (room - used > ZEROS) continue;
    char *larger = realloc(text, room * 2);
    if (!larger) free(text);
    text = larger;
    room *= 2;
  }
  bool failed = ferror(file);
  fclose(file);
  if (!text) return CUDA_ERROR_OUT_OF_MEMORY;
  if (failed) {  // a directory, for one
    free(text);
    return CUDA_ERROR_FILE_NOT_FOUND;
  }
  for (size_t i = 0; i < ZEROS; i++) text[used + i] = 0;
  *bytes = text;
  *length = used;
  return CUDA_SUCCESS;
}

bool image_is_cut(const void *image, size_t length) {
  return device_image_bytes(image) > length;
}
