// SPDX-License-Identifier: MIT
// Instructions of PTX: operands, calls, labels, registers and their scopes.
#include "isa/special.h"
#include "unit/ptx_support.h"

static void operands_are_of_every_kind(void **state) {
  (void)state;
  PtxModule *m = parse_file("tests/ptx/forms.ptx");
  const PtxFunction *k = find_function(m, "kernel");
  const PtxInstruction *depot = find_instruction(k, "mov.u64", 0);
  assert_int_equal(depot->operands[1].kind, OPERAND_VARIABLE);
  assert_string_equal(k->variables[depot->operands[1].index].name, "__local_depot0");
  const PtxOperand *param = &find_instruction(k, "ld.param.u64", 0)->operands[1];
  assert_int_equal(param->kind, OPERAND_ADDRESS);
  assert_int_equal(param->elements[0].kind, OPERAND_PARAM);
  assert_int_equal(param->elements[0].index, 0);
  const PtxInstruction *pair = find_instruction(k, "ld.param.v2.b32", 0);
  assert_int_equal(pair->operands[0].kind, OPERAND_VECTOR);
  assert_int_equal(pair->operands[0].elements[1].kind, OPERAND_SINK);
  assert_int_equal(pair->operands[1].offset, 16);
  const PtxOperand *symbol = &find_instruction(k, "mov.u64", 1)->operands[1];
  assert_int_equal(symbol->kind, OPERAND_SYMBOL);
  assert_string_equal(symbol->name, "table");
  assert_int_equal(symbol->offset, 16);
  assert_int_equal(find_instruction(k, "mov.u32", 0)->operands[1].index, SPECIAL_TID_X);
  const PtxOperand *absolute = &find_instruction(k, "ld.shared.b32", 0)->operands[1];
  assert_int_equal(absolute->element_count, 0);
  assert_int_equal(absolute->offset, 64);
  assert_int_equal(find_instruction(k, "st.global.b32", 0)->operands[0].offset, -8);
  ptx_module_destroy(m);
}

static void textures_flatten_their_coordinates(void **state) {
  (void)state;
  PtxModule *m = parse(HEAD ".global .texref t; .global .samplerref s;\n.entry k() {" REGISTERS
                            "tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [t, %r1];\n"
                            "tex.3d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f1,%f2,%f3,%f4}];\n"
                            "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, s, {%f1,%f2}];}");
  const PtxInstruction *in = m->functions[0].instructions;
  assert_int_equal(in[0].operands[1].kind, OPERAND_TEXTURE);
  assert_int_equal(in[0].operands[1].element_count, 2);
  assert_false(in[0].operands[1].has_sampler);
  assert_int_equal(in[1].operands[1].element_count, 5);
  assert_false(in[1].operands[1].has_sampler);
  assert_int_equal(in[2].operands[1].element_count, 4);
  assert_true(in[2].operands[1].has_sampler);
  assert_string_equal(in[2].operands[1].elements[1].name, "s");
  ptx_module_destroy(m);
}

static void guards_pairs_and_dropped_hints(void **state) {
  (void)state;
  PtxModule *m = parse_file("tests/ptx/forms.ptx");
  const PtxFunction *k = find_function(m, "kernel");
  const PtxInstruction *setp = find_instruction(k, "setp", 0);
  assert_true(setp->has_pair && !setp->has_guard);
  assert_int_equal(setp->operand_count, 5);
  assert_true(setp->operands[4].negated);
  expect_register(k, &setp->operands[1], "%p2", TYPE_PRED);
  const PtxInstruction *st = find_instruction(k, "st.global", 0);
  assert_true(st->has_guard && st->guard_negated);
  assert_string_equal(k->registers[st->guard].name, "%p1");
  const PtxInstruction *elect = find_instruction(k, "elect", 0);
  assert_true(elect->has_pair);
  assert_int_equal(elect->operands[0].kind, OPERAND_SINK);
  assert_int_equal(find_instruction(k, "ld.global.L2::cache_hint", 0)->operand_count, 2);
  assert_int_equal(find_instruction(k, "tex.level", 0)->operand_count, 3);
  ptx_module_destroy(m);
}

