// SPDX-License-Identifier: MIT
// heddle compare: workloads x GPUs x schemes, from the command line.
#include <string.h>

#include "batch/study_batch.h"
#include "batch/study_run.h"
#include "cli/arguments.h"
#include "cli/study_options.h"
#include "gpu/config/gpu_config.h"
#include "study/compare/compare_study.h"
#include "study/compare/compare_table.h"

// Rejects words that would end their line in the study, or start a comment.
static Status check_word(const char *word, Error *err) {
  if (!word || (!strpbrk(word, "\r\n") && !strstr(word, " #") && !strstr(word, "\t#"))) return OK;
  return error_set(err, ERR_USAGE,
                   "'%.80s': line breaks, and # after a space, are not allowed in a comparison",
                   word);
}

static Status check_words(const Arguments *arguments, Error *err) {
  for (int i = 0; i < arguments->given_count; i++)
    if (check_word(arguments->given[i].value, err) != OK)
      return error_prefix(err, "%s", arguments->given[i].option->name);
  for (int i = 0; i < arguments->operand_count; i++) TRY(check_word(arguments->operands[i], err));
  return OK;
}

static Status read_programs(const Arguments *arguments, CompareRequest *request, Arena *arena,
                            Error *err) {
  int behind = arguments_behind(arguments), before = arguments->operand_count - behind;
  request->programs = arguments->operands;
  request->program_count = before;
  request->arguments = arguments->program;
  if (before == 0 && behind == 0) return error_set(err, ERR_USAGE, "nothing to compare");
  if (before > 1 && behind)
    return error_set(err, ERR_USAGE, "options after -- apply to one workload, but %d are given",
                     before);
  if (before) return OK;
  const char **program = ARENA_NEW(arena, const char *), *path = arguments->program[0];
  *program = strchr(path, '/') ? path : arena_printf(arena, "./%s", path);
  request->programs = program;
  request->program_count = 1;
  request->arguments = arguments->program + 1;
  return OK;
}

static Status read_request(const Arguments *arguments, CompareRequest *request, Arena *arena,
                           Error *err) {
  *request = (CompareRequest){.gpus = arguments_value(arguments, "--gpu", GPU_DEFAULT),
                              .schemes = arguments_value(arguments, "--schemes", "lrr,gto"),
                              .size = arguments_value(arguments, "--size", NULL),
                              .sample = arguments_value(arguments, "--sample", NULL),
                              .seeds = arguments_value(arguments, "--seeds", NULL),
                              .interval = arguments_value(arguments, "--interval", "1000"),
                              .sweep = arguments_list(arguments, "--sweep", arena),
                              .set = arguments_list(arguments, "--set", arena),
                              .observe = arguments_list(arguments, "--observe", arena)};
  TRY(check_words(arguments, err));
  return read_programs(arguments, request, arena, err);
}

static Status compare(const Arguments *arguments, Arena *arena, Error *err) {
  StudyRequest how;
  CompareRequest what;
  Study study;
  Status status = OK;
  TRY(study_options_read(arguments, "compare.db", &how, arena, err));
  if (how.question) return study_batch_ask(&how, err);
  TRY(read_request(arguments, &what, arena, err));
  TRY(compare_study(&what, &study, err));
  if (arguments_has(arguments, "--print-study"))
    fputs(study.text, stdout);
  else
    status = study_run(&study, &how, compare_print, err);
  study_clear(&study);
  return status;
}

static Status run_compare(const Arguments *arguments, Error *err) {
  Arena arena = {0};
  Status status = compare(arguments, &arena, err);
  arena_clear(&arena);
  return status;
}

static const CliOption compare_options[] = {
    {"--gpu", "NAME,...",
     "GPUs (`heddle list gpus`) or .cfg files; default "
     "gtx480"},
    {"--schemes", "NAME,...", "schemes; the first is the baseline; default lrr,gto"},
    {"--sweep", "SECTION.KEY=V,...",
     "values of a parameter (`heddle list params`) or of a policy parameter, FAMILY.PARAMETER; "
     "repeated: cross product"},
    {"--size", "tiny|small|paper", "problem size of the workloads; default small"},
    {"--set", "SECTION.KEY=VALUE", "set a parameter in all runs; repeatable"},
    {"--sample", "error=3%", "time part of the work and project the rest (docs/sampling.md)"},
    {"--observe", "NAME", "additional tables (`heddle list observers`); repeatable"},
    {"--interval", "N",
     "sampling period of the interval series in cycles; default 1000, 0 for none"},
    STUDY_OPTIONS("compare.db"),
    {"--print-study", NULL, "print the comparison as a study file and run nothing"},
    {0}};

const Verb compare_verb = {
    .name = "compare",
    .summary = "compares workloads across GPUs, schemes and settings",
    .operands = "WORKLOAD|FILE.case|PROGRAM... | WORKLOAD -- OPTIONS | -- PROGRAM ARGUMENTS",
    .details =
        "Uses all cores, one process per run. Runs already in the store are not repeated, so\nan "
        "interrupted comparison resumes when the command is given again.\n  heddle compare hotspot "
        "kmeans --gpu gtx480,k40 --schemes lrr,gto --report out.html\n  heddle compare kmeans "
        "--sweep l1d.size_kb=16,32,64 --schemes lrr,gto\n  heddle compare ./original "
        "./optimised    (by time, relative to the first program)\n  heddle compare kmeans "
        "--schemes "
        "two_level --sweep warp_scheduler.active_warps=2,4,8\n",
    .options = compare_options,
    .max_operands = 256,
    .takes_program = true,
    .run = run_compare};
