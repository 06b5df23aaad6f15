// SPDX-License-Identifier: MIT
// Threads that do one small job together, again and again, with little delay:
// they spin between jobs, and sleep when there has been none for a while.
#ifndef GPU_WORKERS_H
#define GPU_WORKERS_H

#include <stdint.h>

typedef struct Workers Workers;

// The job is called as job(subject, share, shares) by each of `shares`
// threads, the caller of workers_run among them as share 0.
typedef void (*WorkersJob)(void *subject, uint32_t share, uint32_t shares);

// NULL if the host gives no threads.
Workers *workers_create(uint32_t shares, WorkersJob job, void *subject);
void workers_destroy(Workers *workers);
// Returns when all shares are done.
void workers_run(Workers *workers);

#endif
