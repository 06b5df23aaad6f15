// SPDX-License-Identifier: MIT
// Prints the kernels of a trace with their instructions and memory.
#include "runner/trace/trace_summary.h"

#include <string.h>
#include <sys/stat.h>

#include "base/files/file.h"
#include "base/text/readable_name.h"
#include "base/text/text_table.h"
#include "frontends/accelsim/kernels_list.h"
#include "frontends/accelsim/trace_kernel.h"
#include "trace/page_set.h"
#include "trace/recording_reader.h"

typedef struct Summary {
  TextTable table;
  FILE *file;
  uint64_t kernels, instructions, bytes;
  Arena arena;
} Summary;

static void begin(Summary *summary, FILE *file) {
  *summary = (Summary){.file = file};
  text_table_init(&summary->table,
                  (const char *const[]){">kernel", "name", ">grid", ">block", ">warp instructions",
                                        ">KB accessed", "unknown instructions", NULL});
}

static void add_shape(TextTable *table, const uint32_t shape[3]) {
  text_table_add(table, "%ux%ux%u", shape[0], shape[1], shape[2]);
}

typedef struct SummaryRow {
  const char *name;
  const uint32_t *grid, *block;
  uint64_t instructions, pages;
} SummaryRow;

static void add_row(Summary *summary, const SummaryRow *row, const char *unknown) {
  TextTable *table = &summary->table;
  const char *readable = readable_name(&summary->arena, row->name);
  text_table_add(table, "%llu", (unsigned long long)summary->kernels++);
  text_table_add(table, "%s", readable ? readable : row->name);
  add_shape(table, row->grid);
  add_shape(table, row->block);
  text_table_add(table, "%llu", (unsigned long long)row->instructions);
  text_table_add(table, "%llu", (unsigned long long)row->pages << (PAGE_BYTES_LOG2 - 10));
  text_table_add(table, "%s", unknown);
  summary->instructions += row->instructions;
}

static void end(Summary *summary, Status status) {
  if (status == OK) {
    double each =
        summary->instructions ? (double)summary->bytes / (double)summary->instructions : 0;
    text_table_print(&summary->table, summary->file, 0);
    fprintf(summary->file,
            "\n%llu kernels, %llu warp instructions, %llu bytes (%.3f per instruction)\n",
            (unsigned long long)summary->kernels, (unsigned long long)summary->instructions,
            (unsigned long long)summary->bytes, each);
  }
  text_table_clear(&summary->table);
  arena_clear(&summary->arena);
}

// ---- recordings

static void print_origin(const RecordingContents *contents, FILE *file) {
  fprintf(file, "\nrecorded by Heddle %s on %s with %s: %s\n", contents->heddle, contents->gpu,
          contents->scheme, contents->input);
  if (!contents->causes) {
    fprintf(file, "the same under every schedule\n");
    return;
  }
  fprintf(file, "may differ under other schedules, because of:\n");
  for (uint32_t i = 0; i < CAUSE_COUNT; i++)
    if (contents->causes >> i & 1) fprintf(file, "  %s\n", recording_causes[i]);
}

static Status print_recording(const char *path, FILE *file, Error *err) {
  Recording *recording;
  Summary summary;
  TRY(recording_open(&recording, path, err));
  const RecordingContents *contents = recording_contents(recording);
  begin(&summary, file);
  for (uint32_t i = 0; i < contents->kernel_count; i++) {
    const RecordedKernel *kernel = &contents->kernels[i];
    add_row(&summary,
            &(SummaryRow){kernel->name, kernel->grid, kernel->block, kernel->warp_instructions,
                          kernel->pages},
            "");
  }
  summary.bytes = recording_file_bytes(recording);
  end(&summary, OK);
  print_origin(contents, file);
  recording_close(recording);
  return OK;
}

// ---- traces of Accel-Sim

static const char *unknown_of(Summary *summary, const TraceKernel *kernel) {
  const char *text = "";
  for (uint32_t i = 0; i < kernel->made.unknown_count; i++)
    text = arena_printf(&summary->arena, "%s%s%s (%llu)", text, i ? ", " : "",
                        kernel->made.unknown[i].mnemonic,
                        (unsigned long long)kernel->made.unknown[i].count);
  return text;
}

static Status add_kernel(Summary *summary, const char *path, Error *err) {
  TraceKernel kernel = {0};
  struct stat about;
  Status status = trace_kernel_load(&kernel, path, NULL, err);
  if (status == OK)
    add_row(summary,
            &(SummaryRow){kernel.header.name, kernel.header.grid, kernel.header.block,
                          kernel.instructions, kernel.pages.count},
            unknown_of(summary, &kernel));
  if (stat(path, &about) == 0) summary->bytes += (uint64_t)about.st_size;
  trace_kernel_clear(&kernel);
  return status;
}

static Status print_list(const char *path, FILE *file, Error *err) {
  Summary summary;
  KernelsList list;
  begin(&summary, file);
  Status status = kernels_list_read(&list, path, &summary.arena, err);
  for (uint32_t i = 0; status == OK && i < list.count; i++)
    if (list.commands[i].kernel) status = add_kernel(&summary, list.commands[i].kernel, err);
  end(&summary, status);
  return status;
}

Status trace_summary_print(const char *path, FILE *file, Error *err) {
  bool is_recording = recording_is(path) || path_ends_with(path, RECORDING_ENDING);
  return is_recording ? print_recording(path, file, err) : print_list(path, file, err);
}
