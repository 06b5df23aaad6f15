// SPDX-License-Identifier: MIT
// Loads of structures in LLVM's intermediate code are split into loads of their members.
#include "cc/ir_text.h"

#include <string.h>

#include "unit/cc_text_support.h"

static void assert_printed(const char *text, const char *expected) {
  assert_rewritten(ir_text_print, text, expected);
}

static void a_structure_is_loaded_member_by_member(void **state) {
  (void)state;
  assert_printed(
      "%struct.P = type { i32, i8* }\n"
      "  %9 = load %struct.P, %struct.P* %4, align 8\n"
      "  ret %struct.P %9\n",
      "%struct.P = type { i32, i8* }\n"
      "  %heddle.1.at.0 = getelementptr inbounds %struct.P, %struct.P* %4, i32 0, i32 0\n"
      "  %heddle.1.member.0 = load i32, i32* %heddle.1.at.0\n"
      "  %heddle.1.whole.0 = insertvalue %struct.P undef, i32 %heddle.1.member.0, 0\n"
      "  %heddle.1.at.1 = getelementptr inbounds %struct.P, %struct.P* %4, i32 0, i32 1\n"
      "  %heddle.1.member.1 = load i8*, i8** %heddle.1.at.1\n"
      "  %9 = insertvalue %struct.P %heddle.1.whole.0, i8* %heddle.1.member.1, 1\n"
      "  ret %struct.P %9\n");
}

// Members of a packed structure have the alignment that their offsets allow.
static void packed_and_nested_types_are_followed(void **state) {
  (void)state;
  assert_printed(
      "%\"class.a, b\" = type <{ i32, i8, [2 x i8] }>\n"
      "  %x = load %\"class.a, b\", ptr %p, align 4\n",
      "%\"class.a, b\" = type <{ i32, i8, [2 x i8] }>\n"
      "  %heddle.1.at.0 = getelementptr inbounds %\"class.a, b\", ptr %p, i32 0, i32 0\n"
      "  %heddle.1.member.0 = load i32, ptr %heddle.1.at.0, align 4\n"
      "  %heddle.1.whole.0 = insertvalue %\"class.a, b\" undef, i32 %heddle.1.member.0, 0\n"
      "  %heddle.1.at.1 = getelementptr inbounds %\"class.a, b\", ptr %p, i32 0, i32 1\n"
      "  %heddle.1.member.1 = load i8, ptr %heddle.1.at.1, align 4\n"
      "  %heddle.1.whole.1 = insertvalue %\"class.a, b\" %heddle.1.whole.0, i8 "
      "%heddle.1.member.1, 1\n"
      "  %heddle.1.at.2 = getelementptr inbounds %\"class.a, b\", ptr %p, i32 0, i32 2, "
      "i32 0\n"
      "  %heddle.1.member.2 = load i8, ptr %heddle.1.at.2, align 1\n"
      "  %heddle.1.whole.2 = insertvalue %\"class.a, b\" %heddle.1.whole.1, i8 "
      "%heddle.1.member.2, 2, 0\n"
      "  %heddle.1.at.3 = getelementptr inbounds %\"class.a, b\", ptr %p, i32 0, i32 2, "
      "i32 1\n"
      "  %heddle.1.member.3 = load i8, ptr %heddle.1.at.3, align 2\n"
      "  %x = insertvalue %\"class.a, b\" %heddle.1.whole.2, i8 %heddle.1.member.3, 2, "
      "1\n");
}

static void other_text_is_unchanged(void **state) {
  (void)state;
  static const char *const texts[] = {
      "",
      "\n",
      "  %1 = load i32, i32* %0, align 4\n",
      "%struct.P = type { i32, i32 }\n  %1 = load %struct.P*, %struct.P** %0, align 8\n",
      "%struct.P = type { i32, i32 }\n  %1 = load %struct.P, %struct.P* @global, align 8\n",
      "  %1 = load %struct.unknown, %struct.unknown* %0, align 8\n",
      "%struct.P = type opaque\n  %1 = load %struct.P, %struct.P* %0\n",
      "%struct.P = type { %struct.P, i32 }\n  %1 = load %struct.P, %struct.P* %0, align 8\n",
      "%struct.P = type { [100000 x i8] }\n  %1 = load %struct.P, %struct.P* %0, align 1\n",
      "%struct.P = type { [ }\n  %1 = load %struct.P, %struct.P* %0, align 1\n",
      "%struct.P = type {\n  %1 = load %struct.P, %struct.P* %0, align 1\n",
      "%struct.P = type { i32 }\n  %1 = load %struct.P, %struct.P* %0, align 4\n",
      "  %1 = load ",
      "  %1 = load {, %0",
      "  %1 = load %a, b"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) assert_printed(texts[i], texts[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_structure_is_loaded_member_by_member),
      cmocka_unit_test(packed_and_nested_types_are_followed),
      cmocka_unit_test(other_text_is_unchanged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
