// SPDX-License-Identifier: MIT
// Device code from files.
#ifndef CUDADRIVER_FILES_H
#define CUDADRIVER_FILES_H

#include "cudadriver/api.h"

// Reads a file; zeros follow its bytes. The caller frees.
CUresult file_read(const char *path, char **bytes, size_t *length);
// Whether an image ends before it says.
bool image_is_cut(const void *image, size_t length);

#endif
