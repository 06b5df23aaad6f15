// SPDX-License-Identifier: MIT
// Digests: 64-bit hashes of the added data, as sixteen digits (FNV-1a). They are not
// cryptographic.
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { DIGEST_BYTES = 17 };

uint64_t digest_start(void);
uint64_t digest_add(uint64_t digest, const void *bytes, size_t size_bytes);
// Adds a text and its terminator, so that "ab" + "c" differs from "a" + "bc"; NULL differs
// from every text.
uint64_t digest_add_text(uint64_t digest, const char *text);
// The content of a file.
Status digest_add_file(uint64_t *digest, const char *path, Error *err);
const char *digest_print(uint64_t digest, char out[DIGEST_BYTES]);  // returns out

void digest_text(const char *text, char out[DIGEST_BYTES]);

#endif
