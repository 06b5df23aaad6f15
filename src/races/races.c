// SPDX-License-Identifier: MIT
// Compares each access with the shadow memory and reports unordered pairs.
#include "races/races.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "races/race_state.h"

// ---- options

static const char *const warp_choices[] = {"auto", "on", "off", NULL};

const Param race_params[] = {
    PARAM_CHOICE(RaceOptions, warp, RACE_WARPS_AUTO, warp_choices,
                 "check the lanes of a warp against each other; auto: on a GPU of compute "
                 "capability 7.0 or later"),
    PARAM(RaceOptions, all, false, 0, 1, "also report benign races"),
    {0}};

static Status read_params(const ParamSection *sections, const char *list, Error *err) {
  char part[128];
  while (*list) {
    size_t length = strcspn(list, ",");
    snprintf(part, sizeof part, "%.*s", (int)length, list);
    list += length + (list[length] == ',');
    char *value = strchr(part, '=');
    if (value) *value++ = '\0';
    // A flag may stand alone.
    TRY(param_set(sections, "races", part, value ? value : "true", err));
  }
  return OK;
}

Status race_options_read(RaceOptions *options, const char *spec, Error *err) {
  const ParamSection sections[] = {{"races", "the race check", race_params, options}, {0}};
  size_t length = strcspn(spec, ":");
  param_set_defaults(sections);
  if (length != strlen("races") || strncmp(spec, "races", length) != 0)
    return error_set(err, ERR_USAGE, "unknown check '%.40s'; there is: races", spec);
  if (read_params(sections, spec + length + (spec[length] == ':'), err) == OK) return OK;
  err->status = ERR_USAGE;
  return ERR_USAGE;
}

// ---- CTAs

static uint32_t launch_number(Races *races, const Launch *launch) {
  for (uint32_t i = races->launch_count; i-- > 0;)
    if (races->launches[i].grid_id == launch->grid_id) return i;
  GROW(races->launches, races->launch_count, races->launch_capacity);
  races->launches[races->launch_count] = (RaceLaunch){launch->grid_id, races->cta_count + 1};
  return races->launch_count++;
}

static CtaState *take_spare(Races *races, uint32_t shared_bytes) {
  CtaState *state = races->spare;
  if (state)
    races->spare = state->next;
  else
    state = memory_alloc(sizeof *state);
  state->shared_bytes = shared_bytes;
  if (shared_bytes > state->shared.bytes) {
    shadow_page_clear(&state->shared);
    shadow_page_init(&state->shared, shared_bytes);
  }
  return state;
}

static CtaState *start_cta(Races *races, Cta *cta) {
  if (races->cta_count == UINT32_MAX - 1) return NULL;
  CtaState *state = take_spare(races, cta->shared_bytes);
  state->launch = launch_number(races, cta->launch);
  state->first_cta = races->launches[state->launch].first_cta;
  GROW(races->ctas, races->cta_count, races->cta_capacity);
  races->ctas[races->cta_count++] = (RaceCta){state->launch, cta->linear};
  cta_order_init(&state->order, races->cta_count, cta->warp_count);
  state->next = races->running;
  state->link = &races->running;
  if (state->next) state->next->link = &state->next;
  races->running = state;
  cta->watched = state;
  return state;
}

CtaState *races_cta(Races *races, const Warp *warp) {
  Cta *cta = warp->cta;
  CtaState *state = cta->watched ? cta->watched : start_cta(races, cta);
  if (state) order_resume(&state->order, warp->index);
  return state;
}

void races_end_cta(Races *races, CtaState *state) {
  *state->link = state->next;
  if (state->next) state->next->link = state->link;
  cta_order_clear(&state->order);
  state->next = races->spare;
  races->spare = state;
}

// CTAs that have not begun may still acquire from those that have exited: points stay until now.
void races_end_launches(Races *races) {
  while (races->running) races_end_cta(races, races->running);
  sync_points_clear(&races->points);
}

// ---- watching

static bool is_checked(const Instruction *in) {
  switch (in->form.op) {
    case OP_LD:
    case OP_LDU:
    case OP_ST:
    case OP_ATOM:
    case OP_RED:
    case OP_LDMATRIX:
    case OP_STMATRIX:
    case OP_WMMA: return true;
    case OP_CP: return in->form.mode == MODE_ASYNC;
    default: return false;
  }
}

