// SPDX-License-Identifier: MIT
// Runs a few lines of PTX on a machine and keeps the cycle of every issue, so
// that tests can state sequences and gaps:
//
//   log_run(&log, &config, 1, 32, "add.u32 %r1, %r0, 1;  // A\n"
//                                 "add.u32 %r2, %r1, 1;  // B\n");
//   assert_int_equal(log_gap(&log, "A", "B"), 10);
//
// A line ends with a comment where it has a name. %r0 is %tid.x and %rd0 the
// address of a buffer of 4 MB when the first line issues; %r, %rd, %f, %fd and
// %p are declared. Unless a test says otherwise, code and parameters cost
// nothing: log_config switches their caches off.
#ifndef TIMING_ISSUE_LOG_H
#define TIMING_ISSUE_LOG_H

#include <stdio.h>
#include <string.h>

#include "frontends/ptx/link/load.h"
#include "exec/program_image.h"
#include "gpu/gpu.h"
#include "exec/memory/device_memory.h"
#include "unit/cmocka_all.h"
#include "unit/launch_support.h"

enum { LOG_MAX_ISSUES = 16384, LOG_TEXT_BYTES = 16384, LOG_BUFFER_BYTES = 4 << 20 };

typedef struct LogEntry {
  Cycle cycle;  // since the kernel began
  uint32_t line, sm, warp;
  uint8_t kind;  // EVENT_ISSUE or EVENT_CTA_END
} LogEntry;

typedef struct IssueLog {
  char text[LOG_TEXT_BYTES];
  LogEntry entries[LOG_MAX_ISSUES];
  uint32_t count;
  Cycle cycles;  // of the last kernel
  MachineStats stats;
} IssueLog;

// ---- the observer

static IssueLog *log_current;  // cmocka runs one test at a time
static const Program *log_program;
static Cycle log_started;

static void log_events(void *state, const MemEvent *events, uint32_t count) {
  (void)state;
  for (uint32_t i = 0; i < count; i++) {
    const MemEvent *event = &events[i];
    if (event->kind != EVENT_ISSUE && event->kind != EVENT_CTA_END) continue;
    assert_true(log_current->count < LOG_MAX_ISSUES);
    uint32_t line = event->kind == EVENT_ISSUE ? log_program->code[event->requester.pc].line : 0;
    log_current->entries[log_current->count++] = (LogEntry){.cycle = event->cycle - log_started,
                                                            .line = line,
                                                            .sm = event->requester.sm,
                                                            .warp = event->requester.warp,
                                                            .kind = event->kind};
  }
}

static void log_kernel_start(void *state, const KernelView *kernel) {
  (void)state;
  log_started = kernel->now;
  log_current->count = 0;  // the last kernel's issues are kept
}

static const ObserverType log_observer = {
    .policy = {.name = "log", .summary = "keeps issues", .state_size = 1},
    .wants = 1u << EVENT_ISSUE | 1u << EVENT_CTA_END,
    .on_kernel_start = log_kernel_start,
    .on_events = log_events,
};

// ---- running

static void log_check(Status status, const Error *err) {
  if (status != OK) fail_msg("%s", err->text);
}

// The gtx480 with this many SMs whose code and parameters cost nothing.
static inline GpuConfig log_config(uint32_t sms) {
  GpuConfig config;
  Error err;
  log_check(gpu_config_load(&config, "gtx480", &err), &err);
  config.gpu.sm_count = sms;
  config.l1i.enabled = config.l1c.enabled = false;
  return config;
}

static const char *log_directives = "";  // of the kernel

static void log_wrap(IssueLog *log, const char *body) {
  int length = snprintf(log->text, LOG_TEXT_BYTES,
                        ".version 6.0\n.target sm_35\n.address_size 64\n"
                        ".visible .entry k(.param .u64 buffer) %s\n{\n"
                        ".reg .u32 %%r<40>; .reg .u64 %%rd<40>; .reg .f32 %%f<40>;\n"
                        ".reg .f64 %%fd<40>; .reg .pred %%p<8>;\n"
                        ".shared .align 16 .b8 shared[16384];\n"
                        "ld.param.u64 %%rd0, [buffer];\n"
                        "mov.u32 %%r0, %%tid.x;\n"
                        "%s"
                        "exit;\n}\n",
                        log_directives, body);
  assert_true(length > 0 && length < LOG_TEXT_BYTES);
}

