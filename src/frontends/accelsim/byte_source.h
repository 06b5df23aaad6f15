// SPDX-License-Identifier: MIT
// The bytes of a file that may be compressed: plain, gzip, xz or Zstandard, told apart by their
// first bytes, not by the name. Read as a stream, in bounded memory.
#ifndef FRONTENDS_ACCELSIM_BYTE_SOURCE_H
#define FRONTENDS_ACCELSIM_BYTE_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct ByteSource ByteSource;

Status byte_source_open(ByteSource **source, const char *path, Error *err);
// Up to size_bytes; *got is 0 only at the end. A file that ends in the middle of a compressed
// stream is an error.
Status byte_source_read(ByteSource *source, void *bytes, size_t size_bytes, size_t *got,
                        Error *err);
void byte_source_close(ByteSource *source);

#endif