static void calls_have_lists_in_a_fixed_order(void **state) {
  (void)state;
  PtxModule *m = parse_file("tests/ptx/forms.ptx");
  const PtxFunction *k = find_function(m, "kernel");
  const PtxInstruction *direct = find_instruction(k, "call.uni", 0);
  assert_int_equal(direct->operand_count, 3);
  assert_int_equal(direct->operands[0].element_count, 1);
  assert_string_equal(direct->operands[1].name, "helper");
  assert_int_equal(direct->operands[2].element_count, 2);
  assert_int_equal(k->variables[direct->operands[2].elements[1].index].size_bytes, 24);
  assert_int_equal(k->variables[direct->operands[2].elements[1].index].space, SPACE_FRAME);
  const PtxInstruction *indirect = find_instruction(k, "call", 1);
  assert_int_equal(indirect->operand_count, 4);
  assert_int_equal(indirect->operands[1].kind, OPERAND_REGISTER);
  const PtxTable *prototype = &k->tables[indirect->operands[3].index];
  assert_int_equal(prototype->kind, TABLE_PROTOTYPE);
  assert_int_equal(prototype->param_count, 2);
  assert_int_equal(prototype->results[0].type, TYPE_B32);
  ptx_module_destroy(m);
}

static void calls_may_leave_lists_out(void **state) {
  (void)state;
  PtxModule *m = parse(HEAD ".func f; .func g(.param .b32 a);\n.entry k() {" REGISTERS
                            "call f; call.uni g, (%r1); call %rd1, t; call (%r2), f;\n"
                            "t: .calltargets f, g;}");
  const PtxFunction *k = find_function(m, "k");
  static const uint32_t counts[] = {3, 3, 4, 3}, arguments[] = {0, 1, 0, 0};
  for (int i = 0; i < 4; i++) {
    const PtxInstruction *in = &k->instructions[i];
    assert_int_equal(in->operand_count, counts[i]);
    assert_int_equal(in->operands[0].kind, OPERAND_LIST);
    assert_int_equal(in->operands[0].element_count, i == 3);
    assert_int_equal(in->operands[2].kind, OPERAND_LIST);
    assert_int_equal(in->operands[2].element_count, arguments[i]);
  }
  assert_string_equal(k->tables[k->instructions[2].operands[3].index].functions[1], "g");
  ptx_module_destroy(m);
}

static void branches_find_their_labels_and_tables(void **state) {
  (void)state;
  PtxModule *m = parse_file("tests/ptx/forms.ptx");
  const PtxFunction *k = find_function(m, "kernel");
  const PtxInstruction *brx = find_instruction(k, "brx.idx", 0);
  assert_int_equal(brx->operands[1].kind, OPERAND_LIST);
  const PtxTable *table = &k->tables[brx->operands[1].index];
  assert_int_equal(table->kind, TABLE_BRANCH_TARGETS);
  assert_int_equal(table->target_count, 3);
  assert_int_equal(table->labels[0], table->labels[2]);
  const PtxLabel *second = &k->labels[table->labels[1]];
  assert_string_equal(second->name, "second");
  assert_string_equal(k->instructions[second->instruction].text, "ret");
  ptx_module_destroy(m);
}

static void inner_scopes_hide_outer_names(void **state) {
  (void)state;
  PtxModule *m = parse_file("tests/ptx/scopes.ptx");
  const PtxFunction *f = &m->functions[0];
  static const struct {
    int instruction;
    const char *name;
    DataType type;
  } expected[] = {{0, "%r1", TYPE_B32}, {1, "%r1", TYPE_U64},  {2, "%a", TYPE_B32},
                  {3, "%r2", TYPE_B32}, {5, "%r1", TYPE_F32},  {6, "%r4", TYPE_F32},
                  {7, "%r7", TYPE_B32}, {9, "%r11", TYPE_B32}, {10, "%a", TYPE_B32}};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
    expect_register(f, &f->instructions[expected[i].instruction].operands[0], expected[i].name,
                    expected[i].type);
  assert_int_equal(f->instructions[9].operands[1].index, f->instructions[0].operands[0].index);
  assert_int_not_equal(f->instructions[2].operands[0].index, f->instructions[10].operands[0].index);
  // The inner block's label is its own, and serves the block within it too.
  uint32_t inner = f->instructions[4].operands[0].index;
  assert_int_equal(f->labels[inner].instruction, 5);
  assert_int_equal(f->instructions[8].operands[0].index, inner);
  assert_int_equal(f->labels[f->instructions[11].operands[0].index].instruction, 12);
  ptx_module_destroy(m);
}

static void huge_ranges_cost_what_is_used_of_them(void **state) {
  (void)state;
  PtxModule *m =
      parse(BODY(".reg .b32 %r<4000000000>;\n mov.b32 %r5, %r999999999; mov.b32 %r5, 1;"));
  assert_int_equal(m->functions[0].register_count, 2);
  assert_int_equal(m->functions[0].registers[1].number, 999999999);
  assert_true(m->arena.total_bytes < 1 << 16);
  ptx_module_destroy(m);
}

