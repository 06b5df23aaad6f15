// SPDX-License-Identifier: MIT
#include "frontends/ptx/syntax.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/special.h"
#include "unit/cmocka_all.h"

#define HEAD ".version 7.0 .target sm_70 .address_size 64\n"
#define BODY(text) HEAD ".entry k(.param .u64 p) {\n" text "\n}"
#define REGISTERS ".reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n"

static PtxModule *parse(const char *text) {
  PtxModule *module;
  Error err = {0};
  if (ptx_parse(&module, "t.ptx", text, strlen(text), &err) != OK) fail_msg("%s", err.text);
  return module;
}

static PtxModule *parse_file(const char *path) {
  static char text[1 << 16];
  PtxModule *module;
  Error err = {0};
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  size_t length = fread(text, 1, sizeof text, file);
  fclose(file);
  if (ptx_parse(&module, path, text, length, &err) != OK) fail_msg("%s", err.text);
  return module;
}

static void expect_error_of(const char *text, size_t length, Status status, const char *message) {
  PtxModule *module;
  Error err = {0};
  assert_int_equal(ptx_parse(&module, "t.ptx", text, length, &err), status);
  assert_null(module);
  if (!strstr(err.text, message)) fail_msg("\"%s\" lacks \"%s\"", err.text, message);
}

static void expect_error(const char *text, const char *message) {
  expect_error_of(text, strlen(text), ERR_SYNTAX, message);
}

static void expect_refused(const char *text, const char *message) {
  expect_error_of(text, strlen(text), ERR_UNSUPPORTED, message);
}

static const PtxVariable *find_variable(const PtxModule *m, const char *name) {
  for (uint32_t i = 0; i < m->variable_count; i++)
    if (strcmp(m->variables[i].name, name) == 0) return &m->variables[i];
  fail_msg("no variable %s", name);
  return NULL;
}

static const PtxFunction *find_function(const PtxModule *m, const char *name) {
  for (uint32_t i = 0; i < m->function_count; i++)
    if (strcmp(m->functions[i].name, name) == 0) return &m->functions[i];
  fail_msg("no function %s", name);
  return NULL;
}

// The n-th instruction (from 0) whose text begins so.
static const PtxInstruction *find_instruction(const PtxFunction *f, const char *text, int n) {
  for (uint32_t i = 0; i < f->instruction_count; i++)
    if (strncmp(f->instructions[i].text, text, strlen(text)) == 0 && n-- == 0)
      return &f->instructions[i];
  fail_msg("no instruction %s", text);
  return NULL;
}

static void expect_register(const PtxFunction *f, const PtxOperand *operand, const char *name,
                            DataType type) {
  assert_int_equal(operand->kind, OPERAND_REGISTER);
  assert_string_equal(f->registers[operand->index].name, name);
  assert_int_equal(f->registers[operand->index].type, type);
}

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
  expect_error(BODY("t: .branchtargets N<900000>, M<900000>;"), "does not spell out");
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

static void errors_show_the_line_and_a_caret(void **state) {
  (void)state;
  const char *text = HEAD ".entry k() {\n\tadd.s32 \t%r1, 2, 3;\n}";
  PtxModule *module;
  Error err = {0};
  assert_int_equal(ptx_parse(&module, "dir/t.ptx", text, strlen(text), &err), ERR_SYNTAX);
  assert_string_equal(err.text,
                      "dir/t.ptx:3:11: `%r1` is neither a declared register nor a special register "
                      "that is supported\n"
                      " add.s32  %r1, 2, 3;\n"
                      "          ^");
}

static void long_lines_are_cut_around_the_caret(void **state) {
  (void)state;
  char text[4000] = HEAD "// ";
  size_t length = strlen(text);
  memset(text + length, ' ', 3000);
  strcpy(text + length + 3000, "\n");
  char *line = text + length + 3001;
  memset(line, ' ', 500);
  strcpy(line + 500, "\x01 bogus bogus");
  PtxModule *module;
  Error err = {0};
  assert_int_equal(ptx_parse(&module, "t.ptx", text, strlen(text), &err), ERR_SYNTAX);
  assert_non_null(strstr(err.text, "t.ptx:3:501: unexpected character\n..."));
  const char *caret = strrchr(err.text, '\n') + 1, *shown = strstr(err.text, "...");
  assert_int_equal(shown[strlen(caret) - 1], '?');
}

