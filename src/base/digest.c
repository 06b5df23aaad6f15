// SPDX-License-Identifier: MIT
// Digests: 64-bit hashes of the added data, as sixteen digits (FNV-1a).
#include "base/digest.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

uint64_t digest_start(void) {
  return 0xcbf29ce484222325u;
}

uint64_t digest_add(uint64_t digest, const void *bytes, size_t size_bytes) {
  const unsigned char *at = bytes;
  for (size_t i = 0; i < size_bytes; i++) digest = (digest ^ at[i]) * 0x100000001b3u;
  return digest;
}

uint64_t digest_add_text(uint64_t digest, const char *text) {
  return text ? digest_add(digest, text, strlen(text) + 1) : digest_add(digest, "\xff", 1);
}

Status digest_add_file(uint64_t *digest, const char *path, Error *err) {
  unsigned char piece[1 << 16];
  size_t length;
  FILE *file = fopen(path, "rb");
  if (!file) return error_set(err, ERR_IO, "cannot open %s: %s", path, strerror(errno));
  while ((length = fread(piece, 1, sizeof piece, file)) > 0)
    *digest = digest_add(*digest, piece, length);
  bool failed = ferror(file);
  fclose(file);
  return failed ? error_set(err, ERR_IO, "cannot read %s: %s", path, strerror(errno)) : OK;
}

const char *digest_print(uint64_t digest, char out[DIGEST_BYTES]) {
  snprintf(out, DIGEST_BYTES, "%016llx", (unsigned long long)digest);
  return out;
}

void digest_text(const char *text, char out[DIGEST_BYTES]) {
  digest_print(digest_add_text(digest_start(), text), out);
}
