// SPDX-License-Identifier: MIT
// Common part of classify and tune: the analysed program, the store of its runs, and the shared
// options.
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
  const char *source;    // FILE.cu; NULL for a workload or an executable
  const char *work;      // build folder of a source, or NULL
  char *const *compile;  // compiler options; NULL-terminated
  char **program;        // the original program and its arguments; NULL-terminated
  Evidence evidence;
  Verdict *verdicts;
} TuneSession;

// Opens a session from the command line: FILE.cu [-- NVCC OPTIONS], WORKLOAD [-- OPTIONS] or
// -- PROGRAM ARGUMENTS. Builds the program if needed. Call tune_session_clear even after failure.
Status tune_session_open(TuneSession *session, const Arguments *arguments, Error *err);
void tune_session_clear(TuneSession *session);

// Runs the experiments and classifies every kernel. outputs: receives the file with the program's
// output in each experiment; may be NULL.
Status tune_session_classify(TuneSession *session, const char *outputs[EXPERIMENTS], Error *err);

// Compiles a source with the session's options.
Status tune_session_compile(const TuneSession *session, const char *source, const char *program,
                            Error *err);
// Command line of another build of the program, with the same arguments.
char **tune_session_words(TuneSession *session, const char *program);

#endif
