// SPDX-License-Identifier: MIT
// How a run ended, in a word for tables and progress.
#ifndef STUDY_RUN_WORDS_H
#define STUDY_RUN_WORDS_H

#include <stdbool.h>

// Whether a message says that the run was stopped (by a user, a signal that asks for it, or a
// limit), and did not fail by itself.
bool run_was_stopped(const char *error);

// state: of the store, or NULL if there is no run; error: the reason, or NULL. "stopped",
// "FAILED", "running", "lost", or "no result" if there was no run.
const char *run_word(const char *state, const char *error);

#endif
