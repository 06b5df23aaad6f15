// SPDX-License-Identifier: MIT
// The estimate of registers a thread: habits it must have, and, where NVIDIA's
// assembler is installed, how far it is off on the reference kernels.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files/file.h"
#include "base/memory.h"
#include "frontends/ptx/link/load.h"
#include "exec/memory/device_memory.h"
#include "unit/cmocka_all.h"

#define HEAD ".version 6.4\n.target sm_70\n.address_size 64\n"
#define REGISTERS ".reg .u32 %r<99>; .reg .u64 %rd<99>; .reg .f32 %f<99>; .reg .pred %p<9>;\n"

static Program *load(const char *text) {
  Program *program;
  Error err;
  PtxText ptx = {"test.ptx", text, strlen(text)};
  if (ptx_load_texts(&program, &ptx, 1, PROGRAM_BASE, &err) != OK) fail_msg("%s", err.text);
  return program;
}

static uint32_t registers_of(const char *text) {
  Program *program = load(text);
  const Function *kernel = program_find_kernel(program, "k");
  uint32_t registers = kernel ? kernel->registers : 0;
  program_destroy(program);
  return registers;
}

// A kernel that loads `count` values, then stores them all.
static char *loads_then_stores(int count) {
  static char text[8192];
  int used = snprintf(text, sizeof text, "%s%s%s", HEAD ".entry k(.param .u64 p) {\n", REGISTERS,
                      "mov.u32 %r98, %tid.x; mul.wide.u32 %rd1, %r98, 4;\n"
                      "ld.param.u64 %rd2, [p]; add.u64 %rd3, %rd2, %rd1;\n");
  for (int i = 0; i < count; i++)
    used += snprintf(text + used, sizeof text - (size_t)used, "ld.global.u32 %%r%d, [%%rd3+%d];\n",
                     i, i * 128);
  for (int i = 0; i < count; i++)
    used += snprintf(text + used, sizeof text - (size_t)used, "st.global.u32 [%%rd3+%d], %%r%d;\n",
                     8192 + i * 128, i);
  snprintf(text + used, sizeof text - (size_t)used, "ret; }\n");
  return text;
}

static void every_value_that_lives_takes_a_register(void **state) {
  (void)state;
  uint32_t ten = registers_of(loads_then_stores(10)), forty = registers_of(loads_then_stores(40));
  assert_int_equal(forty - ten, 30);
  assert_in_range(ten, 12, 20);
}

static void parameters_cost_nothing(void **state) {
  (void)state;
  uint32_t few = registers_of(HEAD ".entry k(.param .u64 p, .param .u32 a) {" REGISTERS
                                   "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [a];"
                                   "st.global.u32 [%rd1], %r1; ret; }");
  uint32_t many = registers_of(
      HEAD
      ".entry k(.param .u64 p, .param .u32 a, .param .u32 b, .param .u32 c, .param .u32 d) "
      "{" REGISTERS
      "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [a]; ld.param.u32 %r2, [b];"
      "ld.param.u32 %r3, [c]; ld.param.u32 %r4, [d]; add.u32 %r5, %r1, %r2; add.u32 %r6, %r3, %r4;"
      "add.u32 %r7, %r5, %r6; st.global.u32 [%rd1], %r7; ret; }");
  assert_int_equal(few, many);
}

static void loads_are_counted_as_issued_early(void **state) {
  (void)state;
  // Written one after the other, each value would be dead before the next.
  uint32_t apart =
      registers_of(HEAD ".entry k(.param .u64 p) {" REGISTERS
                        "mov.u32 %r98, %tid.x; mul.wide.u32 %rd1, %r98, 4; ld.param.u64 %rd2, [p];"
                        "add.u64 %rd3, %rd2, %rd1; mov.u32 %r0, 0;"
                        "ld.global.u32 %r1, [%rd3]; add.u32 %r0, %r0, %r1;"
                        "ld.global.u32 %r2, [%rd3+4]; add.u32 %r0, %r0, %r2;"
                        "ld.global.u32 %r3, [%rd3+8]; add.u32 %r0, %r0, %r3;"
                        "ld.global.u32 %r4, [%rd3+12]; add.u32 %r0, %r0, %r4;"
                        "ld.global.u32 %r5, [%rd3+16]; add.u32 %r0, %r0, %r5;"
                        "ld.global.u32 %r6, [%rd3+20]; add.u32 %r0, %r0, %r6;"
                        "st.global.u32 [%rd3], %r0; ret; }");
  assert_in_range(apart, 12, 16);
}

