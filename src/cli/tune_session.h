// SPDX-License-Identifier: MIT
// What classify and tune have in common: the program that is examined, where its runs are
// kept, and the options that both have.
#ifndef CLI_TUNE_SESSION_H
#define CLI_TUNE_SESSION_H

#include <limits.h>

#include "cli/verb.h"
#include "tune/classify.h"
#include "tune/trials.h"

#define TUNE_OPTIONS                                                                             \
  {"--gpu", "NAME", "a shipped GPU (`heddle list gpus`) or a .cfg file; default k40"},           \
      {"--set", "SECTION.KEY=VALUE", "set a parameter of the GPU in all runs; repeatable"},      \
      {"--arguments", "WORDS", "arguments of the program: choose a reduced problem"},            \
      {"--limit", "SECONDS", "time limit per run; default 600"},                                 \
      {"--jobs", "N", "parallel runs; default one per core"},                                    \
      {"--json", "FILE", "write the evidence and the verdicts as JSON; - is standard output"}, { \
    "--quiet", NULL, "no progress and no tables"                                                 \
  }

typedef struct TuneSession {
  Arena arena;
  TrialSetting setting;
  char heddle[PATH_MAX], libraries[PATH_MAX];
  const char *source;       // FILE.cu, or NULL: a workload or program as it is
  const char *work;         // folder of what is built for a source, or NULL
  char *const *compile;     // options for the compiler; ends with NULL
  char **program;           // the program as it is, with its arguments; ends with NULL
  Evidence evidence;
  Verdict *verdicts;
} TuneSession;

// From the command line: FILE.cu [-- NVCC OPTIONS], WORKLOAD [-- OPTIONS] or -- PROGRAM
// ARGUMENTS. Builds what has to be built. Give back with tune_session_clear in any case.
Status tune_session_open(TuneSession *session, const Arguments *arguments, Error *err);
void tune_session_clear(TuneSession *session);

// Runs the experiments and classifies every kernel. outputs: filled with the files that
// have what the program printed in each, or NULL.
Status tune_session_classify(TuneSession *session, const char *outputs[EXPERIMENTS], Error *err);

// Compiles a source into a program, with the session's options.
Status tune_session_compile(const TuneSession *session, const char *source, const char *program,
                            Error *err);
// The words of another build of the program: the same arguments.
char **tune_session_words(TuneSession *session, const char *program);

#endif