static void on_accessed(void *self, const ExecContext *context, const Warp *warp,
                        const Instruction *in) {
  Races *races = self;
  const MemoryAccess *access = &context->access;
  uint32_t shared = access->space == SPACE_SHARED ? access->mask : access->generic_shared;
  bool is_generic = access->space == SPACE_GENERIC;
  uint32_t global = access->space == SPACE_GLOBAL || is_generic ? access->mask : 0;
  if (is_generic) global &= ~(access->generic_shared | access->generic_local);
  if (!(shared | global) || !is_checked(in)) return;
  CtaState *cta = races_cta(races, warp);
  if (!cta || cta->order.warps[warp->index].clock[warp->index] == CLOCK_LIMIT) return;
  if (shared) races_check_lanes(races, cta, context, warp, in, shared, true);
  if (global) races_check_lanes(races, cta, context, warp, in, global, false);
}

static void on_mbarrier(Races *races, CtaState *cta, const ExecContext *context, const Warp *warp,
                        const Instruction *in) {
  CtaOrder *order = &cta->order;
  const MemoryAccess *access = &context->access;
  bool is_wait = in->form.mode == MODE_TEST_WAIT || in->form.mode == MODE_TRY_WAIT;
  if (!is_wait) order_fence(order, warp->index, true);
  for (uint32_t left = access->mask; left; left &= left - 1) {
    uint64_t address = access->address[__builtin_ctz(left)];
    if (is_wait)
      order_read_strong(order, warp->index, &races->points, address, order->cta);
    else
      order_write_strong(order, warp->index, &races->points, address, order->cta);
  }
  if (is_wait) order_fence(order, warp->index, true);
}

static void on_barrier(CtaOrder *order, const Warp *warp, const Instruction *in, uint32_t mask) {
  if (in->form.mode == MODE_WARP) {
    order_syncwarp(order, warp->index);
  } else if (in->form.option & OPTION_CLUSTER) {
    if (in->form.mode == MODE_ARRIVE)
      order_cluster_arrive(order, warp->index);
    else
      order_cluster_wait(order, warp->index);
  } else {
    const uint32_t *ids = place_at(warp, in->src[0]);
    order_barrier(order, warp->cta, warp->index, ids[__builtin_ctz(mask)],
                  in->form.mode != MODE_ARRIVE);
  }
}

static void on_synchronised(void *self, const ExecContext *context, const Warp *warp,
                            const Instruction *in, uint32_t mask) {
  Races *races = self;
  CtaState *cta = races_cta(races, warp);
  if (!cta) return;
  switch (in->form.op) {
    case OP_BAR:
    case OP_BARRIER: on_barrier(&cta->order, warp, in, mask); break;
    case OP_MEMBAR:
    case OP_FENCE: order_fence(&cta->order, warp->index, in->form.scope == SCOPE_CTA); break;
    case OP_MBARRIER: on_mbarrier(races, cta, context, warp, in); break;
    default: break;
  }
  if (warp->cta->live_warps == 0) {
    warp->cta->watched = NULL;
    races_end_cta(races, cta);
  }
}

// ---- life

Races *races_create(const RaceOptions *options, bool are_lanes_independent) {
  Races *races = memory_alloc(sizeof *races);
  races->options = *options;
  races->check_warps =
      options->warp == RACE_WARPS_AUTO ? are_lanes_independent : options->warp == RACE_WARPS_ON;
  races->watch =
      (ExecWatch){.accessed = on_accessed, .synchronised = on_synchronised, .self = races};
  return races;
}

void races_destroy(Races *races) {
  if (!races) return;
  races_end_launches(races);
  for (CtaState *state; (state = races->spare);) {
    races->spare = state->next;
    shadow_page_clear(&state->shared);
    memory_free(state);
  }
  shadow_clear(&races->global);
  race_table_clear(&races->found);
  memory_free(races->ctas);
  memory_free(races->launches);
  memory_free(races);
}

const ExecWatch *races_watch(const Races *races) {
  return &races->watch;
}

const RaceTable *races_found(Races *races) {
  race_table_settle(&races->found);
  return &races->found;
}

bool races_report_all(const Races *races) {
  return races->options.all;
}

bool races_check_warps(const Races *races) {
  return races->check_warps;
}
