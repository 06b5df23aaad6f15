// SPDX-License-Identifier: MIT
// The observers of a machine: their states, and the handing on of events.
//
// Without observers no SM has a buffer and nothing here is called.
#ifndef OBSERVERS_ATTACH_OBSERVER_STATES_H
#define OBSERVERS_ATTACH_OBSERVER_STATES_H

#include "policies/observer/observer.h"

typedef struct Observer {
  const ObserverType *type;
  void *state;
} Observer;

typedef struct Observers {
  Observer *items;
  uint32_t count, capacity;
  EventBuffer *buffers;  // by SM, and one of the memory system; NULL without observers
  uint32_t sm_count;
  bool need_order;  // some want the events of all SMs in the order of cycles
} Observers;

// spec: "accesses" or "latency:bin_cycles=8". The type's name has been found.
Status observers_add(Observers *observers, const ObserverType *type, const char *spec,
                     uint32_t sm_count, Error *err);
void observers_clear(Observers *observers);

void observers_start_kernel(const Observers *observers, const KernelView *kernel);
// Delivers the events of a cycle at its end: those of the memory system, then in the order of the
// SMs.
void observers_deliver(const Observers *observers);
// Of one SM; of the memory system: number sm_count.
void observers_deliver_of(const Observers *observers, uint32_t sm);
void observers_end_kernel(const Observers *observers, const KernelView *kernel,
                          ResultTables *tables);
void observers_report(const Observers *observers, ResultTables *tables);
void observers_report_stats(const Observers *observers, StatsTree *tree);  // policy_report.c

#endif
