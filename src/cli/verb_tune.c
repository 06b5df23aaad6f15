// SPDX-License-Identifier: MIT
// heddle tune: applies CTA clustering to one CUDA source if that is faster.
#include <sys/stat.h>

#include "base/files/file.h"
#include "base/memory.h"
#include "cli/arguments.h"
#include "cli/tune_options.h"
#include "tune/evidence_text.h"
#include "tune/tune_search.h"

static Status check_files(const char *source, const char *output, Error *err) {
  struct stat from, to;
  if (!path_ends_with(source, ".cu"))
    return error_set(err, ERR_USAGE, "%s: expected a CUDA source, FILE.cu", source);
  if (!output) return error_set(err, ERR_USAGE, "no output file given; use -o FILE.cu");
  if (stat(source, &from) == 0 && stat(output, &to) == 0 && from.st_ino == to.st_ino &&
      from.st_dev == to.st_dev)
    return error_set(err, ERR_USAGE, "-o %s would overwrite the source; choose another name",
                     output);
  return OK;
}

static Status tune_source(const Arguments *arguments, Tune *tune, Error *err) {
  TuneRequest request;
  const char *json = arguments_value(arguments, "--json", NULL);
  tune->output = arguments_value(arguments, "-o", NULL);
  TRY(check_files(arguments->operands[0], tune->output, err));
  if (json) TRY(file_check_writable(json, err));
  TRY(file_check_writable(tune->output, err));
  TRY(tune_options_read(arguments, &request, &tune->session.arena, err));
  TRY(tune_session_open(&tune->session, &request, err));
  TRY(tune_search(tune, err));
  if (tune_options_print(arguments)) tune_print(tune, stdout);
  return json ? evidence_write(tune_json(tune), json, err) : OK;
}

static Status run_tune(const Arguments *arguments, Error *err) {
  Tune *tune = memory_alloc(sizeof *tune);
  Status status = tune_source(arguments, tune, err);
  outputs_clear(&tune->outputs);
  tune_session_clear(&tune->session);
  memory_free(tune);
  return status;
}

static const CliOption tune_options[] = {
    {"-o", "FILE", "tuned source; the original if no variant is faster"}, TUNE_OPTIONS, {0}};

const Verb tune_verb = {
    .name = "tune",
    .summary = "rewrites a CUDA source by CTA clustering if that is faster",
    .operands = "FILE.cu -o FILE [-- NVCC OPTIONS]",
    .details =
        "Classifies the program (heddle classify), tries variants of heddle cluster, checks that\n"
        "each prints the original's output, and reports its speed-up; see docs/tune.md.\n"
        "Builds and runs are kept in FILE.tune/: the same command resumes an interrupted search.\n"
        "  heddle tune prog.cu --gpu k40 -o prog.tuned.cu\n"
        "  heddle tune prog.cu --gpu gtx570 --arguments '--n 256' -o prog.tuned.cu -- -I include\n",
    .options = tune_options,
    .min_operands = 1,
    .max_operands = 1,
    .takes_program = true,
    .run = run_tune};
