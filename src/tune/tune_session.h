// SPDX-License-Identifier: MIT
// Common part of classify and tune: the analysed program and the store of its runs.
#ifndef TUNE_TUNE_SESSION_H
#define TUNE_TUNE_SESSION_H

#include <limits.h>

#include "study/classify/classify.h"
#include "tune/trials.h"

typedef struct TuneRequest {
  const char *program;  // FILE.cu, a workload, or the path of an executable
  bool is_executable;   // also if it looks like a workload
  char **words;  // NULL-terminated: compiler options of a source, arguments of a workload, or the
                 // executable and its arguments; or NULL
  const char *arguments;   // more of them, as a shell reads them
  const char *size;        // of a workload
  const char *db;          // store of the runs; of FILE.cu it is FILE.tune/runs.db
  RunSpec run;             // GPU and parameters of all runs
  uint32_t processes;      // at a time; 0: one per core
  uint32_t limit_seconds;  // of one run
  bool quiet;
} TuneRequest;

typedef struct TuneSession {
  Arena arena;
  TrialSetting setting;
  char heddle[PATH_MAX], libraries[PATH_MAX];
  const char *source;    // FILE.cu; NULL for a workload or an executable
  const char *work;      // build folder of a source, or NULL
  char *const *compile;  // compiler options; NULL-terminated
  uint32_t sm_count;     // of the GPU
  char **program;        // the original program and its arguments; NULL-terminated
  const char *key;       // of its run as it is
  Evidence evidence;
  Verdict *verdicts;
} TuneSession;

// session: zeroed, but for its arena. Builds the program if needed. Call tune_session_clear even
// after failure.
Status tune_session_open(TuneSession *session, const TuneRequest *request, Error *err);
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
