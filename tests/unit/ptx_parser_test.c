// SPDX-License-Identifier: MIT
// Modules, variables, functions and constants of PTX.
#include "unit/ptx_support.h"

static void the_head_of_a_module_is_kept(void **state) {
  (void)state;
  PtxModule *m = parse_file("tests/ptx/forms.ptx");
  assert_int_equal(m->version, 90);
  assert_string_equal(m->target, "sm_90a");
  assert_int_equal(m->address_size, 64);
  assert_int_equal(m->file_count, 2);
  assert_string_equal(m->files[0].name, "/src/a.cu");
  assert_string_equal(m->files[1].name, "/src/b.cu");
  assert_int_equal(m->files[1].number, 2);
  ptx_module_destroy(m);
}

static void variables_have_sizes_alignments_and_linkage(void **state) {
  (void)state;
  PtxModule *m = parse_file("tests/ptx/forms.ptx");
  const PtxVariable *table = find_variable(m, "table");
  assert_int_equal(table->linkage, LINKAGE_WEAK);
  assert_int_equal(table->size_bytes, 24);
  const PtxVariable *text = find_variable(m, "text");
  assert_int_equal(text->count, 3);
  assert_int_equal(text->size_bytes, 3);
  const PtxVariable *vectors = find_variable(m, "vectors");
  assert_int_equal(vectors->alignment, 16);
  assert_int_equal(vectors->vector, 4);
  assert_int_equal(vectors->count, 8);
  const PtxVariable *dynamic = find_variable(m, "dynamic");
  assert_int_equal(dynamic->linkage, LINKAGE_EXTERN);
  assert_int_equal(dynamic->space, SPACE_SHARED);
  assert_int_equal(dynamic->count, 0);
  assert_int_equal(find_variable(m, "lock")->count, 18);
  assert_int_equal(find_variable(m, "picture")->space, SPACE_TEXTURE);
  assert_int_equal(find_variable(m, "shared_by_all")->linkage, LINKAGE_COMMON);
  assert_int_equal(find_variable(m, "managed")->initials[0].bits, 16);
  ptx_module_destroy(m);
}

static void initialisers_are_flattened_and_encoded(void **state) {
  (void)state;
  PtxModule *m = parse_file("tests/ptx/forms.ptx");
  const PtxVariable *weights = find_variable(m, "weights");
  static const uint64_t floats[] = {0x3f800000, 0x40200000, 0xbf800000, 0x3fc00000};
  assert_int_equal(weights->initial_count, 4);
  for (int i = 0; i < 4; i++) assert_int_equal(weights->initials[i].bits, floats[i]);
  const PtxVariable *matrix = find_variable(m, "matrix");
  static const uint64_t numbers[] = {1, 2, 0, 0xffffffff, 0, 0};
  assert_int_equal(matrix->count, 6);
  assert_int_equal(matrix->initial_count, 6);
  for (int i = 0; i < 6; i++) assert_int_equal(matrix->initials[i].bits, numbers[i]);
  assert_int_equal(find_variable(m, "vectors")->initials[4].bits, 0x40a00000);
  assert_true(find_variable(m, "tenth")->initials[0].bits == 0x3fb999999999999a);
  ptx_module_destroy(m);
}

static void initialisers_hold_addresses_and_bytes_of_them(void **state) {
  (void)state;
  PtxModule *m = parse_file("tests/ptx/forms.ptx");
  const PtxInitial *table = find_variable(m, "table")->initials;
  assert_string_equal(table[0].symbol, "text");
  assert_true(table[0].generic && !table[1].generic && table[2].generic);
  assert_string_equal(table[1].symbol, "helper");
  assert_int_equal(table[2].bits, 8);
  const PtxInitial *packed = find_variable(m, "packed")->initials;
  for (uint32_t i = 0; i < 3; i++) {
    assert_true(packed[i].masked);
    assert_int_equal(packed[i].mask_shift, 8 * i);
    assert_string_equal(packed[i].symbol, "text");
  }
  assert_int_equal(packed[1].bits, 1);
  assert_false(packed[3].masked);
  assert_null(packed[3].symbol);
  ptx_module_destroy(m);
}

