// SPDX-License-Identifier: MIT
// State of an observer per running kernel: few at a time, mostly one, which is found immediately.
#include "observers/kernel_states.h"

#include "base/memory.h"

void *kernel_states_add(KernelStates *states, uint32_t kernel, size_t size_bytes) {
  GROW(states->items, states->count, states->capacity);
  states->last = states->count++;
  states->items[states->last] = (KernelState){kernel, memory_alloc(size_bytes)};
  return states->items[states->last].state;
}

void *kernel_states_search(KernelStates *states, uint32_t kernel) {
  for (uint32_t i = 0; i < states->count; i++)
    if (states->items[i].kernel == kernel) {
      states->last = i;
      return states->items[i].state;
    }
  return NULL;
}

void kernel_states_remove(KernelStates *states, uint32_t kernel) {
  if (!kernel_states_find(states, kernel)) return;
  memory_free(states->items[states->last].state);
  states->items[states->last] = states->items[--states->count];
}

void kernel_states_clear(KernelStates *states) {
  for (uint32_t i = 0; i < states->count; i++) memory_free(states->items[i].state);
  memory_free(states->items);
  *states = (KernelStates){0};
}
