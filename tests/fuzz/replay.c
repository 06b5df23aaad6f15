// SPDX-License-Identifier: MIT
// Stands in for libFuzzer where there is none, as in `make test`: feeds the
// seeds to a fuzzer's function, each as it is, then damaged, always in the same way.
//
//   NAME_fuzz RUNS FILE...    RUNS: how many damaged inputs, over all files
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files/file.h"
#include "base/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
    __attribute__((weak));

enum { SPARE_BYTES = 4096, SEED_LIMIT_BYTES = 1 << 20 };

static uint64_t random_state = 88172645463325252u;

static size_t random_below(size_t limit) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (size_t)(random_state >> 11) % limit;
}

static size_t cut_out(uint8_t *data, size_t size, size_t at) {
  size_t length = 1 + random_below(size - at < 16 ? size - at : 16);
  memmove(data + at, data + at + length, size - at - length);
  return size - length;
}

static size_t repeat(uint8_t *data, size_t size, size_t max_size, size_t at) {
  size_t length = 1 + random_below(size - at < 64 ? size - at : 64);
  if (size + length > max_size) return size;
  memmove(data + at + length, data + at, size - at);
  return size + length;
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size) {
  if (!size) {
    data[0] = (uint8_t)random_below(256);
    return 1;
  }
  size_t at = random_below(size);
  switch (random_below(6)) {
    case 0: data[at] = (uint8_t)random_below(256); return size;
    case 1: data[at] ^= (uint8_t)(1 << random_below(8)); return size;
    case 2: data[at] = (uint8_t)(" \n.,:;=+-[](){}\"'%$#0"[random_below(22)]); return size;
    case 3: return cut_out(data, size, at);
    case 4: return repeat(data, size, max_size, at);
    default: return random_below(8) ? size : at;  // what is behind it is lost
  }
}

// Exactly as long as the input, so that a sanitizer sees a step over its end.
static void feed(const uint8_t *data, size_t size) {
  uint8_t *exact = malloc(size ? size : 1);
  if (!exact) abort();
  memcpy(exact, data, size);
  LLVMFuzzerTestOneInput(exact, size);
  free(exact);
}

static void feed_damaged(const uint8_t *seed, size_t size) {
  size_t most = size + SPARE_BYTES;
  uint8_t *data = memory_alloc(most);
  memcpy(data, seed, size);
  for (size_t left = 1 + random_below(4); left; left--)
    size = LLVMFuzzerCustomMutator
               ? LLVMFuzzerCustomMutator(data, size, most, (unsigned)random_below(1u << 31))
               : LLVMFuzzerMutate(data, size, most);
  feed(data, size);
  memory_free(data);
}

static int replay(const char *path, size_t runs) {
  char *text;
  size_t size;
  Error err;
  if (file_read(path, SEED_LIMIT_BYTES, &text, &size, &err) != OK) {
    fprintf(stderr, "%s\n", err.text);
    return 1;
  }
  feed((const uint8_t *)text, size);
  for (size_t i = 0; i < runs; i++) feed_damaged((const uint8_t *)text, size);
  memory_free(text);
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: %s RUNS FILE...\n", argv[0]);
    return 2;
  }
  size_t runs = strtoul(argv[1], NULL, 10), files = (size_t)argc - 2;
  feed((const uint8_t *)"", 0);
  for (size_t i = 0; i < files; i++)
    if (replay(argv[2 + i], (runs + files - 1) / files)) return 1;
  return 0;
}
