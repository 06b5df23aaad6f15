// SPDX-License-Identifier: MIT
// Fat binaries: raw, LZ4 and ZSTD entries, the choice of PTX, damaged input.
#include <lz4.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <zstd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "frontends/fatbin/fatbin.h"

enum { MOST = 4096, HEADER = 16, ENTRY = 64, LZ4 = 0x2000, ZSTD = 0x8000 };

static const char ptx[] =
    ".version 9.0\n.target sm_75\n.address_size 64\n// repeat repeat repeat repeat\n";

typedef struct Blob {
  uint8_t bytes[MOST];
  uint64_t length;
} Blob;

static void put(uint8_t *at, uint64_t value, int bytes) {
  memcpy(at, &value, (size_t)bytes);
}

static void finish(Blob *blob) {
  put(blob->bytes + 8, blob->length - HEADER, 8);
}

static void start(Blob *blob) {
  memset(blob, 0, sizeof *blob);
  put(blob->bytes, 0xba55ed50, 4);
  put(blob->bytes + 4, 1, 2);
  put(blob->bytes + 6, HEADER, 2);
  blob->length = HEADER;
}

// Adds an entry; compressed is 0 for a raw one.
static uint8_t *add(Blob *blob, int kind, uint32_t architecture, const void *payload,
                    uint64_t bytes, uint64_t compressed, uint64_t text_bytes, uint64_t flags) {
  uint8_t *at = blob->bytes + blob->length;
  uint64_t padded = (bytes + 7) / 8 * 8;
  put(at, (uint64_t)kind, 2);
  put(at + 2, 0x101, 2);
  put(at + 4, ENTRY, 4);
  put(at + 8, padded, 8);
  put(at + 0x10, compressed, 4);
  put(at + 0x1c, architecture, 4);
  put(at + 0x28, 0x11 | flags, 8);
  put(at + 0x38, text_bytes, 8);
  memcpy(at + ENTRY, payload, bytes);
  blob->length += ENTRY + padded;
  finish(blob);
  return at;
}

static void add_raw(Blob *blob, int kind, uint32_t architecture) {
  add(blob, kind, architecture, ptx, sizeof ptx, 0, 0, 0);
}

static Status choose(const Blob *blob, uint32_t capability, FatbinEntry *entry, bool *found,
                     uint32_t *elf) {
  Error err;
  return fatbin_choose_ptx(blob->bytes, blob->length, capability, entry, found, elf, &err);
}

static void expect_text(const FatbinEntry *entry) {
  char *text;
  size_t length;
  assert_int_equal(fatbin_unpack(entry, &text, &length, NULL), OK);
  assert_int_equal(length, sizeof ptx - 1);
  assert_string_equal(text, ptx);
  memory_free(text);
}

static void raw_text_comes_out_as_it_went_in(void **state) {
  (void)state;
  Blob blob;
  FatbinEntry entry;
  bool found;
  uint32_t elf;
  start(&blob);
  add_raw(&blob, FATBIN_PTX, 75);
  assert_int_equal(choose(&blob, 20, &entry, &found, &elf), OK);
  assert_true(found);
  assert_int_equal(entry.architecture, 75);
  expect_text(&entry);
}

static void lz4_and_zstd_are_unpacked(void **state) {
  (void)state;
  Blob blob;
  FatbinEntry entry;
  bool found;
  uint32_t elf;
  char packed[512];
  int lz4 = LZ4_compress_default(ptx, packed, sizeof ptx, sizeof packed);
  start(&blob);
  add(&blob, FATBIN_PTX, 80, packed, (uint64_t)lz4, (uint64_t)lz4, sizeof ptx, LZ4);
  assert_int_equal(choose(&blob, 80, &entry, &found, &elf), OK);
  expect_text(&entry);
  size_t zstd = ZSTD_compress(packed, sizeof packed, ptx, sizeof ptx, 3);
  start(&blob);
  add(&blob, FATBIN_PTX, 80, packed, zstd, zstd, sizeof ptx, ZSTD);
  assert_int_equal(choose(&blob, 80, &entry, &found, &elf), OK);
  expect_text(&entry);
}

static void machine_code_is_that_nearest_to_the_gpu_of_its_major_number(void **state) {
  (void)state;
  static const uint32_t wanted[][2] = {{70, 75}, {75, 75}, {80, 80}, {86, 80},
                                       {87, 87}, {90, 0},  {60, 0},  {100, 0}};
  Blob blob;
  start(&blob);
  add_raw(&blob, FATBIN_PTX, 86);
  add_raw(&blob, FATBIN_ELF, 87);
  add_raw(&blob, FATBIN_ELF, 75);
  add_raw(&blob, FATBIN_ELF, 80);
  add_raw(&blob, FATBIN_ELF, 87);
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
    assert_int_equal(fatbin_code_architecture(blob.bytes, blob.length, wanted[i][0]), wanted[i][1]);
  assert_int_equal(fatbin_code_architecture(ptx, sizeof ptx, 70), 0);
}

static void the_newest_ptx_up_to_the_gpu_is_chosen_else_the_oldest(void **state) {
  (void)state;
  Blob blob;
  FatbinEntry entry;
  bool found;
  uint32_t elf;
  start(&blob);
  add_raw(&blob, FATBIN_ELF, 90);
  add_raw(&blob, FATBIN_PTX, 80);
  add_raw(&blob, FATBIN_PTX, 75);
  add_raw(&blob, FATBIN_PTX, 100);
  const uint32_t wanted[][2] = {{20, 75}, {75, 75}, {86, 80}, {120, 100}};
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(choose(&blob, wanted[i][0], &entry, &found, &elf), OK);
    assert_int_equal(entry.architecture, wanted[i][1]);
  }
}

