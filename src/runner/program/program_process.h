// SPDX-License-Identifier: MIT
// A program as a child process: start, signals, wait.
//
// Termination signals are forwarded, unless the terminal has sent them to both
// processes. A program that does not exit within a few seconds is killed; one that
// handles Ctrl-C may continue. What a program leaves running belongs to it
// (runner/program/program_orphans.h).
#ifndef RUNNER_PROGRAM_PROGRAM_PROCESS_H
#define RUNNER_PROGRAM_PROGRAM_PROCESS_H

#include <stdbool.h>

#include "base/error.h"

// Destination of its standard output.
typedef enum ProgramOutput { OUTPUT_AS_OURS, OUTPUT_TO_STDERR, OUTPUT_TO_FILE } ProgramOutput;
// file: of OUTPUT_TO_FILE, created or overwritten.
Status program_start(char **program, ProgramOutput output, const char *file, Error *err);
// Waits for the program and what it left running. Fails with ERR_PROGRAM and the exit code
// or signal if the program failed, with ERR_INTERRUPTED if it was asked to stop.
Status program_wait(const char *name, Error *err);

#endif
