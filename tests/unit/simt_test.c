// SPDX-License-Identifier: MIT
// A warp gives every lane what the lane would get alone. Random programs, with
// jumps anywhere, calls, guards and registers of all widths, run once with 32
// threads in a warp and once thread by thread; nothing may differ.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "frontends/ptx/link/load.h"
#include "functional/functional.h"
#include "exec/barrier.h"
#include "exec/memory/device_memory.h"
#include "unit/cmocka_all.h"

enum { NARROW = 6, WIDE = 4, PREDICATES = 3, BLOCKS = 8, RESULT_BYTES = NARROW * 4 + WIDE * 8 };

typedef struct Writer {
  char text[32768];
  size_t used;
  uint32_t seed, label;
} Writer;

static void put(Writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(Writer *writer, const char *format, ...) {
  va_list args;
  va_start(args, format);
  writer->used += (size_t)vsnprintf(writer->text + writer->used, sizeof writer->text - writer->used,
                                    format, args);
  va_end(args);
  assert_true(writer->used < sizeof writer->text);
}

static uint32_t roll(Writer *writer, uint32_t sides) {
  writer->seed = writer->seed * 1664525 + 1013904223;
  return (writer->seed >> 8) % sides;
}

static void put_guard(Writer *writer) {
  if (roll(writer, 4) == 0)
    put(writer, "@%s%%p%u ", roll(writer, 2) ? "!" : "", roll(writer, PREDICATES));
}

// A short loop that each lane leaves when it likes, with registers that live
// nowhere else: their places are those of others.
static void put_loop(Writer *writer) {
  uint32_t label = writer->label++, s = roll(writer, NARROW), v = roll(writer, WIDE);
  uint32_t r = roll(writer, NARROW), from = roll(writer, NARROW), limit = roll(writer, NARROW);
  put(writer, "{\n.reg .u32 %%s<%d>, %%i;\n.reg .u64 %%v<%d>;\nmov.u32 %%i, 0;\nL%u:\n", NARROW,
      WIDE, label);
  put(writer, "cvt.u64.u32 %%v%u, %%r%u;\nmul.lo.u64 %%v%u, %%v%u, 77;\n", v, from, v, v);
  put(writer, "cvt.u32.u64 %%s%u, %%v%u;\nadd.u32 %%s%u, %%s%u, %%i;\n", s, v, (s + 1) % NARROW, s);
  put(writer, "add.u32 %%i, %%i, 1;\nand.b32 %%t, %%r%u, 7;\nsetp.le.u32 %%q, %%i, %%t;\n", limit);
  put(writer, "@%%q bra L%u;\nadd.u32 %%r%u, %%r%u, %%s%u;\n}\n", label, r, r, (s + 1) % NARROW);
}

// One random instruction on the registers r (32 bits), w (64 bits) and p.
static void put_instruction(Writer *writer) {
  static const char *const narrow[] = {"add.u32", "sub.u32", "xor.b32", "mul.lo.u32", "min.u32"};
  static const char *const wide[] = {"add.u64", "sub.u64", "or.b64", "mul.lo.u64", "max.u64"};
  static const char *const compare[] = {"lt", "ge", "eq", "ne"};
  uint32_t r = roll(writer, NARROW), s = roll(writer, NARROW), t = roll(writer, NARROW);
  uint32_t w = roll(writer, WIDE), x = roll(writer, WIDE), p = roll(writer, PREDICATES);
  if (roll(writer, 5) == 0) {
    put_loop(writer);
    return;
  }
  put_guard(writer);
  switch (roll(writer, 9)) {
    case 0:
    case 1: put(writer, "%s %%r%u, %%r%u, %%r%u;\n", narrow[roll(writer, 5)], r, s, t); break;
    case 2: put(writer, "%s %%w%u, %%w%u, %u;\n", wide[roll(writer, 5)], w, x, s + 3); break;
    case 3: put(writer, "cvt.u64.u32 %%w%u, %%r%u;\n", w, r); break;
    case 4: put(writer, "cvt.u32.u64 %%r%u, %%w%u;\n", r, w); break;
    case 5: put(writer, "mad.lo.u32 %%r%u, %%r%u, %%nctaid.x, %u;\n", r, s, t); break;
    case 6: put(writer, "mul.wide.u32 %%w%u, %%r%u, %%r%u;\n", w, r, s); break;
    case 7: put(writer, "call (%%r%u), f, (%%r%u, %%w%u);\n", r, s, w); break;
    default:
      put(writer, "and.b32 %%t, %%r%u, %u;\nsetp.%s.u32 %%p%u, %%t, %u;\n", r, roll(writer, 8) + 1,
          compare[roll(writer, 4)], p, roll(writer, 5));
  }
}

// Every block pays for its run, so that all programs end.
static void put_block(Writer *writer, uint32_t b) {
  put(writer, "B%u:\nsub.u32 %%fuel, %%fuel, 1;\nsetp.eq.u32 %%q, %%fuel, 0;\n@%%q bra DONE;\n", b);
  for (uint32_t i = 0, count = 1 + roll(writer, 5); i < count; i++) put_instruction(writer);
  uint32_t kind = roll(writer, 8), p = roll(writer, PREDICATES);
  if (kind < 5) put(writer, "@%s%%p%u bra B%u;\n", kind & 1 ? "!" : "", p, roll(writer, BLOCKS));
  if (kind == 5) put(writer, "bra B%u;\n", roll(writer, BLOCKS));
  if (kind == 6) put(writer, "@%%p%u bra DONE;\n", p);
  if (kind == 7)
    put(writer,
        "and.b32 %%t, %%r%u, 3;\nT%u: .branchtargets B%u, B%u, DONE, B%u;\nbrx.idx %%t, T%u;\n",
        roll(writer, NARROW), b, roll(writer, BLOCKS), roll(writer, BLOCKS), roll(writer, BLOCKS),
        b);
}

// Recurses as deep as its argument's low bits say, through both of its calls.
static const char *const function_text =
    ".func (.reg .u32 %y) f(.reg .u32 %x, .reg .u64 %v) {\n"
    ".reg .u32 %a, %b, %m; .reg .u64 %c, %d; .reg .pred %p;\n"
    "and.b32 %a, %x, 3;\ncvt.u64.u32 %c, %x;\nadd.u64 %d, %c, %v;\ncvt.u32.u64 %y, %d;\n"
    "setp.eq.u32 %p, %a, 0;\n@%p ret;\n"
    "sub.u32 %a, %a, 1;\nmul.lo.u64 %d, %d, 5;\n"
    "call (%b), f, (%a, %d);\n"
    "setp.gt.u32 %p, %a, 1;\n@%p bra SKIP;\n"
    "shl.b64 %c, %d, 1;\ncall (%m), f, (%a, %c);\nadd.u32 %b, %b, %m;\n"
    "SKIP:\nadd.u32 %y, %y, %b;\nret;\n}\n";

static void put_program(Writer *writer) {
  put(writer, ".version 6.4\n.target sm_70\n.address_size 64\n%s", function_text);
  put(writer,
      ".entry k(.param .u64 out, .param .u32 first) {\n.reg .u32 %%r<%d>, %%t, %%fuel, %%id;\n"
      ".reg .u64 %%w<%d>, %%at, %%o;\n.reg .pred %%p<%d>, %%q;\n",
      NARROW, WIDE, PREDICATES);
  put(writer,
      "mov.u32 %%id, %%tid.x;\nld.param.u32 %%t, [first];\nadd.u32 %%id, %%id, %%t;\nmov.u32 %%t, "
      "0;\n");
  for (uint32_t r = 0; r < NARROW; r++)
    put(writer, "mad.lo.u32 %%r%u, %%id, %u, %u;\n", r, r + 1, r);
  for (uint32_t w = 0; w < WIDE; w++) put(writer, "mul.wide.u32 %%w%u, %%id, %u;\n", w, w + 7);
  for (uint32_t p = 0; p < PREDICATES; p++) put(writer, "setp.gt.u32 %%p%u, %%id, %u;\n", p, p * 9);
  put(writer, "mov.u32 %%fuel, 40;\n");
  for (uint32_t b = 0; b < BLOCKS; b++) put_block(writer, b);
  put(writer,
      "DONE:\nld.param.u64 %%o, [out];\nmul.wide.u32 %%at, %%id, %d;\nadd.u64 %%o, %%o, %%at;\n",
      RESULT_BYTES);
  for (uint32_t w = 0; w < WIDE; w++) put(writer, "st.global.u64 [%%o+%u], %%w%u;\n", w * 8, w);
  for (uint32_t r = 0; r < NARROW; r++)
    put(writer, "st.global.u32 [%%o+%u], %%r%u;\n", WIDE * 8 + r * 4, r);
  put(writer, "ret;\n}\n");
}

typedef struct Machine {
  Program *program;
  DeviceMemory *memory;
  ExecContext context;
  uint64_t out;
  Error err;
} Machine;

static void run(Machine *machine, uint32_t first, uint32_t threads) {
  uint8_t params[16] = {0};
  memcpy(params, &machine->out, 8);
  memcpy(params + 8, &first, 4);
  Launch launch;
  FunctionalOptions options = {.sm_count = 1, .ctas_per_sm = 1, .max_instructions = 1000000};
  const Function *kernel = program_find_kernel(machine->program, "k");
  Status status = launch_init(&launch, machine->program, kernel, (uint32_t[]){1, 1, 1},
                              (uint32_t[]){threads, 1, 1}, params, 0, 4096, &machine->err);
  if (status == OK) status = functional_run(&machine->context, &launch, &options, &machine->err);
  if (status != OK) fail_msg("%s", machine->err.text);
}

static void compare_runs(Writer *writer) {
  Machine machine = {.memory = device_memory_create(1 << 24)};
  PtxText text = {"random.ptx", writer->text, writer->used};
  if (ptx_load_texts(&machine.program, &text, 1, PROGRAM_BASE, &machine.err) != OK)
    fail_msg("%s", machine.err.text);
  machine.context.memory = machine.memory;
  uint8_t together[32 * RESULT_BYTES], alone[32 * RESULT_BYTES];
  device_memory_alloc(machine.memory, sizeof together, ALLOCATION_HEAP, "out", &machine.out, NULL);
  run(&machine, 0, 32);
  device_memory_read(machine.memory, machine.out, together, sizeof together, NULL);
  device_memory_set(machine.memory, machine.out, 0, sizeof together, NULL);
  for (uint32_t lane = 0; lane < 32; lane++) run(&machine, lane, 1);
  device_memory_read(machine.memory, machine.out, alone, sizeof alone, NULL);
  for (size_t i = 0; i < sizeof alone; i++) {
    if (together[i] == alone[i]) continue;
    fputs(writer->text, stderr);
    fail_msg("lane %zu: byte %zu of its results is not what the lane gets alone", i / RESULT_BYTES,
             i % RESULT_BYTES);
  }
  program_destroy(machine.program);
  device_memory_destroy(machine.memory);
}

static void lanes_get_what_they_would_get_alone(void **state) {
  (void)state;
  Writer *writer = memory_alloc(sizeof *writer);
  for (uint32_t round = 0; round < 400; round++) {
    *writer = (Writer){.seed = round * 7919 + 1};
    put_program(writer);
    compare_runs(writer);
  }
  memory_free(writer);
}

// ---- the stack itself

static Program *load(const char *text) {
  Program *program;
  Error err;
  PtxText ptx = {"test.ptx", text, strlen(text)};
  if (ptx_load_texts(&program, &ptx, 1, PROGRAM_BASE, &err) != OK) fail_msg("%s", err.text);
  return program;
}

// Steps one warp to its end; returns the deepest stack.
static uint32_t deepest_stack(const char *text, uint64_t *instructions) {
  Program *program = load(text);
  Launch launch;
  Cta cta;
  Warp warp = {0};
  ExecContext context = {0};
  uint32_t deepest = 0, active;
  assert_int_equal(launch_init(&launch, program, program_find_kernel(program, "k"),
                               (uint32_t[]){1, 1, 1}, (uint32_t[]){32, 1, 1}, NULL, 0, 1024, NULL),
                   OK);
  cta_start(&cta, &launch, 0, NULL, &warp, 0);
  while (warp.state == WARP_RUNNING && warp.instructions < 100000) {
    warp_step(&context, &warp, &active);
    if (warp.stack_depth > deepest) deepest = warp.stack_depth;
  }
  assert_int_equal(warp.state, WARP_DONE);
  assert_int_equal(warp.exited, FULL_MASK);
  *instructions = warp.instructions;
  warp_clear(&warp);
  program_destroy(program);
  return deepest;
}

#define HEAD                                                      \
  ".version 6.4\n.target sm_70\n.address_size 64\n.entry k() {\n" \
  ".reg .u32 %r<9>; .reg .pred %p<9>; mov.u32 %r0, %tid.x;\n"

static void lanes_that_leave_a_loop_one_by_one_do_not_fill_the_stack(void **state) {
  (void)state;
  uint64_t instructions;
  uint32_t deepest = deepest_stack(HEAD
                                   "mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1;"
                                   "setp.lt.u32 %p1, %r1, %r0; @%p1 bra L; ret; }",
                                   &instructions);
  assert_in_range(deepest, 2, 3);
  assert_int_equal(instructions, 2 + 31 * 3 + 1);
}

static void paths_of_a_branch_run_once_each(void **state) {
  (void)state;
  uint64_t instructions;
  assert_int_equal(deepest_stack(HEAD "setp.lt.u32 %p1, %r0, 5; @%p1 bra A; mov.u32 %r1, 1;"
                                      "mov.u32 %r1, 2; bra B; A: mov.u32 %r1, 3; B: ret; }",
                                 &instructions),
                   3);
  assert_int_equal(instructions, 3 + 3 + 1 + 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lanes_get_what_they_would_get_alone),
      cmocka_unit_test(lanes_that_leave_a_loop_one_by_one_do_not_fill_the_stack),
      cmocka_unit_test(paths_of_a_branch_run_once_each),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
