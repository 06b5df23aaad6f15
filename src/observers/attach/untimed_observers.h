// SPDX-License-Identifier: MIT
// Observers of a functional run. They receive kernel starts and accesses to sectors of
// global memory the instructions of a warp access (EVENT_ACCESS), in the order of execution
// without timing: accesses are exact, times are unknown. An observer that needs no more declares
// so (ObserverType.works_untimed).
#ifndef OBSERVERS_ATTACH_UNTIMED_OBSERVERS_H
#define OBSERVERS_ATTACH_UNTIMED_OBSERVERS_H

#include "exec/execute.h"
#include "observers/attach/observer_states.h"

// Zeroed, it is empty and ready.
typedef struct UntimedObservers {
  Observers observers;
  uint32_t instructions;  // that accessed global memory, modulo 2^32
} UntimedObservers;

void untimed_observers_start(UntimedObservers *untimed, const Launch *launch, uint32_t sm_count);
void untimed_observers_access(UntimedObservers *untimed, const Warp *warp,
                              const MemoryAccess *access);

#endif
