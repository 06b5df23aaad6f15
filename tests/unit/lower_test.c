// SPDX-License-Identifier: MIT
// PTX that parses but cannot be run is refused when it is loaded: with file,
// line and column, the instruction and what is wrong. Nothing becomes a no-op.
#include <stdio.h>
#include <string.h>

#include "frontends/ptx/link/load.h"
#include "exec/memory/device_memory.h"
#include "unit/cmocka_all.h"

static const char *const head =
    ".version 7.0\n.target sm_80\n.address_size 64\n.global .u32 g[4];\n.const .u32 c[4];\n"
    ".func (.reg .u32 %y) f(.reg .u32 %x) { mov.u32 %y, %x; ret; }\n"
    ".func (.param .u32 y) h(.param .u64 x) { ret; }\n"
    ".entry k(.param .u64 p, .param .u32 q)\n{\n"
    ".reg .u16 %h<4>; .reg .u32 %r<9>; .reg .u64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %d<9>;\n"
    ".reg .pred %p<4>; .shared .u32 s[4]; .local .u32 l[4];\n";
enum { BODY_LINE = 12 };

static Error err;

static Status load_body(const char *body) {
  char text[4096];
  snprintf(text, sizeof text, "%s%s\nret;\n}\n", head, body);
  PtxText ptx = {"bad.ptx", text, strlen(text)};
  Program *program;
  Status status = ptx_load_texts(&program, &ptx, 1, PROGRAM_BASE, &err);
  if (status == OK) program_destroy(program);
  return status;
}

static void the_frame_of_these_tests_is_right(void **state) {
  (void)state;
  if (load_body("add.u32 %r1, %r2, %r3;") != OK) fail_msg("%s", err.text);
}

