// SPDX-License-Identifier: MIT
// A pool of threads that repeatedly share one small job, with low latency: they spin
// between jobs, and sleep after a while without one. Each thread claims the next share, so
// none waits for a thread that the host has descheduled.
#ifndef GPU_WORKERS_H
#define GPU_WORKERS_H

#include <stdint.h>

typedef struct Workers Workers;

// job(subject, share, shares) is called for each share, by any of `shares` threads,
// the caller of workers_run among them.
typedef void (*WorkersJob)(void *subject, uint32_t share, uint32_t shares);

// NULL if the host gives no threads.
Workers *workers_create(uint32_t shares, WorkersJob job, void *subject);
void workers_destroy(Workers *workers);
// Returns when all shares are done.
void workers_run(Workers *workers);

#endif
