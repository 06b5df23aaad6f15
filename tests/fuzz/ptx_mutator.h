// SPDX-License-Identifier: MIT
// Mutations of PTX that keep most of a module's shape: tokens and lines move.
#ifndef FUZZ_PTX_MUTATOR_H
#define FUZZ_PTX_MUTATOR_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

typedef struct Piece {
  size_t at, length;
} Piece;

static int is_word(uint8_t c) {
  return c == '.' || c == '%' || c == '_' || c == '$' || (c >= '0' && c <= '9') ||
         (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static Piece word_near(const uint8_t *data, size_t size, size_t at) {
  while (at < size && !is_word(data[at])) at++;
  size_t begin = at, end = at;
  while (begin > 0 && is_word(data[begin - 1])) begin--;
  while (end < size && is_word(data[end])) end++;
  return (Piece){begin, end - begin};
}

static Piece line_near(const uint8_t *data, size_t size, size_t at) {
  size_t begin = at, end = at;
  while (begin > 0 && data[begin - 1] != '\n') begin--;
  while (end < size && data[end] != '\n') end++;
  if (end < size) end++;
  return (Piece){begin, end - begin};
}

// Puts other bytes, which may come from the same text, into the place of some.
static size_t replace(uint8_t *data, size_t size, size_t max_size, Piece old, const void *with,
                      size_t length) {
  uint8_t copy[4096];
  if (size - old.length + length > max_size || length > sizeof copy) return size;
  memcpy(copy, with, length);
  memmove(data + old.at + length, data + old.at + old.length, size - old.at - old.length);
  memcpy(data + old.at, copy, length);
  return size - old.length + length;
}

static const char *pick(const char *const *list, size_t count) {
  return list[(size_t)rand() % count];
}
#define PICK(list) pick(list, sizeof list / sizeof *list)

// Another type at the end of an opcode or a declaration.
static size_t change_type(uint8_t *data, size_t size, size_t max_size, Piece word) {
  static const char *const types[] = {"u8",  "u16", "u32", "u64", "s8",   "s16",  "s32",
                                      "s64", "b8",  "b16", "b32", "b64",  "f16",  "f16x2",
                                      "f32", "f64", "v2",  "v4",  "bf16", "b128", "pred"};
  size_t end = word.at + word.length, dot = end;
  while (dot > word.at && data[dot - 1] != '.') dot--;
  const char *type = PICK(types);
  if (dot == word.at) return size;
  return replace(data, size, max_size, (Piece){dot, end - dot}, type, strlen(type));
}

static size_t change_number(uint8_t *data, size_t size, size_t max_size, Piece word) {
  static const char *const numbers[] = {"0",
                                        "1",
                                        "-1",
                                        "3",
                                        "16",
                                        "32",
                                        "33",
                                        "64",
                                        "255",
                                        "1000000",
                                        "0x7fffffff",
                                        "4294967295",
                                        "9223372036854775808"};
  const char *number = PICK(numbers);
  if (!word.length || data[word.at] < '0' || data[word.at] > '9') return size;
  return replace(data, size, max_size, word, number, strlen(number));
}

static size_t mutate_once(uint8_t *data, size_t size, size_t max_size) {
  size_t a = (size_t)rand() % size, b = (size_t)rand() % size;
  Piece word = word_near(data, size, a), other_word = word_near(data, size, b);
  Piece line = line_near(data, size, a), other_line = line_near(data, size, b);
  switch (rand() % 8) {
    case 0:
    case 1: return replace(data, size, max_size, word, data + other_word.at, other_word.length);
    case 2:
      line.length = 0;
      return replace(data, size, max_size, line, data + other_line.at, other_line.length);
    case 3: return replace(data, size, max_size, line, data + other_line.at, other_line.length);
    case 4: return replace(data, size, max_size, line, "", 0);
    case 5: return change_number(data, size, max_size, word);
    case 6: return change_type(data, size, max_size, word);
    default: return rand() % 10 ? size : LLVMFuzzerMutate(data, size, max_size);
  }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
  srand(seed);
  for (int left = 1 + rand() % 3; left > 0 && size > 16; left--)
    size = mutate_once(data, size, max_size);
  return size > 16 ? size : LLVMFuzzerMutate(data, size, max_size);
}

#endif