static void maxnreg_is_an_upper_bound_and_calls_set_registers_aside(void **state) {
  (void)state;
  assert_int_equal(registers_of(HEAD ".entry k() .maxnreg 8 { ret; }"), 8);
  assert_int_equal(
      registers_of(HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);"
                        ".entry k() {" REGISTERS "{ .param .b64 f, a; .param .b32 r;"
                        "mov.u64 %rd1, 0; st.param.b64 [f], %rd1; st.param.b64 [a], %rd1;"
                        "call (r), vprintf, (f, a); } ret; }"),
      24);
}

static void launch_bounds_leave_a_thread_its_share_of_the_registers(void **state) {
  (void)state;
  static const struct {
    const char *bounds;
    uint32_t registers;
  } tries[] = {{"", 69},
               {".maxntid 1024", 64},
               {".maxntid 256 .minnctapersm 5", 48},
               {".maxntid 64 .minnctapersm 2", 69},
               {".reqntid 1024 .minnctapersm 8", 16}};
  for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
    char text[8192];
    int at = snprintf(text, sizeof text,
                      "%s.entry k(.param .u64 p) %s {%s.reg .u32 %%v<64>; ld.param.u64 %%rd1, [p];",
                      HEAD, tries[i].bounds, REGISTERS);
    for (int v = 0; v < 64; v++)
      at += snprintf(text + at, sizeof text - (size_t)at, "ld.global.u32 %%v%d, [%%rd1+%d];", v,
                     4 * v);
    for (int v = 0; v < 64; v++)
      at += snprintf(text + at, sizeof text - (size_t)at, "st.global.u32 [%%rd1+%d], %%v%d;",
                     4 * (v * 5 % 64), v);
    snprintf(text + at, sizeof text - (size_t)at, "ret; }");
    assert_int_equal(registers_of(text), tries[i].registers);
  }
}

// ---- against the assembler

static const char *find_assembler(void) {
  static const char *const names[] = {"ptxas", "/usr/local/cuda/bin/ptxas"};
  for (size_t i = 0; i < 2; i++) {
    char command[128];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", names[i]);
    if (system(command) == 0) return names[i];
  }
  return NULL;
}

// The reference kernels were compiled for a GPU that the assembler has forgotten.
static void write_for_sm_75(const char *from, const char *path) {
  char *text;
  size_t length;
  Error err;
  if (file_read(from, 1 << 24, &text, &length, &err) != OK) fail_msg("%s", err.text);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  for (char *line = text, *next; *line; line = next) {
    next = line + strcspn(line, "\n");
    if (*next) *next++ = 0;
    if (strncmp(line, ".version", 8) == 0) line = ".version 8.0";
    if (strncmp(line, ".target", 7) == 0) line = ".target sm_75";
    fprintf(file, "%s\n", line);
  }
  fclose(file);
  memory_free(text);
}

static void is_near_what_the_assembler_takes(void **state) {
  (void)state;
  const char *assembler = find_assembler();
  if (!assembler) {
    print_message("SKIPPED: no ptxas here to compare with\n");
    skip();
  }
  char path[] = "/tmp/registers_test_XXXXXX", command[256], line[512], name[256] = "";
  assert_true(mkstemp(path) >= 0);
  write_for_sm_75("tests/reference/ref.ptx", path);
  Program *program;
  const char *paths[] = {"tests/reference/ref.ptx"};
  Error err;
  if (ptx_load_files(&program, paths, 1, PROGRAM_BASE, &err) != OK) fail_msg("%s", err.text);
  snprintf(command, sizeof command, "%s -v -arch=sm_75 %s -o /dev/null 2>&1", assembler, path);
  FILE *output = popen(command, "r");
  double sum = 0;
  int count = 0;
  while (output && fgets(line, sizeof line, output)) {
    unsigned taken = 0;
    const char *used = strstr(line, "Used ");
    if (sscanf(line, "ptxas info : Compiling entry function '%255[^']", name) == 1) continue;
    if (!used || sscanf(used, "Used %u registers", &taken) != 1) continue;
    const Function *kernel = program_find_kernel(program, name);
    assert_non_null(kernel);
    double off = ((double)kernel->registers - taken) / taken;
    print_message("  %-16s %3u taken, %3u estimated %+6.1f %%\n", name, taken, kernel->registers,
                  100 * off);
    sum += off < 0 ? -off : off;
    count++;
  }
  if (output) pclose(output);
  remove(path);
  program_destroy(program);
  assert_in_range(count, 17, 17);
  print_message("  mean error %.1f %%\n", 100 * sum / count);
  assert_true(sum / count < 0.2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_value_that_lives_takes_a_register),
      cmocka_unit_test(parameters_cost_nothing),
      cmocka_unit_test(loads_are_counted_as_issued_early),
      cmocka_unit_test(maxnreg_is_an_upper_bound_and_calls_set_registers_aside),
      cmocka_unit_test(launch_bounds_leave_a_thread_its_share_of_the_registers),
      cmocka_unit_test(is_near_what_the_assembler_takes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