static void functions_have_parameters_and_directives(void **state) {
  (void)state;
  PtxModule *m = parse_file("tests/ptx/forms.ptx");
  const PtxFunction *k = find_function(m, "kernel");
  assert_true(k->is_entry && k->has_body);
  assert_int_equal(k->linkage, LINKAGE_VISIBLE);
  assert_int_equal(k->param_count, 3);
  assert_int_equal(k->params[0].alignment, 8);  // the 16 is about what it points to
  assert_int_equal(k->params[0].space, SPACE_PARAM);
  assert_int_equal(k->params[1].size_bytes, 40);
  assert_int_equal(k->max_threads[0], 256);
  assert_int_equal(k->max_threads[1], 2);
  assert_int_equal(k->max_threads[2], 1);
  assert_int_equal(k->required_threads[0], 128);
  assert_int_equal(k->min_ctas_per_sm, 3);
  assert_int_equal(k->max_registers, 64);
  const PtxFunction *helper = find_function(m, "helper");
  assert_true(helper->noreturn && !helper->has_body);
  assert_int_equal(helper->results[0].space, SPACE_FRAME);
  assert_int_equal(helper->results[0].size_bytes, 16);
  const PtxFunction *twice = find_function(m, "twice");
  assert_true(twice->params[0].is_register && twice->results[0].is_register);
  assert_string_equal(twice->registers[twice->params[0].register_index].name, "%in");
  expect_register(twice, &twice->instructions[0].operands[0], "%out", TYPE_B32);
  ptx_module_destroy(m);
}

static void constants_are_computed(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int64_t value;
  } cases[] = {
      {"-0x10", -16},
      {"0b101", 5},
      {"017", 15},
      {"WARP_SZ", 32},
      {"-WARP_SZ + 1", -31},
      {"(1 << 4) + 3 * 2 - 7 % 4", 19},
      {"(.s64) -8 >> 1", -4},
      {"1 ? 5 : 6", 5},
      {"0 ? 5 : 0 ? 6 : 7", 7},
      {"~0", -1},
      {"!3", 0},
      {"7 & 12 | 3 ^ 1", 6},
      {"3 < 4 && 4 >= 4", 1},
      {"5 == 5 || 1 / 1", 1},
      {"(.u64) -1 > 0", 1},
      {"-1 > 0", 0},
      {"-7 / 2", -3},
      {"-7 % 2", -1},
      {"1 << 64", 0},
      {"-1 >> 99", -1},
      {"0xFFFFFFFFFFFFFFFF", -1},
      {"-9223372036854775807 - 1", INT64_MIN},
      {"(-9223372036854775807 - 1) / -1", INT64_MIN},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[512];
    snprintf(text, sizeof text, BODY(".reg .b64 %%a; mov.b64 %%a, %s;"), cases[i].text);
    PtxModule *m = parse(text);
    const PtxOperand *operand = &m->functions[0].instructions[0].operands[1];
    assert_int_equal(operand->kind, OPERAND_INTEGER);
    if ((int64_t)operand->bits != cases[i].value) fail_msg("%s", cases[i].text);
    ptx_module_destroy(m);
  }
}

static void floats_keep_their_precision(void **state) {
  (void)state;
  PtxModule *m = parse_file("tests/ptx/forms.ptx");
  const PtxFunction *k = find_function(m, "kernel");
  const PtxOperand *single = &find_instruction(k, "mov.f32", 0)->operands[1];
  assert_int_equal(single->kind, OPERAND_FLOAT);
  assert_true(single->is_single);
  assert_int_equal(single->bits, 0x3fc00000);
  const PtxOperand *half = &find_instruction(k, "mov.f32", 1)->operands[1];
  assert_false(half->is_single);
  assert_true(half->bits == 0xbfe0000000000000);
  ptx_module_destroy(m);
}

static void old_modules_are_read(void **state) {
  (void)state;
  PtxModule *m = parse_file("tests/ptx/old.ptx");
  assert_int_equal(m->version, 14);
  assert_int_equal(m->address_size, 32);
  assert_int_equal(find_variable(m, "image")->type, TYPE_TEXREF);
  assert_int_equal(find_variable(m, "image")->space, SPACE_TEXTURE);
  const PtxFunction *f = &m->functions[0];
  assert_int_equal(f->labels[f->label_count - 1].instruction, f->instruction_count);
  ptx_module_destroy(m);
}

static void a_global_in_a_function_becomes_the_modules(void **state) {
  (void)state;
  PtxModule *m = parse(HEAD
                       ".global .u32 x;\n.entry k() { .reg .u64 a; .global .u32 x = 5;\n"
                       "mov.u64 a, x+4; }");
  assert_int_equal(m->variable_count, 2);
  const PtxOperand *operand = &m->functions[0].instructions[0].operands[1];
  assert_int_equal(operand->kind, OPERAND_SYMBOL);
  assert_string_equal(operand->name, m->variables[1].name);
  assert_string_not_equal(operand->name, "x");
  assert_int_equal(operand->offset, 4);
  ptx_module_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_head_of_a_module_is_kept),
      cmocka_unit_test(variables_have_sizes_alignments_and_linkage),
      cmocka_unit_test(initialisers_are_flattened_and_encoded),
      cmocka_unit_test(initialisers_hold_addresses_and_bytes_of_them),
      cmocka_unit_test(functions_have_parameters_and_directives),
      cmocka_unit_test(constants_are_computed),
      cmocka_unit_test(floats_keep_their_precision),
      cmocka_unit_test(old_modules_are_read),
      cmocka_unit_test(a_global_in_a_function_becomes_the_modules),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