static void log_launch(Gpu *gpu, const Program *program, uint64_t buffer, uint32_t ctas,
                       uint32_t threads) {
  Error err;
  Launch launch;
  const Function *kernel = program_find_kernel(program, "k");
  const uint32_t grid[3] = {ctas, 1, 1}, block[3] = {threads, 1, 1};
  log_check(
      launch_init(&launch, program, kernel, grid, block, (const uint8_t *)&buffer, 0, 1024, &err),
      &err);
  log_check(gpu_submit(gpu, launch_kept(&launch), &err), &err);
  log_check(gpu_run(gpu, &err), &err);
}

// The kernel, several times over on the same machine; the last is kept.
static void log_run_again(IssueLog *log, const GpuConfig *config, uint32_t launches, uint32_t ctas,
                          uint32_t threads, const char *body) {
  Error err;
  Gpu *gpu;
  Program *program;
  uint64_t buffer;
  *log = (IssueLog){0};
  log_wrap(log, body);
  PtxText text = {"test.ptx", log->text, strlen(log->text)};
  log_check(ptx_load_texts(&program, &text, 1, PROGRAM_BASE, &err), &err);
  log_check(gpu_create(&gpu, config, NULL, &err), &err);
  log_check(program_place_variables(program, gpu_memory(gpu), &err), &err);
  log_check(device_memory_alloc(gpu_memory(gpu), LOG_BUFFER_BYTES, ALLOCATION_HEAP, "buffer",
                                &buffer, &err),
            &err);
  log_current = log;
  log_program = program;
  log_check(gpu_observe(gpu, &log_observer, "log", &err), &err);
  for (uint32_t i = 0; i < launches; i++) log_launch(gpu, program, buffer, ctas, threads);
  log->cycles = gpu_kernel(gpu, launches - 1)->stats->cycles;
  log->stats = *gpu_total(gpu);
  gpu_destroy(gpu);
  program_destroy(program);
}

static void log_run(IssueLog *log, const GpuConfig *config, uint32_t ctas, uint32_t threads,
                    const char *body) {
  log_run_again(log, config, 1, ctas, threads, body);
}

// ---- asking

// The number of the line that ends with "// NAME".
static uint32_t log_line(const IssueLog *log, const char *name) {
  char comment[32];
  snprintf(comment, sizeof comment, "// %s\n", name);
  const char *at = strstr(log->text, comment);
  assert_non_null(at);
  uint32_t line = 1;
  for (const char *c = log->text; c < at; c++) line += *c == '\n';
  return line;
}

// The n-th issue (from 0) of a line by a warp of SM 0.
static Cycle log_issue(const IssueLog *log, const char *name, uint32_t warp, uint32_t n) {
  uint32_t line = log_line(log, name);
  for (uint32_t i = 0; i < log->count; i++) {
    const LogEntry *entry = &log->entries[i];
    if (entry->kind == EVENT_ISSUE && entry->line == line && entry->warp == warp &&
        entry->sm == 0 && n-- == 0)
      return entry->cycle;
  }
  fail_msg("warp %u did not issue %s", warp, name);
  return 0;
}

// From one line's first issue to another's, by warp 0.
static inline int64_t log_gap(const IssueLog *log, const char *from, const char *to) {
  return (int64_t)(log_issue(log, to, 0, 0) - log_issue(log, from, 0, 0));
}

// From a line's first issue by warp 0 to the end of the first CTA.
static inline int64_t log_gap_to_end(const IssueLog *log, const char *from) {
  for (uint32_t i = 0; i < log->count; i++)
    if (log->entries[i].kind == EVENT_CTA_END)
      return (int64_t)(log->entries[i].cycle - log_issue(log, from, 0, 0));
  fail_msg("no CTA ended");
  return 0;
}

#endif
