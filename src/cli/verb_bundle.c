// SPDX-License-Identifier: MIT
// heddle bundle: executes one bundle of a job list. Elements of a Slurm job array
// and the commands of `--on commands` call it.
#include <stdlib.h>

#include "batch/element.h"
#include "cli/arguments.h"
#include "runner/program/environment.h"
#include "study/study_signals.h"

static Status run_bundle(const Arguments *arguments, Error *err) {
  const char *text = arguments->operands[1];
  char *end;
  unsigned long bundle = strtoul(text, &end, 10);
  if (*text < '0' || *text > '9' || *end || !bundle || bundle > UINT32_MAX)
    return error_set(err, ERR_USAGE, "invalid bundle number '%.40s'", text);
  environment_scrub();
  ElementOptions options = {.progress = arguments_has(arguments, "--quiet") ? NULL : stderr,
                            .stop = study_signals_listen()};
  return element_run(arguments->operands[0], (uint32_t)bundle, &options, err);
}

static const CliOption bundle_options[] = {{"--quiet", NULL, "print failures only"}, {0}};

const Verb bundle_verb = {
    .name = "bundle",
    .summary = "executes a bundle of runs of a submitted study",
    .operands = "FILE.jsonl N",
    .details =
        "`--on slurm` and `--on commands` of compare and study make the file (docs/slurm.md).\n"
        "Completed runs are skipped, so a killed bundle can be restarted.\n",
    .options = bundle_options,
    .min_operands = 2,
    .max_operands = 2,
    .run = run_bundle};
