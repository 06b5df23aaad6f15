// SPDX-License-Identifier: MIT
// Suffixes of PTX instructions: every word of the tables, and mistakes.
#include "frontends/ptx/parse/suffixes.h"

#include <string.h>

#include "frontends/ptx/parse/keywords.h"
#include "exec/matrix/matrix.h"
#include "isa/special.h"
#include "unit/cmocka_all.h"

static Form parse(const char *text) {
  Form form;
  Error err = {0};
  if (form_parse(&form, text, &err) != OK) fail_msg("%s: %s", text, err.text);
  return form;
}

static void expect_refused(const char *text, const char *message) {
  Form form;
  Error err = {0};
  assert_int_equal(form_parse(&form, text, &err), ERR_UNSUPPORTED);
  if (!strstr(err.text, message)) fail_msg("%s: \"%s\" lacks \"%s\"", text, err.text, message);
}

static void every_opcode_is_found_by_its_name(void **state) {
  (void)state;
  for (int op = 0; op < OPCODE_COUNT; op++) {
    const char *name = opcode_info[op].name;
    assert_int_equal(opcode_find(name, strlen(name)), op);
  }
  assert_int_equal(opcode_find("ad", 2), OPCODE_COUNT);
  assert_int_equal(opcode_find("adds", 4), OPCODE_COUNT);
  assert_int_equal(opcode_find("adds", 3), OP_ADD);
  assert_int_equal(opcode_find("", 0), OPCODE_COUNT);
}

static void every_type_and_special_register_is_found_by_its_name(void **state) {
  (void)state;
  for (int type = TYPE_NONE + 1; type < TYPE_COUNT; type++) {
    const char *name = type_name((DataType)type);
    assert_int_equal(keyword_type(name, strlen(name)), type);
  }
  assert_int_equal(keyword_type("f3", 2), TYPE_NONE);
  assert_int_equal(special_from_name("%tid.y"), SPECIAL_TID_Y);
  assert_int_equal(special_from_name("%clock64"), SPECIAL_CLOCK64);
  assert_int_equal(special_from_name("%tid"), SPECIAL_NONE);
  assert_int_equal(special_bits(SPECIAL_CLOCK64), 64);
}

// A word that is out of order in a table would not be found.
static void every_word_of_the_tables_is_found(void **state) {
  (void)state;
  static const char *const keywords[] = {
#define KEYWORD(word, kind, value) word,
#include "frontends/ptx/parse/keywords.def"
#undef KEYWORD
  };
  for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
    assert_int_not_equal(keyword_find(keywords[i], strlen(keywords[i])).kind, KEYWORD_NONE);
  static const char *const words[] = {
#define SUFFIX(word, group, value) word,
#define OWN(word, op, value) word,
#define ONLY(word, op, group, value) word,
#include "frontends/ptx/parse/suffixes.def"
#undef SUFFIX
#undef OWN
#undef ONLY
  };
  for (size_t i = 1; i < sizeof words / sizeof *words; i++)
    assert_true(strcmp(words[i - 1], words[i]) <= 0);
  static const char *const refused[] = {
#define OPCODE_OUT(word, reason) word, reason,
#include "frontends/ptx/parse/unsupported.def"
  };
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i += 2)
    expect_refused(refused[i], refused[i + 1]);
  static const char *const refused_words[] = {
#define SUFFIX_OUT(word, reason) word, reason,
#include "frontends/ptx/parse/unsupported.def"
  };
  for (size_t i = 0; i < sizeof refused_words / sizeof *refused_words; i += 2) {
    char text[64] = "bra.";
    strcat(text, refused_words[i]);
    expect_refused(text, refused_words[i + 1]);
  }
}

static void arithmetic_suffixes_set_their_fields(void **state) {
  (void)state;
  Form fma = parse("fma.rm.ftz.sat.f32");
  assert_int_equal(fma.op, OP_FMA);
  assert_int_equal(fma.rounding, ROUND_DOWN);
  assert_true(fma.ftz && fma.sat && !fma.integer_round);
  assert_int_equal(fma.type, TYPE_F32);
  assert_int_equal(fma.vector, 1);
  assert_true(parse("add.cc.u32").carry_out);
  assert_int_equal(parse("mul.wide.s32").width, WIDTH_WIDE);
  assert_int_equal(parse("madc.hi.cc.u32").width, WIDTH_HIGH);
  assert_true(parse("div.full.ftz.f32").full);
  assert_true(parse("rcp.approx.ftz.f64").approx);
  assert_true(parse("bmsk.wrap.b32").wrap);
  Form least = parse("min.ftz.NaN.xorsign.abs.f32");
  assert_true(least.nan && least.xorsign);
  assert_true(parse("fma.rn.relu.f16x2").relu);
  assert_int_equal(parse("shf.r.clamp.b32").mode, MODE_RIGHT);
  assert_int_equal(parse("prmt.b32.f4e").mode, MODE_F4E);
  assert_int_equal(parse("bfind.shiftamt.u32").mode, MODE_SHIFTAMT);
}