static const struct {
  const char *body, *part;
} refused[] = {
    // widths and kinds of operands
    {"add.u32 %r1, %rd2, %r3;", "register %rd2 is .u64, expected .u32"},
    {"add.u64 %rd1, %rd2, %r3;", "register %r3 is .u32"},
    {"add.f32 %f1, %f2, %d3;", "register %d3 is .f64"},
    {"add.u32 %p1, %r2, %r3;", "register %p1 is .pred"},
    {"selp.u32 %r1, %r2, %r3, %r4;", "expected .pred"},
    {"@%r1 add.u32 %r1, %r2, %r3;", "the guard must be a predicate"},
    {"add.u32 5, %r2, %r3;", "the destination must be a register"},
    {"add.f32 %f1, %f2, 1;", "integer constant, expected .f32"},
    {"st.global.u64 [%rd1], %r1;", "register %r1 is .u32"},
    {"ld.global.u64 %r1, [%rd1];", "register %r1 is .u32"},
    {"ld.global.u32 %r1, %rd1;", "expected an address [..]"},
    {"ld.global.u32 %r1, [%h1];", "an address register must have 32 or 64 bits"},
    {"mul.wide.u32 %r1, %r2, %r3;", "register %r1 is .u32, expected .u64"},
    // how many there are
    {"add.u32 %r1, %r2;", "expected 3 operands, found 2"},
    {"mad.lo.u32 %r1, %r2, %r3;", "expected 4 operands"},
    {"ld.global.v2.u32 %r1, [%rd1];", "expected 2 registers"},
    {"ld.global.v4.u32 {%r1, %r2}, [%rd1];", "expected 4 registers"},
    {"ld.shared.v4.u64 {%rd1, %rd2, %rd3, %rd4}, [%rd5];", "at most 16 bytes"},
    {"ld.global.v8.u64 {%rd1, %rd2, %rd3, %rd4, %rd1, %rd2, %rd3, %rd4}, [%rd5];", "32 in .global"},
    {"ld.global.v8.u16 {%h1, %h2, %h3, %h1, %h1, %h2, %h3, %h1}, [%rd5];",
     "unsupported form of the instruction"},
    {"atom.global.add.v4.f32 {%f1, %f2}, [%rd1], {%f1, %f2, %f3, %f4};", "expected 4 registers"},
    {"atom.global.add.v2.u32 {%r1, %r2}, [%rd1], {%r1, %r2};",
     "unsupported form of the instruction"},
    {"red.shared.add.v2.f32 [%r1], {%f1, %f2};", "unsupported form of the instruction"},
    {"atom.global.min.noftz.f16 %h1, [%rd1], %h2;", "unsupported form of the instruction"},
    {"min.u32 %r1, %r2, %r3, %r4;", "expected 3 operands, found 4"},
    {"cvt.rn.f16x2.f32 %r1, %f2;", "expected 3 operands, found 2"},
    {"cvt.rn.f32.f64 %f1, %d2, %d3;", "expected 2 operands, found 3"},
    {"fma.rn.f32.f16 %f1, %h1, %f2, %f3;", "register %f2 is .f32, expected .f16"},
    // names and spaces
    {"ld.global.u32 %r1, [nothing];", "nothing"},
    {"ld.shared.u32 %r1, [g];", "g is in .global memory"},
    {"ld.global.u32 %r1, [c];", "c is in .const memory"},
    {"mov.u32 %r1, nowhere;", "nowhere"},
    {"bra nowhere;", "nowhere"},
    // calls
    {"call (%r1), f, (%r2, %r3);", "2 arguments passed, 1 expected"},
    {"call f, (%r2);", "0 results passed, 1 expected"},
    {"call (%r1), f, (%rd2);", "register %rd2 is .u64"},
    {"call (%r1), g, (%r2);", "g is not a function"},
    {"call k, (%rd1, %r1);", "a kernel cannot be called"},
    {"call (%r1), %rd1, (%r2);", "an indirect call needs a .callprototype"},
    {"{ .param .u32 a, b; call (b), h, (a); }", "expected a .param of 8 bytes"},
    // forms that do not exist
    {"add.b32 %r1, %r2, %r3;", "add.b32"},
    {"add.sat.u32 %r1, %r2, %r3;", "add.sat.u32"},
    {"popc.u32 %r1, %r2;", "popc.u32"},
    {"setp.u32 %p1, %r1, %r2;", "setp.u32"},
    {"bar.red.xor.pred %p1, 0, %p2;", "bar.red.xor.pred"},
    {"bar.arrive 0;", "expected 2 operands, found 1"},
    {"shfl.sync.up.b64 %rd1, %rd2, 1, 0, -1;", "shfl.sync.up.b64"},
    {"cp.async.ca.shared.global [%r1], [%rd1], 5;", "expected a size of 4, 8 or 16"},
    {"brx.idx %r1, {A, B}; A: B:", "expected a label"},
    // matrices
    {"wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1}, [%rd1], %r2;",
     "expected 8 registers"},
    {"wmma.load.d.sync.aligned.row.m16n16k16.global.f32 %r1, [%rd1], %r2;",
     "unsupported combination of shape, layout and types"},
    {"wmma.load.a.sync.aligned.row.m16n16k8.global.f16 %r1, [%rd1], %r2;",
     "unsupported combination of shape, layout and types"},
    {"wmma.load.a.sync.aligned.m8n8k4.f64 %rd1, [%rd1];",
     "unsupported combination of shape, layout and types"},
    {"mma.sync.aligned.m16n8k8.row.col.f16.bf16.bf16.f16 %r1, %r1, %r1, %r1;",
     "unsupported combination of shape, layout and types"},
    {"mma.sync.aligned.m16n8k8.col.row.f32.f16.f16.f32 %r1, %r1, %r1, %r1;",
     "unsupported combination of shape, layout and types"},
    {"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d1, %r2}, %d1, %d1, {%d2, %d3};",
     "register %r2 is .u32"},
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16 %r1, %r1, %r1, %r1;", "missing type"},
    {"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r1,%r1,%r1,%r1}, {%r1,%r1}, "
     "{%r1,%r1}, {%r1,%r1,%r1,%r1}, %r1, 4;",
     "selector from 0 to 3"},
    {"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2}, [%r3];", "expected 4 registers"},
    {"ldmatrix.sync.aligned.m8n8.x2.global.b16 {%r1, %r2}, [%rd3];",
     "unsupported form of the instruction"},
    {"movmatrix.sync.aligned.m8n8.b16 %r1, %r2;", "unsupported form of the instruction"},
    {".reg .tf32 %t;", ".tf32"},
    // barriers in shared memory and bulk copies
    {"mbarrier.init.shared.b64 [%r1];", "expected 2 operands, found 1"},
    {"mbarrier.init.global.b64 [%rd1], 3;", "unsupported form of the instruction"},
    {"mbarrier.arrive.expect_tx.shared.b64 _, [%r1];", "expected 3 operands, found 2"},
    {"mbarrier.arrive.shared.b64 %r2, [%r1];", "register %r2 is .u32, expected .b64"},
    {"mbarrier.test_wait.shared.b64 %p1, [%r1], %r2;", "register %r2 is .u32, expected .b64"},
    {"mbarrier.test_wait.shared.b64 %p1, [%r1], %rd2, 5;", "expected 3 operands, found 4"},
    {"mbarrier.arrive.parity.shared.b64 %rd2, [%r1], 1;", "unsupported form of the instruction"},
    {"mbarrier.shared.b64 [%r1];", "missing operation"},
    {"cp.async.bulk.shared::cluster.global [%r1], [%rd1], 16;", "expected 4 operands, found 3"},
    {"cp.async.bulk.global.global.bulk_group [%rd1], [%rd2], 16;",
     "between `.global` and `.shared`"},
    {"cp.async.bulk.tensor.1d.global.shared::cta [%rd1], [%r2];",
     "expected [map, {1 coordinates}]"},
    {"barrier.cluster.sync;", "unsupported form of the instruction"},
    {"discard.global.L2 [%rd1], 64;", "expected a size of 128"},
    {"mapa.shared::cluster.f32 %f1, %f2, 0;", "unsupported form of the instruction"},
    // video instructions
    {"vadd.u32.u32.u32 %r1, %r2.b4, %r3;", "register selector not allowed here"},
    {"vadd.u32.u32.u32 %r1, %r2.h10, %r3;", "register selector not allowed here"},
    {"vadd.u32.u32.u32 %r1.b0, %r2, %r3;", "expected 4 operands, found 3"},
    {"vadd.u32.u32.u64 %r1, %r2, %r3;", "unsupported form of the instruction"},
    {"vadd4.u32.u32.u32 %r1.b01, %r2, %r3, %r4;", "register selector not allowed here"},
    {"vadd4.u32.u32.u32 %r1, %r2.b10, %r3, %r4;", "register selector not allowed here"},
    {"vadd2.u32.u32.u32.sat.add %r1, %r2, %r3, %r4;", "unsupported form of the instruction"},
    {"vset.u32.u32 %r1, %r2, %r3;", "missing comparison"},
    {"vmad.u32.u32.u32 %r1, %r2, %r3;", "expected 4 operands, found 3"},
    {"add.u32 %r1, %r2.b0, %r3;", "only valid in video instructions"},
    {"ld.global.u32 %r1, [%rd1.b0];", "invalid address"},
    // what is not supported, by name
    {"tcgen05.fence;", "tensor-core"},
    {"wgmma.mma_async.sync.aligned.m64n8k8.f32.f16.f16 {%r1,%r1,%r1,%r1}, %rd1, %rd1, %p1, 1, 1, "
     "0, 0;",
     "shape, layout and types"},
    {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r1,%r1,%r1,%r1}, %rd1, %rd1, %p1, 2, 1, "
     "0, 0;",
     "1 or -1"},
    {"wgmma.mma_async.sp.sync.aligned.m64n8k16.f32.f16.f16 {%r1,%r1,%r1,%r1}, %rd1, %rd1, %r1, 0, "
     "%p1, 1, 1, 0, 0;",
     "shape, layout and types"},
    {"wgmma.mma_async.sp.sync.aligned.m64n8k64.s32.s8.s8 {%r1,%r1,%r1,%r1}, %rd1, %rd1, %r1, 1, "
     "%p1;",
     "sparsity selector from 0 to 0"},
    {"red.async.relaxed.cluster.global.mbarrier::complete_tx::bytes.add.u32 [%rd1], %r1, [%rd2];",
     "unsupported form of the instruction"},
    {"setmaxnreg.inc.sync.aligned.u32 20;", "multiple of 8 from 24 to 256"},
    {"tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%rd1], 5, %r1;", "dimension from 0"},
    {"sured.b.add.2d.u32.trap [%rd1, {%r2, %r1}], %r3;", "surface reductions"},
    {"clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p1, %r1;", "clusters"},
};

