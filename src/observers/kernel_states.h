// SPDX-License-Identifier: MIT
// State of an observer per running kernel: few at a time, mostly one, which is found
// immediately.
#ifndef OBSERVERS_KERNEL_STATES_H
#define OBSERVERS_KERNEL_STATES_H

#include <stddef.h>
#include <stdint.h>

typedef struct KernelState {
  uint32_t kernel;
  void *state;
} KernelState;

typedef struct KernelStates {
  KernelState *items;
  uint32_t count, capacity, last;  // last: found last
} KernelStates;

// Zeroed memory of that size.
void *kernel_states_add(KernelStates *states, uint32_t kernel, size_t size_bytes);
void kernel_states_remove(KernelStates *states, uint32_t kernel);
// Frees everything; the contents of the states must have been freed.
void kernel_states_clear(KernelStates *states);
void *kernel_states_search(KernelStates *states, uint32_t kernel);

// NULL if the kernel is not there.
static inline void *kernel_states_find(KernelStates *states, uint32_t kernel) {
  if (states->last < states->count && states->items[states->last].kernel == kernel)
    return states->items[states->last].state;
  return kernel_states_search(states, kernel);
}

#endif