static void registers_of_the_module_are_each_functions_own(void **state) {
  (void)state;
  PtxModule *m = parse(HEAD
                       ".reg .u32 %a<9>, b;\n.entry k() { mov.u32 %a3, b; }\n"
                       ".entry l() { .reg .f32 b; mov.f32 b, 0f00000000; mov.u32 %a3, %a2; }");
  const PtxFunction *k = find_function(m, "k"), *l = find_function(m, "l");
  assert_int_equal(k->register_count, 2);
  expect_register(k, &k->instructions[0].operands[0], "%a3", TYPE_U32);
  expect_register(k, &k->instructions[0].operands[1], "b", TYPE_U32);
  expect_register(l, &l->instructions[0].operands[0], "b", TYPE_F32);
  expect_register(l, &l->instructions[1].operands[0], "%a3", TYPE_U32);
  ptx_module_destroy(m);
}

static void targets_may_be_a_range_of_labels(void **state) {
  (void)state;
  PtxModule *m =
      parse(BODY(".reg .u32 i; t: .branchtargets N<3>; brx.idx i, t;\n"
                 "N2: ret; N1: ret; N0: ret;"));
  const PtxTable *table = &m->functions[0].tables[0];
  assert_int_equal(table->target_count, 3);
  for (uint32_t i = 0; i < 3; i++)
    assert_int_equal(m->functions[0].labels[table->labels[i]].instruction, 3 - i);
  ptx_module_destroy(m);
  expect_error(BODY("t: .branchtargets N<3000000000>;"), "small number");
  expect_error(BODY("t: .branchtargets N<900000>, M<900000>;"),
               "more ranges or arrays than are supported");
  expect_error(BODY("t: .branchtargets N<2>; N0: ret;"), "label `N1` is not defined");
}

static void vector_registers_are_scalars_in_a_row(void **state) {
  (void)state;
  PtxModule *m = parse_file("tests/ptx/forms.ptx");
  const PtxFunction *k = find_function(m, "kernel");
  const PtxInstruction *mov = find_instruction(k, "mov.f32", 2);
  expect_register(k, &mov->operands[0], "%v.x", TYPE_F32);
  expect_register(k, &mov->operands[1], "%v.w", TYPE_F32);
  const PtxOperand *whole = &find_instruction(k, "ld.global.v4.f32", 0)->operands[0];
  assert_int_equal(whole->kind, OPERAND_VECTOR);
  assert_int_equal(whole->element_count, 4);
  expect_register(k, &whole->elements[2], "%v.z", TYPE_F32);
  ptx_module_destroy(m);
}

static void special_registers_may_be_whole(void **state) {
  (void)state;
  PtxModule *m = parse(HEAD ".entry k() {" REGISTERS "st.global.v4.b32 [%rd1], %ctaid;}");
  const PtxOperand *whole = &m->functions[0].instructions[0].operands[1];
  assert_int_equal(whole->kind, OPERAND_VECTOR);
  assert_int_equal(whole->elements[1].kind, OPERAND_SPECIAL);
  assert_int_equal(whole->elements[1].index, SPECIAL_CTAID_Y);
  assert_int_equal(whole->elements[3].kind, OPERAND_INTEGER);
  ptx_module_destroy(m);
}

static void lines_of_the_source_go_with_instructions(void **state) {
  (void)state;
  PtxModule *m = parse_file("tests/ptx/forms.ptx");
  const PtxFunction *k = find_function(m, "kernel");
  assert_int_equal(k->instructions[0].file, 1);
  assert_int_equal(k->instructions[0].source_line, 10);
  assert_int_equal(find_instruction(k, "setp", 0)->file, 2);
  assert_int_equal(find_instruction(k, "setp", 0)->source_line, 20);
  assert_int_equal(find_function(m, "twice")->instructions[0].file, 0);
  ptx_module_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operands_are_of_every_kind),
      cmocka_unit_test(textures_flatten_their_coordinates),
      cmocka_unit_test(guards_pairs_and_dropped_hints),
      cmocka_unit_test(calls_have_lists_in_a_fixed_order),
      cmocka_unit_test(calls_may_leave_lists_out),
      cmocka_unit_test(branches_find_their_labels_and_tables),
      cmocka_unit_test(inner_scopes_hide_outer_names),
      cmocka_unit_test(huge_ranges_cost_what_is_used_of_them),
      cmocka_unit_test(registers_of_the_module_are_each_functions_own),
      cmocka_unit_test(targets_may_be_a_range_of_labels),
      cmocka_unit_test(vector_registers_are_scalars_in_a_row),
      cmocka_unit_test(special_registers_may_be_whole),
      cmocka_unit_test(lines_of_the_source_go_with_instructions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
