// SPDX-License-Identifier: MIT
// Processes that a program leaves running when it exits: background jobs of a script,
// daemons. They become children of this process, which can wait for them.
//
// It waits for those that may still use the GPU: all in the session of this process, and
// those elsewhere that have loaded Heddle's libraries. Other daemons may run for ever.
#ifndef RUNNER_PROGRAM_PROGRAM_ORPHANS_H
#define RUNNER_PROGRAM_PROGRAM_ORPHANS_H

#include <stdint.h>
#include <sys/types.h>

enum { MAX_ORPHANS = 1024 };  // waited for at a time

typedef struct Orphans {
  pid_t own[16];  // children that are not the program's
  uint32_t own_count;
  pid_t pids[MAX_ORPHANS];
  uint32_t count;
  pid_t asked[MAX_ORPHANS];  // to stop
  uint32_t asked_count;
} Orphans;

// Before the program is started.
void orphans_adopt(Orphans *orphans);
// Those that still run and are waited for; takes note of the exit of the others.
void orphans_find(Orphans *orphans);
// Asks those to stop that have not been asked yet; SIGTERM.
void orphans_ask(Orphans *orphans);
void orphans_kill(const Orphans *orphans);
// After the last call.
void orphans_release(void);

#endif
