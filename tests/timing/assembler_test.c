// SPDX-License-Identifier: MIT
// The optimising pass beside NVIDIA's assembler, on the reference kernels: how
// many instructions are left and how many registers they take.
#include <math.h>
#include <stdlib.h>

#include "exec/memory/device_memory.h"
#include "frontends/ptx/link/load.h"
#include "support/assembler.h"
#include "unit/cmocka_all.h"

enum { KERNELS = 17 };

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static void is_near_the_assembler(void **state) {
  (void)state;
  if (!assembler_find()) {
    print_message("SKIPPED: no ptxas here to compare with\n");
    skip();
  }
  const char *path = "tests/reference/ref.ptx";
  Assembled assembled;
  Program *program;
  Error err;
  CompilerConfig compiler = {.optimise = true};
  double instructions[KERNELS], registers[KERNELS];
  if (assembler_run(&assembled, path, 75, &err) != OK) fail_msg("%s", err.text);
  if (ptx_compile_files(&program, &path, 1, PROGRAM_BASE, &compiler, &err) != OK)
    fail_msg("%s", err.text);
  assert_int_equal(assembled.count, KERNELS);
  for (int i = 0; i < KERNELS; i++) {
    const AssembledKernel *kernel = &assembled.kernels[i];
    const Function *ours = program_find_kernel(program, kernel->name);
    assert_non_null(ours);
    instructions[i] = fabs((double)ours->code_count / kernel->instructions - 1);
    registers[i] = fabs((double)ours->registers / kernel->registers - 1);
    print_message("  %-16s %4u instructions, %4u of SASS; %3u registers, %3u taken\n", kernel->name,
                  ours->code_count, kernel->instructions, ours->registers, kernel->registers);
  }
  qsort(instructions, KERNELS, sizeof *instructions, by_size);
  qsort(registers, KERNELS, sizeof *registers, by_size);
  print_message("  median error: instructions %.1f %%, registers %.1f %%\n",
                100 * instructions[KERNELS / 2], 100 * registers[KERNELS / 2]);
  assert_true(instructions[KERNELS / 2] < 0.2);
  assert_true(registers[KERNELS / 2] < 0.25);
  assembled_clear(&assembled);
  program_destroy(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(is_near_the_assembler)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
