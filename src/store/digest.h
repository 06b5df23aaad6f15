// SPDX-License-Identifier: MIT
// Digests: 64 bits of whatever was added, as sixteen digits (FNV-1a). They tell
// things apart that differ by chance, not by malice.
#ifndef STORE_DIGEST_H
#define STORE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { DIGEST_BYTES = 17 };

uint64_t digest_start(void);
uint64_t digest_add(uint64_t digest, const void *bytes, size_t size_bytes);
// A text with its end, so that "ab" + "c" is not "a" + "bc"; NULL is a text of its own.
uint64_t digest_add_text(uint64_t digest, const char *text);
// The content of a file.
Status digest_add_file(uint64_t *digest, const char *path, Error *err);
const char *digest_print(uint64_t digest, char out[DIGEST_BYTES]);  // returns out

void digest_text(const char *text, char out[DIGEST_BYTES]);

#endif
