// SPDX-License-Identifier: MIT
// Which parameter the address of an access derives from (frontends/ptx/lower/address_params.c).
#include <string.h>

#include "exec/program_image.h"
#include "frontends/ptx/link/load.h"
#include "unit/cmocka_all.h"

enum { TEXT_BYTES = 1 << 16 };

static char text[TEXT_BYTES];

// The parameter of the first access to global memory in the body: its index, or -1.
static int param_of(const char *body) {
  Program *program;
  Error err;
  int length =
      snprintf(text, sizeof text,
               ".version 6.0\n.target sm_35\n.address_size 64\n"
               ".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n,\n"
               "  .param .align 8 .b8 s[16])\n{\n"
               ".reg .u32 %%r<9>; .reg .u64 %%rd<400>; .reg .pred %%p;\n"
               "ld.param.u64 %%rd0, [a]; ld.param.u64 %%rd1, [b]; ld.param.u32 %%r0, [n];\n"
               "%s\nret;\n}\n",
               body);
  assert_true(length > 0 && length < TEXT_BYTES);
  PtxText source = {"test.ptx", text, strlen(text)};
  if (ptx_load_texts(&program, &source, 1, PROGRAM_BASE, &err) != OK) fail_msg("%s", err.text);
  int param = -1;
  for (uint32_t pc = program->code_count; pc-- > 0;)
    if (program->code[pc].form.space == SPACE_GLOBAL && program->code[pc].form.op != OP_CVTA)
      param = program->code[pc].param - 1;
  program_destroy(program);
  return param;
}

#define LOAD(address) "ld.global.u32 %r1, [" address "+4];\n"

static void sums_and_copies_keep_the_parameter(void **state) {
  (void)state;
  assert_int_equal(param_of(LOAD("%rd0")), 0);
  assert_int_equal(param_of("cvta.to.global.u64 %rd2, %rd1;\nmul.wide.u32 %rd3, %r0, 4;\n"
                            "add.s64 %rd4, %rd3, %rd2;\n" LOAD("%rd4")),
                   1);
  assert_int_equal(param_of("cvt.u64.u32 %rd3, %r0;\nmad.lo.s64 %rd4, %rd3, 8, %rd1;\n"
                            "sub.s64 %rd5, %rd4, 64;\nmov.b64 %rd6, %rd5;\n" LOAD("%rd6")),
                   1);
  assert_int_equal(param_of("atom.global.add.u32 %r1, [%rd1], 1;\n"), 1);
  assert_int_equal(param_of("st.global.u32 [%rd0], %r0;\n"), 0);
}

static void a_pointer_that_moves_in_a_loop_stays_with_its_array(void **state) {
  (void)state;
  const char *loop = "mov.u64 %rd2, %rd1;\nagain:\n" LOAD("%rd2")
      "add.s64 %rd2, %rd2, 4;\nsetp.ne.u32 %p, %r1, 0;\n@%p bra again;\n";
  assert_int_equal(param_of(loop), 1);
}

static void structures_are_read_by_offset_or_by_address(void **state) {
  (void)state;
  assert_int_equal(param_of("ld.param.u64 %rd2, [s+8];\n" LOAD("%rd2")), 3);
  assert_int_equal(param_of("mov.b64 %rd2, s;\nmov.u64 %rd3, %rd2;\n"
                            "ld.param.u64 %rd4, [%rd3+8];\n" LOAD("%rd4")),
                   3);
}

static void what_cannot_be_known_is_left_open(void **state) {
  (void)state;
  assert_int_equal(
      param_of("setp.ne.u32 %p, %r0, 0;\nselp.b64 %rd2, %rd0, %rd1, %p;\n" LOAD("%rd2")), -1);
  assert_int_equal(param_of("ld.global.u64 %rd3, [%rd0];\n"), 0);
  assert_int_equal(param_of("ld.const.u64 %rd3, [0];\n" LOAD("%rd3")), -1);
  assert_int_equal(param_of("mul.wide.u32 %rd3, %r0, 4;\n" LOAD("%rd3")), -1);
}

// Uses before definitions, further than the analysis follows: no name rather than a wrong one.
static void code_in_no_sensible_order_is_given_up(void **state) {
  (void)state;
  char body[TEXT_BYTES / 2] = LOAD("%rd300") "bra begin;\n";
  for (int i = 300; i > 10; i--) {
    char move[64];
    snprintf(move, sizeof move, "mov.u64 %%rd%d, %%rd%d;\n", i, i - 1);
    strcat(body, move);
  }
  strcat(body, "begin: mov.u64 %rd10, %rd0;\n");
  assert_int_equal(param_of(body), -1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_and_copies_keep_the_parameter),
      cmocka_unit_test(a_pointer_that_moves_in_a_loop_stays_with_its_array),
      cmocka_unit_test(structures_are_read_by_offset_or_by_address),
      cmocka_unit_test(what_cannot_be_known_is_left_open),
      cmocka_unit_test(code_in_no_sensible_order_is_given_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
