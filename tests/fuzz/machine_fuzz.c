// SPDX-License-Identifier: MIT
// Whatever links runs on a machine with time, too: to its end, to a fault, to a
// deadlock that is told or to the limit of cycles; and the same, to the last
// count, when cycles in which nothing happens are not left out.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "frontends/ptx/link/load.h"
#include "exec/program_image.h"
#include "gpu/gpu.h"
#include "ptx_mutator.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BUFFER_BYTES = 4096, MOST_CYCLES = 20000, DEADLOCK_CYCLES = 5000, MOST_KERNELS = 4 };

typedef struct RunOutcome {
  MachineStats stats;
  Status status;
  FaultKind fault;
  Error error;
} RunOutcome;

static void drop(void *sink, const char *text, size_t length) {
  (void)sink, (void)text, (void)length;
}

static Status submit(Gpu *gpu, const Program *program, const Function *kernel, Launch **launch,
                     Error *err) {
  uint64_t buffer;
  TRY(device_memory_alloc(gpu_memory(gpu), BUFFER_BYTES, ALLOCATION_HEAP, "b", &buffer, err));
  uint8_t *params = memory_alloc(kernel->param_bytes + 8u);
  for (uint32_t i = 0; i < kernel->param_count; i++)
    memcpy(params + kernel->params[i].offset, &buffer,
           kernel->params[i].size_bytes < 8 ? kernel->params[i].size_bytes : 8);
  *launch = memory_alloc(sizeof **launch);
  Status status = launch_init(*launch, program, kernel, (uint32_t[]){3, 1, 1},
                              (uint32_t[]){40, 1, 1}, params, 64, 1024, err);
  if (status == OK) status = gpu_submit(gpu, *launch, err);
  if (status != OK) {
    launch_destroy(*launch);
    *launch = NULL;
  }
  return status;
}

// A kernel that a GPU does not take is passed over.
static void submit_some(Gpu *gpu, const Program *program, Launch *launches[MOST_KERNELS]) {
  Error ignored;
  for (uint32_t i = 0, made = 0; i < program->function_count && made < MOST_KERNELS; i++)
    if (program->functions[i].is_kernel &&
        submit(gpu, program, &program->functions[i], &launches[made], &ignored) == OK)
      made++;
}

static GpuConfig machine(void) {
  GpuConfig config;
  Error err;
  if (gpu_config_load(&config, "tiny", &err) != OK) abort();
  config.run.max_cycles = MOST_CYCLES;
  config.gpu.deadlock_cycles = DEADLOCK_CYCLES;
  return config;
}

// false: it does not load.
static bool run(const PtxText *text, bool no_skip, RunOutcome *outcome) {
  static GpuConfig config;
  if (!config.gpu.sm_count) config = machine();
  Program *program;
  Gpu *gpu;
  Error err;
  Launch *launches[MOST_KERNELS] = {0};
  if (ptx_load_texts(&program, text, 1, PROGRAM_BASE, &err) != OK) return false;
  if (gpu_create(&gpu, &config, &(GpuOptions){.no_skip = no_skip}, &err) != OK) abort();
  gpu_set_print(gpu, drop, NULL);
  memset(outcome, 0, sizeof *outcome);
  err.text[0] = '\0';
  outcome->status = program_place_variables(program, gpu_memory(gpu), &err);
  if (outcome->status == OK) {
    submit_some(gpu, program, launches);
    outcome->status = gpu_run(gpu, &err);
  }
  if (outcome->status != OK && !err.text[0]) abort();
  outcome->fault = gpu_fault(gpu);
  outcome->error = err;
  outcome->stats = *gpu_total(gpu);
  gpu_destroy(gpu);
  for (uint32_t i = 0; i < MOST_KERNELS; i++) launch_destroy(launches[i]);
  program_destroy(program);
  return true;
}

static void check_same_fault(const RunOutcome *a, const RunOutcome *b) {
  if (a->fault == b->fault && strcmp(a->error.text, b->error.text) == 0) return;
  fprintf(stderr, "without skipping: %s\nskipping: %s\n", b->error.text, a->error.text);
  abort();
}

static void check_same(const RunOutcome *a, const RunOutcome *b) {
  // That nothing can happen any more is known at once, or after as many cycles as are allowed.
  if (a->status == ERR_DEADLOCK && b->status == ERR_DEADLOCK) return;
  // When one SM has a fault, others may have run ahead of it.
  if (a->status == ERR_PROGRAM && b->status == ERR_PROGRAM) {
    check_same_fault(a, b);
    return;
  }
  if (a->status == b->status && memcmp(&a->stats, &b->stats, sizeof a->stats) == 0) return;
  fprintf(stderr, "without skipping: status %d, not %d\n", b->status, a->status);
  for (const StatsPart *part = machine_stats_parts; part->prefix; part++)
    for (const Stat *stat = part->table; stat->name; stat++) {
      uint64_t x = stat_count(stat, (const char *)&a->stats + part->offset);
      uint64_t y = stat_count(stat, (const char *)&b->stats + part->offset);
      if (x != y)
        fprintf(stderr, "%s%s is %llu, not %llu\n", part->prefix, stat->name, (unsigned long long)y,
                (unsigned long long)x);
    }
  abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static RunOutcome skipping, stepping;
  PtxText text = {"fuzz.ptx", (const char *)data, size};
  if (!run(&text, false, &skipping)) return 0;
  if (!run(&text, true, &stepping)) abort();
  check_same(&skipping, &stepping);
  return 0;
}
