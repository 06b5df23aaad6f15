// SPDX-License-Identifier: MIT
// Threads that do one small job together, again and again, with little delay:
// they spin between jobs, and sleep when there has been none for a while. Who is
// there takes the next share, so none waits for a thread that the host does not run.
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
