// SPDX-License-Identifier: MIT
// Comparison of the optimising pass with NVIDIA's assembler: static instructions and
// registers per thread of each kernel.
//
//   assembler [--arch N] [--opcodes | --list KERNEL] FILE.ptx...
//
// --arch: compute capability of both, 75 by default; --opcodes counts instructions by purpose,
// pass/SASS; --list prints the code of a kernel after the pass.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text_table.h"
#include "exec/memory/device_memory.h"
#include "frontends/ptx/link/load.h"
#include "support/assembler.h"
#include "support/opcodes.h"

enum { MOST_KERNELS = 4096 };

typedef struct Errors {
  double instructions[MOST_KERNELS], registers[MOST_KERNELS];
  int count;
} Errors;

static int by_size(const void *a, const void *b) {
  double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
  return x < y ? -1 : x > y;
}

static void print_errors(const char *what, double *errors, int count) {
  double sum = 0, signed_sum = 0;
  for (int i = 0; i < count; i++) {
    sum += fabs(errors[i]);
    signed_sum += errors[i];
  }
  qsort(errors, (size_t)count, sizeof *errors, by_size);
  printf("%s: median error %.1f %%, mean %.1f %%, signed mean %+.1f %%, of %d kernels\n", what,
         100 * fabs(errors[count / 2]), 100 * sum / count, 100 * signed_sum / count, count);
}

static void add_row(TextTable *table, const Function *plain, const Function *optimised,
                    const AssembledKernel *kernel, Errors *errors) {
  double instructions = (double)optimised->code_count / kernel->instructions - 1;
  double registers = (double)optimised->registers / kernel->registers - 1;
  text_table_add(table, "%.40s", kernel->name);
  text_table_add(table, "%u", plain->code_count);
  text_table_add(table, "%u", optimised->code_count);
  text_table_add(table, "%u", kernel->instructions);
  text_table_add(table, "%+.0f", 100 * instructions);
  text_table_add(table, "%u", plain->registers);
  text_table_add(table, "%u", optimised->registers);
  text_table_add(table, "%u", kernel->registers);
  text_table_add(table, "%+d", (int)optimised->registers - (int)kernel->registers);
  if (errors->count == MOST_KERNELS) return;
  errors->instructions[errors->count] = instructions;
  errors->registers[errors->count++] = registers;
}

static void list_kernel(const Program *program, const char *name) {
  const Function *kernel = program_find_kernel(program, name);
  for (uint32_t i = 0; kernel && i < kernel->code_count; i++) {
    const Instruction *in = &program->code[kernel->entry + i];
    printf("%4u %5u  %s%s%-24s", i, in->line, in->guard == NO_PLACE ? "" : "@",
           in->guard != NO_PLACE && in->guard_negated ? "!" : "", in->text);
    for (int k = 0; k < MAX_DESTINATIONS && in->dst[k] != NO_PLACE; k++) printf(" %d", in->dst[k]);
    printf(" <-");
    for (int k = 0; k < MAX_SOURCES && in->src[k] != NO_PLACE; k++)
      printf(in->src[k] < 0 ? " c%d" : " %d", in->src[k] < 0 ? ~in->src[k] : in->src[k]);
    if (in->form.op == OP_BRA) printf(" to %u", in->target - kernel->entry);
    printf("  +%lld\n", (long long)in->offset);
  }
}

static void add_opcodes(TextTable *table, const Program *program, const Function *function,
                        const AssembledKernel *kernel) {
  uint32_t ours[GROUP_COUNT], sass[GROUP_COUNT];
  opcodes_of_function(program, function, ours);
  opcodes_of_sass(kernel, sass);
  text_table_add(table, "%.40s", kernel->name);
  for (int g = 0; g < GROUP_COUNT; g++) text_table_add(table, "%u/%u", ours[g], sass[g]);
}

typedef struct Tables {
  TextTable counts, opcodes;
} Tables;

static void open_tables(Tables *tables) {
  static const char *const columns[] = {
      "kernel",          ">PTX",       ">optimised", ">SASS",       ">error %",
      ">registers, PTX", ">optimised", ">SASS",      ">difference", NULL};
  static const char *names[GROUP_COUNT + 2] = {"kernel"};
  static char right[GROUP_COUNT][16];
  for (int g = 0; g < GROUP_COUNT; g++) {
    snprintf(right[g], sizeof right[g], ">%s", opcode_group_names[g]);
    names[g + 1] = right[g];
  }
  text_table_init(&tables->counts, columns);
  text_table_init(&tables->opcodes, names);
}

static Status compare_file(const char *path, uint32_t architecture, const char *list,
                           Tables *tables, Errors *errors, Error *err) {
  Assembled assembled;
  Program *plain, *optimised;
  CompilerConfig compiler = {.optimise = true, .architecture = architecture};
  TRY(ptx_load_files(&plain, &path, 1, PROGRAM_BASE, err));
  TRY(ptx_compile_files(&optimised, &path, 1, PROGRAM_BASE, &compiler, err));
  if (list) list_kernel(optimised, list);
  TRY(assembler_run(&assembled, path, architecture, err));
  for (uint32_t i = 0; i < assembled.count; i++) {
    const AssembledKernel *kernel = &assembled.kernels[i];
    const Function *before = program_find_kernel(plain, kernel->name);
    const Function *after = program_find_kernel(optimised, kernel->name);
    if (!before || !after || !kernel->instructions || !kernel->registers) continue;
    add_row(&tables->counts, before, after, kernel, errors);
    add_opcodes(&tables->opcodes, optimised, after, kernel);
  }
  assembled_clear(&assembled);
  program_destroy(plain);
  program_destroy(optimised);
  return OK;
}

int main(int argc, char **argv) {
  static Errors errors;
  Error err;
  Tables tables = {0};
  uint32_t architecture = 75;
  if (argc > 2 && strcmp(argv[1], "--arch") == 0) {
    architecture = (uint32_t)strtoul(argv[2], NULL, 10);
    argc -= 2;
    argv += 2;
  }
  const char *list = argc > 3 && strcmp(argv[1], "--list") == 0 ? argv[2] : NULL;
  bool by_opcode = argc > 2 && strcmp(argv[1], "--opcodes") == 0;
  if (argc < 2 || !assembler_find()) {
    fprintf(stderr, argc < 2
                        ? "usage: assembler [--arch N] [--opcodes | --list KERNEL] FILE.ptx...\n"
                        : "assembler: ptxas not found\n");
    return 2;
  }
  open_tables(&tables);
  for (int i = list ? 3 : by_opcode ? 2 : 1; i < argc; i++)
    if (compare_file(argv[i], architecture, list, &tables, &errors, &err) != OK)
      fprintf(stderr, "%s\n", err.text);
  text_table_print(by_opcode ? &tables.opcodes : &tables.counts, stdout, 0);
  text_table_clear(&tables.counts);
  text_table_clear(&tables.opcodes);
  if (errors.count) {
    print_errors("instructions", errors.instructions, errors.count);
    print_errors("registers", errors.registers, errors.count);
  }
  return 0;
}