static void mistakes_are_errors(void **state) {
  (void)state;
  expect_error("", "expected `.version`, found the end");
  expect_error(".version 7.0", "expected `.target`");
  expect_error(".version seven", "version such as");
  expect_error(HEAD ".address_size 16", "32 or 64");
  expect_error(HEAD ".global x;", "expected a type");
  expect_error(HEAD ".global .u32 x", "found the end of the file");
  expect_error(HEAD ".global .pred x;", "predicate can only be a register");
  expect_error(HEAD ".global .align 3 .u32 x;", "power of two");
  expect_error(HEAD ".global .u32 x[2] = {1, 2, 3};", "too many initial values");
  expect_error(HEAD ".global .u32 x[2] = {{1}, 2};", "more braces");
  expect_error(HEAD ".global .b8 x[1099511627776][1099511627776];", "too large");
  expect_error(HEAD ".global .b8 x[0][1099511627776][1099511627776];", "too large");
  expect_error(HEAD ".global .u32 x[9][1000000] = {{1}, {2}, {3}};", "does not spell out");
  expect_error(HEAD ".global .u16 x = 1.5;", "does not fit");
  expect_error(HEAD ".global .u64 x = nowhere;", "`nowhere` is not declared");
  expect_error(HEAD ".global .b8 x = 0xFFF(x);", "one whole byte");
  expect_error(HEAD ".param .u32 x;", "outside a function");
  expect_error(BODY(".reg .u32 a, a;"), "declared twice");
  expect_error(BODY(".reg .u32 a<3>, a<2>;"), "declared twice");
  expect_error(BODY("x: ret; x: ret;"), "declared twice");
  expect_error(BODY("bra nowhere;"), "label `nowhere` is not defined");
  expect_error(BODY("{ inner: ret; }\n bra inner;"), "label `inner` is not defined");
  expect_error(BODY(".reg .u32 a; mov.u32 a, 1 / 0;"), "division by zero");
  expect_error(BODY(".reg .u32 a<2>; mov.u32 a2, 0;"), "`a2` is not declared");
  expect_error(BODY("call nothing;"), "`nothing` is not declared");
  expect_error(BODY(".reg .u32 a; @a ret;"), "guard must be a predicate");
  expect_error(BODY(".reg .u32 a; ld.u32 a, [%tid.x];"), "cannot be an address");
  expect_error(BODY(".reg .u32 a; mov.u32 a, ;"), "expected an operand");
  expect_error(BODY(".reg .u32 a; mov.u32 a, 1 2;"), "`,` or `;`, found `2`");
  expect_error(HEAD ".entry k() { ret;", "found the end");
  expect_error(HEAD "/* ", "comment does not end");
  expect_error(HEAD ".section .debug { {} ", "section does not end");
}

static void what_we_lack_is_refused(void **state) {
  (void)state;
  expect_refused(BODY("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {a}, {b};"),
                 "t.ptx:3:1: `wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16` is not supported "
                 "(tensor-core instructions)\nwgmma.mma");
  expect_refused(HEAD ".alias a, b;", "two names");
  expect_refused(HEAD ".entry k() .reqnctapercluster 2, 1, 1 { }", "clusters");
}

static void hostile_texts_are_bounded(void **state) {
  (void)state;
  size_t size = 1 << 20;
  char *text = malloc(size);
  assert_non_null(text);
  int head = snprintf(text, size, HEAD ".entry k() {");
  memset(text + head, '{', size - (size_t)head);
  expect_error_of(text, size, ERR_SYNTAX, "nest deeper");
  head = snprintf(text, size, HEAD ".global .u32 x = ");
  memset(text + head, '(', size - (size_t)head);
  expect_error_of(text, size, ERR_SYNTAX, "nests too deep");
  memset(text + head, '-', size - (size_t)head);
  expect_error_of(text, size, ERR_SYNTAX, "nests too deep");
  memset(text + head, '{', size - (size_t)head);
  expect_error_of(text, size, ERR_SYNTAX, "more braces");
  free(text);
}

static void a_nul_is_text_only_at_the_end(void **state) {
  (void)state;
  static const char fine[] = HEAD "\0\0", bad[] = HEAD "\n \0 .file";
  PtxModule *module;
  Error err = {0};
  assert_int_equal(ptx_parse(&module, "t.ptx", fine, sizeof fine, &err), OK);
  ptx_module_destroy(module);
  expect_error_of(bad, sizeof bad, ERR_SYNTAX, "t.ptx:3:2: a NUL byte");
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
      cmocka_unit_test(old_modules_are_read),
      cmocka_unit_test(a_global_in_a_function_becomes_the_modules),
      cmocka_unit_test(errors_show_the_line_and_a_caret),
      cmocka_unit_test(long_lines_are_cut_around_the_caret),
      cmocka_unit_test(mistakes_are_errors),
      cmocka_unit_test(what_we_lack_is_refused),
      cmocka_unit_test(hostile_texts_are_bounded),
      cmocka_unit_test(a_nul_is_text_only_at_the_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
