// SPDX-License-Identifier: MIT
// A pool of threads that repeatedly share a list of small tasks, with low latency: they spin
// between lists, and sleep after a while without one.
//
// Each thread has a run of neighbouring tasks, the same ones as long as lists have the same length,
// so that what they work on stays in its core's cache. It claims them one by one; who has none left
// claims those of others, so that nobody waits for long tasks or for a thread that the host has
// descheduled.
#ifndef GPU_WORKERS_H
#define GPU_WORKERS_H

#include <stdint.h>

typedef struct Workers Workers;

// Called for each task, by any of the threads, the caller of workers_run among them.
typedef void (*WorkersJob)(void *subject, uint32_t task);

// NULL if the host gives no threads.
Workers *workers_create(uint32_t threads, void *subject);
void workers_destroy(Workers *workers);
// Returns when tasks 0 to count - 1 of the job are done.
void workers_run(Workers *workers, WorkersJob job, uint32_t count);

#endif
