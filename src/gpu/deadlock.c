// SPDX-License-Identifier: MIT
// Deadlock report: no progress although kernels are unfinished. Lists where requests
// are queued and what every warp is waiting for.
#include <stdio.h>
#include <string.h>

#include "gpu/machine.h"
#include "exec/barrier.h"

enum { PLACES_BYTES = 256 };

// number: of the place, or below 0.
static void add_place(char places[PLACES_BYTES], size_t *used, const char *text, int number) {
  if (*used >= PLACES_BYTES) return;
  char name[64];
  if (number < 0)
    snprintf(name, sizeof name, "%s", text);
  else
    snprintf(name, sizeof name, "%s %d", text, number);
  *used += (size_t)snprintf(places + *used, PLACES_BYTES - *used, "%s%s", *used ? ", " : "", name);
}

static void find_requests(const Gpu *gpu, char places[PLACES_BYTES]) {
  size_t used = 0;
  places[0] = '\0';
  if (!crossbar_is_empty(gpu->requests)) add_place(places, &used, "request network", -1);
  for (uint32_t p = 0; p < gpu->partition_count; p++)
    if (!partition_has_answered(gpu->partitions[p]))
      add_place(places, &used, "memory partition", (int)p);
  if (!crossbar_is_empty(gpu->replies)) add_place(places, &used, "reply network", -1);
  if (gpu->responses_waiting) add_place(places, &used, "cluster response queues", -1);
}

Status gpu_report_deadlock(const Gpu *gpu, Error *err) {
  for (uint32_t s = 0; s < gpu->sm_count; s++) {
    const Sm *sm = gpu->sms[s];
    for (uint32_t c = 0; c < sm->config->max_ctas; c++)
      if (sm->ctas[c].kernel && cta_is_hung(&sm->ctas[c].cta))
        return cta_report_hang(&sm->ctas[c].cta, err);
  }
  char places[PLACES_BYTES];
  find_requests(gpu, places);
  error_set(err, ERR_DEADLOCK,
            "deadlock at cycle %llu; %s%s; waiting:", (unsigned long long)gpu->now,
            places[0] ? "requests queued in " : "no requests outside the SMs", places);
  sm_report_waits(gpu->sms, gpu->sm_count, err);
  return ERR_DEADLOCK;
}

void gpu_report_stuck(const Gpu *gpu, Error *err) {
  Cycle since = gpu->now - gpu->cta_completed;
  bool is_resident = false;
  for (uint32_t s = 0; s < gpu->sm_count; s++) is_resident |= gpu->sms[s]->resident != 0;
  if (!err || !is_resident || since < gpu->now / 2) return;
  size_t used = strlen(err->text);
  snprintf(
      err->text + used, sizeof err->text - used,
      "; no CTA has completed in the last %llu cycles; resident warps:", (unsigned long long)since);
  sm_report_resident(gpu->sms, gpu->sm_count, err);
}
