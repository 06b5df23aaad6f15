// SPDX-License-Identifier: MIT
// Options of the commands that experiment with a program: classify and tune.
#ifndef CLI_TUNE_OPTIONS_H
#define CLI_TUNE_OPTIONS_H

#include "cli/verb.h"
#include "tune/tune_session.h"

#define TUNE_OPTIONS                                                                             \
  {"--gpu", "NAME", "a shipped GPU (`heddle list gpus`) or a .cfg file; default k40"},           \
      {"--set", "SECTION.KEY=VALUE", "set a parameter of the GPU in all runs; repeatable"},      \
      {"--arguments", "WORDS", "arguments of the program: choose a reduced problem"},            \
      {"--limit", "SECONDS", "time limit per run; default 600"},                                 \
      {"--jobs", "N", "parallel runs; default one per core"},                                    \
      {"--json", "FILE", "write the evidence and the verdicts as JSON; - is standard output"}, { \
    "--quiet", NULL, "no progress and no tables"                                                 \
  }

// FILE.cu [-- NVCC OPTIONS], WORKLOAD [-- OPTIONS] or -- PROGRAM ARGUMENTS.
Status tune_options_read(const Arguments *arguments, TuneRequest *request, Arena *arena,
                         Error *err);
// Whether tables go to standard output: not with --quiet, and not if the JSON goes there.
bool tune_options_print(const Arguments *arguments);

#endif
