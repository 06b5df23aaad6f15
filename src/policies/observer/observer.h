// SPDX-License-Identifier: MIT
// Observers receive events and change nothing. Cycles are the
// same with any number of them.
//
// To add one, write a file in src/locality that defines an ObserverType and
// name it in observers.def there; `heddle run --observe NAME` attaches it.
#ifndef POLICIES_OBSERVER_OBSERVER_H
#define POLICIES_OBSERVER_OBSERVER_H

#include "base/result_table.h"
#include "policies/observer/event.h"
#include "policies/policy.h"

typedef struct ObserverType {
  PolicyType policy;                     // of its functions, init only; the setup is empty
  uint32_t wants;                        // bit k: receives events of EventKind k
  const ResultTableType *const *tables;  // all that it may report; NULL-terminated
  // Whether it also works in functional runs. It then receives kernel starts and EVENT_ACCESS of
  // global memory, with requester, sector address and kind of access, but no cycle, SM, outcome
  // or kernel end.
  bool works_untimed;
  // Events of different SMs may come in any order, and those of several cycles together.
  bool takes_any_order;

  void (*on_kernel_start)(void *state, const KernelView *kernel);  // or NULL
  // Events of one SM in one cycle, in the order in which they happened there;
  // SMs follow one another by number, cycles by time, unless takes_any_order. Valid during the
  // call.
  void (*on_events)(void *state, const MemEvent *events, uint32_t count);
  // Called after all events of the kernel. Adds the kernel's tables; or NULL.
  void (*on_kernel_end)(void *state, const KernelView *kernel, ResultTables *tables);
  // Adds the tables of the whole run, which may continue afterwards; or NULL.
  void (*report)(void *state, ResultTables *tables);
  void (*clear)(void *state);  // frees what the state holds; or NULL
} ObserverType;

#endif