static void what_cannot_run_is_refused_with_its_reason(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    err.text[0] = 0;
    Status status = load_body(refused[i].body);
    if (status == OK) fail_msg("was taken: %s", refused[i].body);
    if (!strstr(err.text, refused[i].part))
      fail_msg("%s\n  gives: %s\n  without: %s", refused[i].body, err.text, refused[i].part);
    char place[32];
    snprintf(place, sizeof place, "bad.ptx:%d:", BODY_LINE);
    if (strncmp(err.text, place, strlen(place)) != 0)
      fail_msg("%s\n  is not told at %s %s", refused[i].body, place, err.text);
    assert_int_equal(status_exit_code(status), 2);
  }
}

static void hostile_sizes_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *part;
  } hostile[] = {
      {".global .b8 a[99999999999999];", "a"},
      {".entry k() { .shared .b8 s[99999999]; .reg .u32 %r; mov.u32 %r, s; ret; }", "shared"},
      {".entry k() { .local .b8 s[99999999]; ret; }", "stack frame"},
      {".entry k(.param .b8 s[99999999]) { ret; }", "s"},
      {".global .u32 a[2] = {1, 2, 3};", "a"},
  };
  for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
    char text[512];
    snprintf(text, sizeof text, ".version 7.0\n.target sm_80\n.address_size 64\n%s\n",
             hostile[i].text);
    PtxText ptx = {"big.ptx", text, strlen(text)};
    Program *program;
    if (ptx_load_texts(&program, &ptx, 1, PROGRAM_BASE, &err) == OK)
      fail_msg("was taken: %s", hostile[i].text);
    assert_non_null(strstr(err.text, "big.ptx:4:"));
    assert_non_null(strstr(err.text, hostile[i].part));
  }
}

