// SPDX-License-Identifier: MIT
// Copies of CUDA's vectors of 16 bytes in LLVM's intermediate code are one load and one store.
#include "cc/ir_copies.h"

#include "unit/cc_text_support.h"

#define MEMCPY(size)                                                                   \
  "  call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 16 %6, i8* align 16 %7, i64 " size \
  ", i1 false)\n"
#define VECTOR                                                               \
  "  %heddle.from.0 = bitcast i8* %7 to <4 x i32>*\n"                        \
  "  %heddle.copy.0 = load <4 x i32>, <4 x i32>* %heddle.from.0, align 16\n" \
  "  %heddle.to.0 = bitcast i8* %6 to <4 x i32>*\n"                          \
  "  store <4 x i32> %heddle.copy.0, <4 x i32>* %heddle.to.0, align 16\n"
// %2: a pointer that was loaded; %6, %7: as pointers to bytes.
#define FUNCTION(type, to, from) \
  "define void @k() {\n"         \
  "  %2 = load " type "*, " type \
  "** %1, align 8\n"             \
  "  %4 = " to                   \
  "\n"                           \
  "  %5 = " from                 \
  "\n"                           \
  "  %6 = bitcast " type         \
  "* %4 to i8*\n"                \
  "  %7 = bitcast " type "* %5 to i8*\n"
#define F "%struct.float4"
#define ELEMENT(type) "getelementptr inbounds " type ", " type "* %2, i64 %3"

static void assert_printed(const char *text, const char *expected) {
  assert_rewritten(ir_copies_print, text, expected);
}

static void elements_are_copied_as_vectors(void **state) {
  (void)state;
  assert_printed(FUNCTION(F, ELEMENT(F), ELEMENT(F)) MEMCPY("16"),
                 FUNCTION(F, ELEMENT(F), ELEMENT(F)) VECTOR);
#define SHARED \
  "getelementptr inbounds [64 x " F "], [64 x " F "]* addrspacecast (@s), i64 0, i64 %3"
  assert_printed(FUNCTION(F, SHARED, ELEMENT(F)) MEMCPY("16"),
                 FUNCTION(F, SHARED, ELEMENT(F)) VECTOR);
}

static void everything_else_stays(void **state) {
  (void)state;
#define LOCAL "alloca " F ", align 16"
#define PADDED "%struct.Padded"
  static const char *const texts[] = {
      "",
      "no end",
      FUNCTION(F, LOCAL, ELEMENT(F)) MEMCPY("16"),
      FUNCTION(F, ELEMENT(F), LOCAL) MEMCPY("16"),
      FUNCTION(F, ELEMENT(F), ELEMENT(F)) MEMCPY("32"),
      FUNCTION(PADDED, ELEMENT(PADDED), ELEMENT(PADDED)) MEMCPY("16"),
      // Names of one function mean nothing in the next.
      FUNCTION(F, ELEMENT(F), ELEMENT(F)) "}\ndefine void @l() {\n" MEMCPY("16"),
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) assert_printed(texts[i], texts[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(elements_are_copied_as_vectors),
      cmocka_unit_test(everything_else_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
