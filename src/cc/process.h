// SPDX-License-Identifier: MIT
// Runs other programs and waits for them.
#ifndef CC_PROCESS_H
#define CC_PROCESS_H

#include <stdbool.h>

#include "base/error.h"
#include "cc/words.h"

// Whether a program of that name could be run: a path, or a name in PATH.
bool process_exists(const char *program);

// Runs words[0], with its output and its messages in files if these are not NULL, and its
// temporary files in the folder given. *exit_code is 128 and more if a signal
// ended it. Fails only if it could not be run.
Status process_run(const Words *words, const char *output, const char *messages,
                   const char *temporary, int *exit_code, Error *err);

#endif
