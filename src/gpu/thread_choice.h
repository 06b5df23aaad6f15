// SPDX-License-Identifier: MIT
// Whether several threads are worth it (--threads auto): found by trial, again and again, since it
// depends on the kernel and on what else the host does. Results do not depend on it.
//
// The run is divided into phases of equal work, counted in SMs that were ticked. Most have the
// number of threads that was faster; now and then one has the other, and is broken off if it takes
// longer. Several threads are not tried while the host has no core for them.
#ifndef GPU_THREAD_CHOICE_H
#define GPU_THREAD_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ThreadChoice {
  uint32_t threads;   // of several
  bool is_parallel;   // this phase has several
  bool prefers;       // several are faster, as far as is known
  uint32_t phases;    // until the other is tried
  uint32_t patience;  // phases between trials
  uint64_t work;      // of this phase so far: SMs
  double began;       // when it did, in seconds; 0: it has not
  double cost[2];     // seconds per SM, of one thread and of several
} ThreadChoice;

// The most threads that could pay on this host, for so many SMs: 1 if several never do.
uint32_t thread_choice_most(uint32_t sm_count);
void thread_choice_init(ThreadChoice *choice, uint32_t threads);
// `sms` are about to be ticked: whether by several threads.
bool thread_choice_ask(ThreadChoice *choice, uint32_t sms);
// The same, with the time of the host and whether it has cores to spare given: for tests.
bool thread_choice_ask_at(ThreadChoice *choice, uint32_t sms, double seconds, bool has_cores);

#endif