static void conversions_have_two_types_and_integer_rounding(void **state) {
  (void)state;
  Form cvt = parse("cvt.rzi.ftz.s32.f32");
  assert_int_equal(cvt.rounding, ROUND_ZERO);
  assert_true(cvt.integer_round);
  assert_int_equal(cvt.type, TYPE_S32);
  assert_int_equal(cvt.type2, TYPE_F32);
  assert_int_equal(parse("cvt.rpi.f64.f64").rounding, ROUND_UP);
  assert_true(parse("cvt.sat.f32.f32").sat);
  Form pack = parse("cvt.pack.sat.u8.s32.b32");
  assert_int_equal(pack.mode, MODE_PACK);
  assert_int_equal(pack.type3, TYPE_B32);
  Form to = parse("cvta.to.global.u64");
  assert_int_equal(to.mode, MODE_TO);
  assert_int_equal(to.space, SPACE_GLOBAL);
}

static void lo_and_hi_are_halves_or_comparisons(void **state) {
  (void)state;
  assert_int_equal(parse("mul.lo.s32").width, WIDTH_LOW);
  assert_int_equal(parse("mul.lo.s32").compare, COMPARE_NONE);
  assert_int_equal(parse("setp.lo.u32").compare, COMPARE_LT);
  assert_int_equal(parse("setp.ls.u32").compare, COMPARE_LE);
  assert_int_equal(parse("setp.hi.u32").compare, COMPARE_GT);
  assert_int_equal(parse("set.hs.u32.u32").compare, COMPARE_GE);
  Form both = parse("setp.geu.and.ftz.f32");
  assert_int_equal(both.compare, COMPARE_GEU);
  assert_int_equal(both.operation, OPERATION_AND);
}

static void memory_suffixes_set_their_fields(void **state) {
  (void)state;
  Form ld = parse("ld.global.nc.L1::no_allocate.L2::128B.v4.f32");
  assert_int_equal(ld.space, SPACE_GLOBAL);
  assert_int_equal(ld.cache, CACHE_NON_COHERENT);
  assert_int_equal(ld.vector, 4);
  assert_int_equal(parse("ld.u64").space, SPACE_GENERIC);
  assert_int_equal(parse("ld.param::entry.u64").space, SPACE_PARAM);
  assert_int_equal(parse("st.shared::cta.v2.b32").space, SPACE_SHARED);
  assert_true(parse("ld.volatile.shared.u32").volatile_);
  assert_true(parse("ld.relaxed.sys.global.u32").volatile_);
  assert_true(parse("st.mmio.relaxed.sys.global.u32").volatile_);
  assert_false(parse("ld.acquire.cta.global.u32").volatile_);
  assert_false(parse("ld.weak.global.u32").volatile_);
  assert_int_equal(parse("ld.acquire.gpu.u32").scope, SCOPE_GPU);
  assert_int_equal(parse("st.global.wt.b8").cache, CACHE_WRITE_THROUGH);
  Form atom = parse("atom.acq_rel.gpu.global.cas.b32");
  assert_int_equal(atom.operation, OPERATION_CAS);
  assert_int_equal(atom.scope, SCOPE_GPU);
  assert_int_equal(parse("atom.global.add.noftz.f16x2").type, TYPE_F16X2);
  assert_int_equal(parse("red.shared.inc.u32").operation, OPERATION_INC);
  Form copy = parse("cp.async.cg.shared.global.L2::128B");
  assert_int_equal(copy.mode, MODE_ASYNC);
  assert_int_equal(copy.space, SPACE_SHARED);
  assert_int_equal(copy.cache, CACHE_GLOBAL);
  assert_int_equal(parse("cp.async.wait_group").mode, MODE_WAIT);
  assert_int_equal(parse("cp.async.commit_group").mode, MODE_COMMIT);
  Form tex = parse("tex.2d.v4.u32.f32");
  assert_int_equal(tex.mode, MODE_TEX_2D);
  assert_int_equal(tex.type, TYPE_U32);
  assert_int_equal(tex.type2, TYPE_F32);
}