static void machine_code_alone_is_told_apart_from_nothing(void **state) {
  (void)state;
  Blob blob;
  FatbinEntry entry;
  bool found;
  uint32_t elf;
  start(&blob);
  finish(&blob);
  assert_int_equal(choose(&blob, 75, &entry, &found, &elf), OK);
  assert_false(found);
  assert_int_equal(elf, 0);
  add_raw(&blob, FATBIN_ELF, 86);
  assert_int_equal(choose(&blob, 75, &entry, &found, &elf), OK);
  assert_false(found);
  assert_int_equal(elf, 86);
}

static void what_is_no_fat_binary_is_refused(void **state) {
  (void)state;
  Fatbin fatbin;
  Blob blob;
  start(&blob);
  add_raw(&blob, FATBIN_PTX, 75);
  assert_int_equal(fatbin_open(&fatbin, blob.bytes, 8, NULL), ERR_SYNTAX);
  assert_int_equal(fatbin_open(&fatbin, blob.bytes, blob.length - 1, NULL), ERR_SYNTAX);
  put(blob.bytes + 8, UINT64_MAX, 8);
  assert_int_equal(fatbin_open(&fatbin, blob.bytes, blob.length, NULL), ERR_SYNTAX);
  put(blob.bytes + 4, 2, 2);
  assert_int_equal(fatbin_open(&fatbin, blob.bytes, blob.length, NULL), ERR_UNSUPPORTED);
  blob.bytes[0] ^= 1;
  assert_int_equal(fatbin_open(&fatbin, blob.bytes, blob.length, NULL), ERR_SYNTAX);
}

static void entries_that_reach_too_far_are_refused(void **state) {
  (void)state;
  const struct {
    int offset, bytes;
    uint64_t value;
  } wrong[] = {{0x04, 4, 8}, {0x04, 4, UINT32_MAX}, {0x08, 8, 1 << 20}, {0x08, 8, UINT64_MAX}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    Blob blob;
    FatbinEntry entry;
    bool found;
    uint32_t elf;
    start(&blob);
    uint8_t *at = add(&blob, FATBIN_PTX, 75, ptx, sizeof ptx, 0, 0, 0);
    put(at + wrong[i].offset, wrong[i].value, wrong[i].bytes);
    assert_int_equal(choose(&blob, 75, &entry, &found, &elf), ERR_SYNTAX);
  }
}

static void expect_damaged(uint64_t compressed, uint64_t text_bytes, uint64_t flags,
                           Status status) {
  Blob blob;
  FatbinEntry entry;
  bool found;
  uint32_t elf;
  char *text;
  size_t length;
  start(&blob);
  add(&blob, FATBIN_PTX, 75, ptx, sizeof ptx, compressed, text_bytes, flags);
  assert_int_equal(choose(&blob, 75, &entry, &found, &elf), OK);
  assert_int_equal(fatbin_unpack(&entry, &text, &length, NULL), status);
}

static void damaged_and_boastful_payloads_are_refused(void **state) {
  (void)state;
  expect_damaged(sizeof ptx, 400, LZ4, ERR_SYNTAX);
  expect_damaged(sizeof ptx, 400, ZSTD, ERR_SYNTAX);
  expect_damaged(4000, 400, ZSTD, ERR_SYNTAX);
  expect_damaged(sizeof ptx, UINT64_C(1) << 40, ZSTD, ERR_LIMIT);
  expect_damaged(sizeof ptx, 400, 0, ERR_UNSUPPORTED);
}

static void any_byte_may_be_wrong_without_a_crash(void **state) {
  (void)state;
  Blob blob;
  start(&blob);
  char packed[512];
  size_t zstd = ZSTD_compress(packed, sizeof packed, ptx, sizeof ptx, 3);
  add(&blob, FATBIN_PTX, 75, packed, zstd, zstd, sizeof ptx, ZSTD);
  for (uint64_t i = 0; i < blob.length; i++)
    for (int bit = 0; bit < 8; bit++) {
      Blob copy = blob;
      FatbinEntry entry;
      bool found = false;
      uint32_t elf;
      char *text;
      size_t length;
      copy.bytes[i] ^= (uint8_t)(1 << bit);
      if (choose(&copy, 75, &entry, &found, &elf) == OK && found &&
          fatbin_unpack(&entry, &text, &length, NULL) == OK)
        memory_free(text);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(raw_text_comes_out_as_it_went_in),
      cmocka_unit_test(lz4_and_zstd_are_unpacked),
      cmocka_unit_test(the_newest_ptx_up_to_the_gpu_is_chosen_else_the_oldest),
      cmocka_unit_test(machine_code_is_that_nearest_to_the_gpu_of_its_major_number),
      cmocka_unit_test(machine_code_alone_is_told_apart_from_nothing),
      cmocka_unit_test(what_is_no_fat_binary_is_refused),
      cmocka_unit_test(entries_that_reach_too_far_are_refused),
      cmocka_unit_test(damaged_and_boastful_payloads_are_refused),
      cmocka_unit_test(any_byte_may_be_wrong_without_a_crash),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
