// SPDX-License-Identifier: MIT
// A program as a child process: started, signalled, waited for.
//
// Signals that ask heddle to end are passed on, unless a terminal has sent them to
// both. A program that is still there a few seconds later is killed; one that
// handles Ctrl-C itself may go on.
#ifndef CLI_PROGRAM_PROCESS_H
#define CLI_PROGRAM_PROCESS_H

#include <stdbool.h>

#include "base/error.h"

// Where what it writes to standard output goes.
typedef enum ProgramOutput { OUTPUT_AS_OURS, OUTPUT_TO_STDERR, OUTPUT_DROPPED } ProgramOutput;
Status program_start(char **program, ProgramOutput output, Error *err);
// ERR_PROGRAM names the exit code or the signal of a program that failed.
Status program_wait(const char *name, Error *err);

#endif