static void words_of_warps_and_barriers_set_the_mode(void **state) {
  (void)state;
  assert_int_equal(parse("shfl.sync.bfly.b32").mode, MODE_BFLY);
  assert_int_equal(parse("vote.sync.uni.pred").mode, MODE_UNIFORM);
  assert_false(parse("vote.uni.pred").uni);
  assert_true(parse("bra.uni").uni);
  assert_int_equal(parse("match.any.sync.b64").mode, MODE_ANY);
  assert_int_equal(parse("redux.sync.max.s32").operation, OPERATION_MAX);
  assert_int_equal(parse("bar.warp.sync").mode, MODE_WARP);
  assert_int_equal(parse("barrier.cta.sync.aligned").mode, MODE_SYNC);
  Form red = parse("barrier.cta.red.popc.aligned.u32");
  assert_int_equal(red.mode, MODE_RED);
  assert_int_equal(red.operation, OPERATION_POPC);
  assert_int_equal(parse("membar.gl").scope, SCOPE_GPU);
  assert_int_equal(parse("fence.proxy.async.shared::cta").mode, MODE_PROXY);
  assert_int_equal(parse("setmaxnreg.inc.sync.aligned.u32").mode, MODE_INCREASE);
  assert_int_equal(parse("griddepcontrol.wait").mode, MODE_GRID_WAIT);
}

static void words_of_matrices_are_kept_apart(void **state) {
  (void)state;
  Form load = parse("wmma.load.b.sync.aligned.col.m32n8k16.shared.u8");
  assert_int_equal(load.mode, MODE_LOAD);
  assert_int_equal(load.part, PART_B);
  assert_int_equal(load.shape, SHAPE_M32N8K16);
  assert_int_equal(load.layouts, 1);
  assert_true(load.column);
  Form product = parse("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc");
  assert_int_equal(product.operation, OPERATION_XOR);
  assert_true(!product.column && product.column2 && product.layouts == 2);
  assert_int_equal(product.type4, TYPE_S32);
  assert_int_equal(parse("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16").vector, 4);
  expect_refused("ld.x2.u32", "`ld` with `.x2`");
  expect_refused("mma.sync.aligned.m16n8k8.row.col.row.f32.f16.f16.f32", "too many layouts");
}

static void what_we_lack_is_refused_with_a_reason(void **state) {
  (void)state;
  expect_refused("tcgen05.alloc.cta_group::1.sync.aligned.b32", "tensor-core");
  expect_refused("cp.async.bulk.tensor.3d.shared::cluster.global.im2col", "im2col");
  expect_refused("clusterlaunchcontrol.try_cancel.async.b128", "thread block clusters");
  expect_refused("cvt.rn.e2m1x2.f32", "4-bit floats");
  expect_refused("atom.async.relaxed.cluster.shared.add.u32", "async");
  expect_refused("cp.async.bulk.global.shared::cta.bulk_group.add", "without `.reduce`");
  expect_refused("frobnicate.u32", "unknown instruction `frobnicate`");
  expect_refused("add.approx.f32", "`add` with `.approx`");
  expect_refused("mul.f32.f16", "too many types");
}

static void malformed_forms_are_refused(void **state) {
  (void)state;
  expect_refused("add", "missing type");
  expect_refused("add.", "not supported");
  expect_refused("", "unknown instruction");
  expect_refused("add..s32", "not supported");
  expect_refused("add.rn.rz.f32", "contradicts itself");
  expect_refused("mul.s32", "missing `.lo`");
  expect_refused("setp.s32", "missing comparison");
  expect_refused("atom.global.u32", "missing operation");
  expect_refused("bar.red.u32", "missing operation");
  expect_refused("shfl.b32", "missing operation");
  expect_refused("shfl.up.down.b32", "contradicts itself");
  expect_refused("ld.global.shared.u32", "two state spaces");
  expect_refused("cp.async.ca.global.shared", "two state spaces");
  expect_refused("cp.async.ca.shared", "from `.global`");
  expect_refused("add.s32.s32.s32.s32.s32", "too many types");
  expect_refused("add.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "too long");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_opcode_is_found_by_its_name),
      cmocka_unit_test(every_type_and_special_register_is_found_by_its_name),
      cmocka_unit_test(every_word_of_the_tables_is_found),
      cmocka_unit_test(arithmetic_suffixes_set_their_fields),
      cmocka_unit_test(conversions_have_two_types_and_integer_rounding),
      cmocka_unit_test(lo_and_hi_are_halves_or_comparisons),
      cmocka_unit_test(memory_suffixes_set_their_fields),
      cmocka_unit_test(words_of_warps_and_barriers_set_the_mode),
      cmocka_unit_test(words_of_matrices_are_kept_apart),
      cmocka_unit_test(what_we_lack_is_refused_with_a_reason),
      cmocka_unit_test(malformed_forms_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
