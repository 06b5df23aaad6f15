// SPDX-License-Identifier: MIT
// The arena: zeroed, aligned allocations of any size.
#include "base/arena.h"

#include <string.h>

#include "unit/cmocka_all.h"

static void pieces_are_zeroed_aligned_and_apart(void **state) {
  (void)state;
  Arena arena = {0};
  unsigned char *before = NULL;
  for (size_t i = 1; i < 3000; i += 7) {
    unsigned char *piece = arena_alloc(&arena, i);
    assert_int_equal((uintptr_t)piece % 16, 0);
    for (size_t j = 0; j < i; j++) assert_int_equal(piece[j], 0);
    memset(piece, 0xff, i);
    assert_true(piece != before);
    before = piece;
  }
  arena_clear(&arena);
  assert_null(arena.blocks);
}

static void a_piece_larger_than_any_block_fits(void **state) {
  (void)state;
  Arena arena = {0};
  unsigned char *large = arena_alloc(&arena, 5 << 20);
  large[(5 << 20) - 1] = 1;
  assert_int_equal((uintptr_t)arena_alloc_aligned(&arena, 8, 64) % 64, 0);
  arena_clear(&arena);
}

static void texts_are_copied_and_formatted(void **state) {
  (void)state;
  Arena arena = {0};
  assert_string_equal(arena_strndup(&arena, "warp and weft", 4), "warp");
  assert_string_equal(arena_strdup(&arena, ""), "");
  assert_string_equal(arena_printf(&arena, "%s-%d", "sm", 3), "sm-3");
  arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_are_zeroed_aligned_and_apart),
      cmocka_unit_test(a_piece_larger_than_any_block_fits),
      cmocka_unit_test(texts_are_copied_and_formatted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
