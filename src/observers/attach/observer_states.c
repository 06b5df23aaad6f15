// SPDX-License-Identifier: MIT
// Creates the observers of a machine and delivers events to them.
#include "observers/attach/observer_states.h"

#include "base/memory.h"

Status observers_add(Observers *observers, const ObserverType *type, const char *spec,
                     uint32_t sm_count, Error *err) {
  void *state = memory_alloc(type->policy.state_size + 1);
  Status status = policy_set_params(&type->policy, spec, state, err);
  if (status == OK && type->policy.init)
    status = type->policy.init(state, &(PolicySetup){.sm = POLICY_EVERY_SM}, err);
  if (status != OK) {
    memory_free(state);
    return status;
  }
  if (!observers->buffers) observers->buffers = memory_alloc(sizeof(EventBuffer) * (sm_count + 1));
  observers->sm_count = sm_count;
  for (uint32_t s = 0; s <= sm_count; s++) observers->buffers[s].wants |= type->wants;
  observers->need_order |= !type->takes_any_order;
  GROW(observers->items, observers->count, observers->capacity);
  observers->items[observers->count++] = (Observer){type, state};
  return OK;
}

void observers_clear(Observers *observers) {
  for (uint32_t i = 0; i < observers->count; i++) {
    Observer *each = &observers->items[i];
    if (each->type->clear) each->type->clear(each->state);
    memory_free(each->state);
  }
  for (uint32_t s = 0; observers->buffers && s <= observers->sm_count; s++)
    memory_free(observers->buffers[s].events);
  memory_free(observers->items);
  memory_free(observers->buffers);
  *observers = (Observers){0};
}

void observers_start_kernel(const Observers *observers, const KernelView *kernel) {
  for (uint32_t i = 0; i < observers->count; i++) {
    const Observer *each = &observers->items[i];
    if (each->type->on_kernel_start) each->type->on_kernel_start(each->state, kernel);
  }
}

static void deliver(const Observers *observers, EventBuffer *buffer) {
  if (!buffer->count) return;
  for (uint32_t i = 0; i < observers->count; i++) {
    const Observer *each = &observers->items[i];
    each->type->on_events(each->state, buffer->events, buffer->count);
  }
  buffer->count = 0;
}

void observers_deliver(const Observers *observers) {
  if (!observers->buffers) return;
  deliver(observers, &observers->buffers[observers->sm_count]);
  for (uint32_t s = 0; s < observers->sm_count; s++) deliver(observers, &observers->buffers[s]);
}

void observers_deliver_of(const Observers *observers, uint32_t sm) {
  deliver(observers, &observers->buffers[sm]);
}

void observers_end_kernel(const Observers *observers, const KernelView *kernel,
                          ResultTables *tables) {
  for (uint32_t i = 0; i < observers->count; i++) {
    const Observer *each = &observers->items[i];
    if (each->type->on_kernel_end) each->type->on_kernel_end(each->state, kernel, tables);
  }
}

void observers_report(const Observers *observers, ResultTables *tables) {
  for (uint32_t i = 0; i < observers->count; i++) {
    const Observer *each = &observers->items[i];
    if (each->type->report) each->type->report(each->state, tables);
  }
}