// ---- lines of the CUDA source

static Program *load_lines(const char *body) {
  char text[4096];
  snprintf(text, sizeof text,
           "%s%s\nret;\n}\n.file 1 \"/home/me/a.cu\"\n.file 2 \"/home/me/own.cuh\"\n"
           ".file 3 \"/usr/local/cuda/bin/../targets/x86_64-linux/include/sm_32_intrinsics.hpp\"\n"
           ".file 4 \"/usr/lib/llvm-14/lib/clang/14.0.6/include/__clang_cuda_intrinsics.h\"\n",
           head, body);
  PtxText ptx = {"lines.ptx", text, strlen(text)};
  Program *program;
  if (ptx_load_texts(&program, &ptx, 1, PROGRAM_BASE, &err) != OK) fail_msg("%s", err.text);
  return program;
}

static void expect_line(const char *body, const char *file, uint32_t line) {
  Program *program = load_lines(body);
  const Instruction *in = NULL;
  for (uint32_t pc = 0; pc < program->code_count; pc++)
    if (strncmp(program->code[pc].text, "ld.global", 9) == 0) in = &program->code[pc];
  assert_non_null(in);
  assert_string_equal(program->sources[in->source].file, file);
  assert_int_equal(program->sources[in->source].line, line);
  program_destroy(program);
}

static void intrinsics_belong_to_the_line_that_calls_them(void **state) {
  (void)state;
#define LOAD "ld.global.u32 %r1, [%rd1];\n"
  expect_line(".loc 1 7 3\n" LOAD, "/home/me/a.cu", 7);
  // As nvcc says it; the user's own functions keep their lines.
  expect_line(".loc 1 7 3\n.loc 3 112 47, function_name $i, inlined_at 1 8 3\n" LOAD,
              "/home/me/a.cu", 8);
  expect_line(".loc 1 7 3\n.loc 2 20 1, function_name $i, inlined_at 1 8 3\n" LOAD,
              "/home/me/own.cuh", 20);
  expect_line(
      ".loc 2 20 1, function_name $i, inlined_at 1 8 3\n"
      ".loc 3 112 47, function_name $j, inlined_at 2 21 1\n" LOAD,
      "/home/me/own.cuh", 21);
  // Clang does not say it: the last line before.
  expect_line(".loc 1 7 3\nadd.u32 %r2, %r3, 1;\n.loc 4 66 1\n" LOAD, "/home/me/a.cu", 7);
  expect_line(".loc 1 7 3\nadd.u32 %r2, %r3, 1;\n.loc 1 0 1\n" LOAD, "/home/me/a.cu", 7);
  // A kernel that is all in such a header has no other lines.
  expect_line(".loc 3 500 1\n" LOAD,
              "/usr/local/cuda/bin/../targets/x86_64-linux/include/sm_32_intrinsics.hpp", 500);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_frame_of_these_tests_is_right),
      cmocka_unit_test(what_cannot_run_is_refused_with_its_reason),
      cmocka_unit_test(intrinsics_belong_to_the_line_that_calls_them),
      cmocka_unit_test(hostile_sizes_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
