// SPDX-License-Identifier: MIT
// heddle classify: the source of inter-CTA locality in each kernel of a program.
#include "base/files/file.h"
#include "cli/arguments.h"
#include "cli/tune_options.h"
#include "tune/evidence_text.h"

static Status classify_given(const Arguments *arguments, TuneSession *session, Error *err) {
  TuneRequest request;
  const char *json = arguments_value(arguments, "--json", NULL);
  if (json) TRY(file_check_writable(json, err));
  TRY(tune_options_read(arguments, &request, &session->arena, err));
  TRY(tune_session_open(session, &request, err));
  TRY(tune_session_classify(session, NULL, err));
  if (tune_options_print(arguments)) evidence_print(&session->evidence, session->verdicts, stdout);
  return json ? evidence_write(evidence_json(&session->evidence, session->verdicts), json, err)
              : OK;
}

static Status run_classify(const Arguments *arguments, Error *err) {
  TuneSession session = {0};
  Status status = classify_given(arguments, &session, err);
  tune_session_clear(&session);
  return status;
}

static const CliOption classify_options[] = {
    {"--size", "tiny|small|paper", "problem size of a workload; default tiny"},
    {"--db", "FILE", "store of the runs; default classify.db, or FILE.tune/runs.db for FILE.cu"},
    TUNE_OPTIONS,
    {0}};

const Verb classify_verb = {
    .name = "classify",
    .summary = "finds the source of data reuse between CTAs",
    .operands = "FILE.cu [-- NVCC OPTIONS] | WORKLOAD [-- OPTIONS] | -- PROGRAM ARGUMENTS",
    .details =
        "Categories: algorithm, cache-line, data, write, streaming; see docs/tune.md.\n"
        "Runs the program five times: unchanged, with CTAs clustered by rows and by columns,\n"
        "without the L1, and with an L1 that always hits.\n"
        "  heddle classify hotspot --size tiny --gpu k40 --set gpu.sm_count=4\n"
        "  heddle classify prog.cu --arguments '--n 256' -- -I include\n",
    .options = classify_options,
    .min_operands = 1,
    .max_operands = 1,
    .takes_program = true,
    .run = run_classify};
