// SPDX-License-Identifier: MIT
#include "support/growth.h"

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/process.h"

enum { MAX_RUNS = 9 };
static const double enough_seconds = 1.5;  // of runs of one point

// Arithmetic only; lines that hit the L1; lines that do not fit it.
const GrowthKind growth_kinds[GROWTH_KINDS] = {
    {"arithmetic", "alloc O 122880\nlaunch fma_chain 120 1 1 256 1 1 $O f:0.5 i:%llu\nsum O f32\n",
     960 * 6.0},
    {"L1 hits",
     "alloc O 15360\nalloc I 30720\nfill I f32 rand 1\n"
     "launch reread 15 1 1 256 1 1 $O $I i:2 i:%llu\nsum O f32\n",
     120 * 29.0},
    {"L2 hits",
     "alloc O 15360\nalloc I 491520\nfill I f32 rand 1\n"
     "launch reread 15 1 1 256 1 1 $O $I i:32 i:%llu\nsum O f32\n",
     120 * 150.0},
};

typedef struct Files {
  char case_path[64], json_path[64];
} Files;

static Status make_file(char *path, size_t size, const char *ending, Error *err) {
  snprintf(path, size, "/tmp/heddle-growth-XXXXXX%s", ending);
  int file = mkstemps(path, (int)strlen(ending));
  if (file < 0) return error_set(err, ERR_IO, "cannot write %s", path);
  close(file);
  return OK;
}

static Status write_case(const Files *files, const GrowthKind *kind, const char *reference,
                         uint64_t number, Error *err) {
  char folder[PATH_MAX];
  FILE *file = realpath(reference, folder) ? fopen(files->case_path, "w") : NULL;
  if (!file) return error_set(err, ERR_IO, "cannot write a case that uses %s", reference);
  fprintf(file, "ptx %s/ref.ptx\n", folder);
  const char *at = strstr(kind->text, "%llu");
  fprintf(file, "%.*s%llu%s", (int)(at - kind->text), kind->text, (unsigned long long)number,
          at + strlen("%llu"));
  fclose(file);
  return OK;
}

static Status read_instructions(const Files *files, uint64_t *count, Error *err) {
  json_t *root = json_load_file(files->json_path, 0, NULL);
  json_t *number = json_object_get(json_object_get(root, "total"), "warp_instructions");
  *count = (uint64_t)json_integer_value(number);
  bool is_there = json_is_integer(number);
  json_decref(root);
  return is_there ? OK : error_set(err, ERR_SYNTAX, "no total.warp_instructions in the result");
}

static Status run_number(const Files *files, const GrowthKind *kind, const char *heddle,
                         const char *reference, uint64_t number, ProcessCost *best, Error *err) {
  const char *argv[] = {heddle,    "run",    files->case_path, "--gpu", "gtx480",
                        "--quiet", "--json", files->json_path, NULL};
  TRY(write_case(files, kind, reference, number, err));
  *best = (ProcessCost){INFINITY, 0};
  double spent = 0;
  for (int i = 0; i < MAX_RUNS && spent < enough_seconds; i++) {
    ProcessCost cost;
    TRY(process_run(argv, NULL, &cost, err));
    spent += cost.cpu_seconds;
    best->cpu_seconds = fmin(best->cpu_seconds, cost.cpu_seconds);
    best->peak_mb = fmax(best->peak_mb, cost.peak_mb);
  }
  return OK;
}

static Status measure(const Files *files, const GrowthKind *kind, const char *heddle,
                      const char *reference, uint64_t wanted, GrowthPoint *point, Error *err) {
  uint64_t number = (uint64_t)((double)wanted / kind->instructions_a_number) + 1;
  ProcessCost empty, cost;
  uint64_t empty_instructions;
  TRY(run_number(files, kind, heddle, reference, 0, &empty, err));
  TRY(read_instructions(files, &empty_instructions, err));
  TRY(run_number(files, kind, heddle, reference, number, &cost, err));
  TRY(read_instructions(files, &point->warp_instructions, err));
  point->seconds_an_instruction = (cost.cpu_seconds - empty.cpu_seconds) /
                                  (double)(point->warp_instructions - empty_instructions);
  point->peak_mb = cost.peak_mb;
  return OK;
}

Status growth_measure(const GrowthKind *kind, const char *heddle, const char *reference,
                      uint64_t warp_instructions, GrowthPoint *point, Error *err) {
  Files files;
  TRY(make_file(files.case_path, sizeof files.case_path, ".case", err));
  Status status = make_file(files.json_path, sizeof files.json_path, ".json", err);
  if (status == OK) {
    status = measure(&files, kind, heddle, reference, warp_instructions, point, err);
    unlink(files.json_path);
  }
  unlink(files.case_path);
  return status;
}
