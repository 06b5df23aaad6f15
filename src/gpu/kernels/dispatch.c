// SPDX-License-Identifier: MIT
// CTA dispatch: fills in the policy's view, checks its result and starts the CTA.
#include <string.h>

#include "base/memory.h"
#include "gpu/machine.h"

static uint32_t room_words(const Gpu *gpu) {
  return (gpu->sm_count + 63) / 64;
}

Status dispatch_init(Gpu *gpu, Error *err) {
  Dispatch *dispatch = &gpu->dispatch;
  const PolicyType *type;
  TRY(policy_host_make(&gpu->policies, &cta_dispatch_family, gpu->config.policy.cta_dispatch,
                       POLICY_PLACE_GPU, &type, &dispatch->state, err));
  dispatch->type = (const CtaDispatchType *)type;
  dispatch->cluster_took = ARENA_ARRAY(&gpu->arena, uint64_t, room_words(gpu));
  dispatch->resume_room = ARENA_ARRAY(&gpu->arena, uint64_t, room_words(gpu));
  dispatch->again = NEVER;
  return OK;
}

void dispatch_clear(Dispatch *dispatch) {
  memory_free(dispatch->kernels);
  memory_free(dispatch->rooms);
  memory_free(dispatch->free_ctas);
}

// ---- which CTAs are still to go

// All CTAs below next_cta have gone. The bitmap exists only for policies that dispatch out of
// order: grids of millions of CTAs in order need none.
static bool is_dispatched(const GpuKernel *kernel, uint64_t cta) {
  if (cta < kernel->run.next_cta) return true;
  return kernel->dispatched && kernel->dispatched[cta / 64] >> cta % 64 & 1;
}

static void mark_dispatched(GpuKernel *kernel, uint64_t cta) {
  KernelRun *run = &kernel->run;
  kernel->dispatched_ctas++;
  if (cta == run->next_cta) {
    run->next_cta++;
    while (run->next_cta < run->cta_count && is_dispatched(kernel, run->next_cta)) run->next_cta++;
    return;
  }
  if (!kernel->dispatched)
    kernel->dispatched = memory_alloc(sizeof(uint64_t) * (run->cta_count / 64 + 1));
  kernel->dispatched[cta / 64] |= UINT64_C(1) << cta % 64;
}

// ---- room

static uint32_t smaller(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

// The barrier of a cooperative launch waits for CTAs that a limit would keep
// out for ever.
static uint32_t limit_of(const Gpu *gpu, const GpuKernel *kernel, uint32_t s) {
  return kernel->run.launch->workspace ? UINT32_MAX : gpu->throttling.limits[s];
}

// Number of further CTAs of the kernel that fit on an SM: limited by the kernel (occupancy, spread
// grids), by the throttle, by resources taken by CTAs of other kernels, and by the SM's skew.
uint32_t dispatch_free_ctas(const Gpu *gpu, const GpuKernel *kernel, uint32_t s) {
  if (perturbation_holds(gpu, s)) return 0;
  const Sm *sm = gpu->sms[s];
  uint32_t held = kernel->ctas_on_sm[s], limit = limit_of(gpu, kernel, s);
  bool fits =
      held < kernel->run.ctas_per_sm && sm->cta_count < limit && sm_has_room(sm, &kernel->run);
  if (!fits) return 0;
  return smaller(smaller(kernel->run.ctas_per_sm - held, limit - sm->cta_count),
                 sm_free_ctas(sm, &kernel->run));
}

// Kept by kernel and SM and updated for the cluster that has changed, instead of being
// recomputed for every question: dispatch asks up to once per cluster and cycle.
static void note_room(Gpu *gpu, uint32_t k, uint32_t s) {
  Dispatch *dispatch = &gpu->dispatch;
  uint64_t bit = UINT64_C(1) << s % 64, *word = &dispatch->rooms[k * room_words(gpu) + s / 64];
  uint32_t free = dispatch_free_ctas(gpu, gpu_kernel_at(gpu, dispatch->kernels[k].view.id), s);
  bool took = dispatch->cluster_took[s / 64] & bit;
  dispatch->free_ctas[k * gpu->sm_count + s] = free;
  *word = free && !took ? *word | bit : *word & ~bit;
}

static bool has_any_room(const Gpu *gpu, const GpuKernel *kernel) {
  for (uint32_t s = 0; s < gpu->sm_count; s++)
    if (dispatch_free_ctas(gpu, kernel, s)) return true;
  return false;
}

static void note_any_room(Gpu *gpu, uint32_t k) {
  const uint64_t *room = &gpu->dispatch.rooms[k * room_words(gpu)];
  bool any = false;
  for (uint32_t i = 0; i < room_words(gpu); i++) any |= room[i] != 0;
  gpu->dispatch.kernels[k].has_room = any;
}

// ---- the policy's view

static void reserve(Gpu *gpu, uint32_t kernels) {
  Dispatch *dispatch = &gpu->dispatch;
  if (dispatch->capacity >= kernels) return;
  dispatch->capacity = kernels * 2;
  size_t words = (size_t)dispatch->capacity * room_words(gpu);
  size_t sms = (size_t)dispatch->capacity * gpu->sm_count;
  dispatch->kernels =
      memory_resize(dispatch->kernels, sizeof *dispatch->kernels * dispatch->capacity);
  dispatch->rooms = memory_resize(dispatch->rooms, sizeof *dispatch->rooms * words);
  dispatch->free_ctas = memory_resize(dispatch->free_ctas, sizeof *dispatch->free_ctas * sms);
}

// Kernel k of the view, which has CTAs waiting.
static void view_kernel(Gpu *gpu, uint32_t k) {
  Dispatch *dispatch = &gpu->dispatch;
  DispatchKernel *view = &dispatch->kernels[k];
  const GpuKernel *kernel = gpu_kernel_at(gpu, view->view.id);
  view->view = gpu_kernel_view(gpu, kernel);
  view->next_cta = kernel->run.next_cta;
  view->dispatched = kernel->dispatched;
  view->room = &dispatch->rooms[k * room_words(gpu)];
  view->free_ctas = &dispatch->free_ctas[k * gpu->sm_count];
}

// Without a launch cost its CTAs start after the first cycle.
static Cycle ready_at(const Gpu *gpu, const GpuKernel *kernel) {
  return kernel->run.launch->started + 1 + gpu->config.gpu.host_launch_cycles;
}

bool gpu_kernel_launches(const Gpu *gpu, const GpuKernel *kernel) {
  if (kernel->is_child) return false;  // children have waited before they came
  return gpu->config.gpu.host_launch_cycles && gpu->now < ready_at(gpu, kernel);
}

// Dispatch is asked again when the kernel is no longer being launched.
bool dispatch_is_launching(Gpu *gpu, const GpuKernel *kernel) {
  if (!gpu_kernel_launches(gpu, kernel)) return false;
  gpu->dispatch.again = cycle_earlier(gpu->dispatch.again, ready_at(gpu, kernel));
  gpu->dispatch.is_launching = true;
  return true;
}

// With gpu.cta_start_cycles the GPU starts one CTA after the other.
static bool is_start_due(const Gpu *gpu) {
  return gpu->dispatch.next_start < (double)(gpu->now + 1);
}

// Rebuilt at the beginning of a dispatch cycle; within it only changes are applied
// (note_taken). The policy sees it if a CTA may start.
static void view_kernels(Gpu *gpu) {
  Dispatch *dispatch = &gpu->dispatch;
  bool is_seen = is_start_due(gpu);
  const KernelQueue *queue = &gpu->queue;
  reserve(gpu, queue->running_count);
  dispatch->kernel_count = 0;
  dispatch->is_launching = false;
  for (uint32_t i = 0; i < queue->running_count; i++) {
    const GpuKernel *kernel = gpu_kernel_at(gpu, queue->running[i]);
    const KernelRun *run = &kernel->run;
    if (run->next_cta == run->cta_count || dispatch_is_launching(gpu, kernel)) continue;
    if (launch_cluster_size(run->launch) > 1) continue;  // cta_clusters.c
    uint32_t k = dispatch->kernel_count++;
    dispatch->kernels[k].view.id = run->id;
    if (!is_seen) {
      dispatch->kernels[k].has_room = has_any_room(gpu, kernel);
      continue;
    }
    memset(&dispatch->rooms[k * room_words(gpu)], 0, sizeof(uint64_t) * room_words(gpu));
    for (uint32_t s = 0; s < gpu->sm_count; s++) note_room(gpu, k, s);
    view_kernel(gpu, k);
    note_any_room(gpu, k);
  }
}

static bool has_room(const Dispatch *dispatch) {
  for (uint32_t k = 0; k < dispatch->kernel_count; k++)
    if (dispatch->kernels[k].has_room) return true;
  return false;
}

// A kernel whose last CTA has been dispatched leaves the view.
static void remove_kernel(Gpu *gpu, uint32_t k) {
  Dispatch *dispatch = &gpu->dispatch;
  uint32_t words = room_words(gpu), behind = --dispatch->kernel_count - k;
  memmove(&dispatch->kernels[k], &dispatch->kernels[k + 1], sizeof *dispatch->kernels * behind);
  memmove(&dispatch->rooms[k * words], &dispatch->rooms[(k + 1) * words],
          sizeof *dispatch->rooms * behind * words);
  memmove(&dispatch->free_ctas[k * gpu->sm_count], &dispatch->free_ctas[(k + 1) * gpu->sm_count],
          sizeof *dispatch->free_ctas * behind * gpu->sm_count);
  for (uint32_t i = k; i < dispatch->kernel_count; i++) view_kernel(gpu, i);
}

// ---- one cycle

// The SM has less room; its cluster takes no other CTA in this cycle.
// One CTA per cluster and cycle, as GPGPU-Sim issues them.
static void note_taken(Gpu *gpu, uint32_t k, uint32_t sm) {
  Dispatch *dispatch = &gpu->dispatch;
  uint32_t size = gpu->config.gpu.sms_per_cluster, first = sm / size * size;
  for (uint32_t s = first; s < first + size && s < gpu->sm_count; s++)
    dispatch->cluster_took[s / 64] |= UINT64_C(1) << s % 64;
  const KernelRun *run = &gpu_kernel_at(gpu, dispatch->kernels[k].view.id)->run;
  if (run->next_cta == run->cta_count)
    remove_kernel(gpu, k);
  else
    view_kernel(gpu, k);
  for (uint32_t i = 0; i < dispatch->kernel_count; i++) {
    for (uint32_t s = first; s < first + size && s < gpu->sm_count; s++) note_room(gpu, i, s);
    note_any_room(gpu, i);
  }
}

// The SM catches up first: its cycles before the CTA must count as idle.
void dispatch_start_cta(Gpu *gpu, GpuKernel *kernel, uint64_t cta, uint32_t s) {
  mark_dispatched(kernel, cta);
  kernel_note_cta(kernel, s);
  gpu_catch_up(gpu, s, gpu->now);
  sm_start_cta(gpu->sms[s], &kernel->run, cta, gpu->now);
  gpu->total.dispatched_ctas++;
  gpu->last_progress = gpu->now;
  if (!gpu->policies.has_cta_callbacks) return;
  KernelView view = gpu_kernel_view(gpu, kernel);
  policy_host_cta_start(&gpu->policies,
                        &(CtaView){.now = gpu->now, .kernel = &view, .cta = cta, .sm = s});
}

static bool may_start(Gpu *gpu) {
  Dispatch *dispatch = &gpu->dispatch;
  if (is_start_due(gpu)) return true;
  dispatch->again = cycle_earlier(dispatch->again, (Cycle)dispatch->next_start);
  return false;
}

// Starts that were not used are lost.
// Fractions of a cycle accumulate: cta_start_cycles may be 0.5 or 2.5.
static void note_start(Gpu *gpu) {
  Dispatch *dispatch = &gpu->dispatch;
  double each = gpu->config.gpu.cta_start_cycles, now = (double)gpu->now;
  if (each > 0)
    dispatch->next_start = (dispatch->next_start > now ? dispatch->next_start : now) + each;
}

// A policy may decline; it then names the cycle in which it wants to be asked again, so that
// skipped cycles do not change its decisions.
static bool dispatch_one(Gpu *gpu) {
  Dispatch *dispatch = &gpu->dispatch;
  if (!has_room(dispatch) || !may_start(gpu)) return false;
  DispatchView view = {.now = gpu->now,
                       .kernels = dispatch->kernels,
                       .kernel_count = dispatch->kernel_count,
                       .sm_count = gpu->sm_count,
                       .sms_per_cluster = gpu->config.gpu.sms_per_cluster,
                       .limits = gpu->throttling.limits};
  DispatchChoice choice = {.ask_again = gpu->now + 1};
  if (!dispatch->type->pick(dispatch->state, &view, &choice)) {
    Cycle again = choice.ask_again > gpu->now ? choice.ask_again : gpu->now + 1;
    dispatch->again = cycle_earlier(dispatch->again, again);
    return false;
  }
  POLICY_REQUIRE(dispatch->type, choice.kernel < view.kernel_count);
  const DispatchKernel *chosen = &view.kernels[choice.kernel];
  GpuKernel *kernel = gpu_kernel_at(gpu, chosen->view.id);
  POLICY_REQUIRE(dispatch->type, choice.sm < view.sm_count && dispatch_has_room(chosen, choice.sm));
  POLICY_REQUIRE(dispatch->type,
                 choice.cta < chosen->view.cta_count && !is_dispatched(kernel, choice.cta));
  dispatch_start_cta(gpu, kernel, choice.cta, choice.sm);
  leave_out_ctas(gpu, kernel);
  note_start(gpu);
  note_taken(gpu, choice.kernel, choice.sm);
  return true;
}

// Without a preference of the policy, the lowest SM with room.
uint32_t dispatch_resume_sm(Gpu *gpu, const GpuKernel *kernel, const CtaView *cta) {
  Dispatch *dispatch = &gpu->dispatch;
  uint32_t first = gpu->sm_count;
  memset(dispatch->resume_room, 0, sizeof(uint64_t) * room_words(gpu));
  for (uint32_t s = gpu->sm_count; s-- > 0;) {
    const Sm *sm = gpu->sms[s];
    if (sm->cta_count >= limit_of(gpu, kernel, s) || !sm_has_room(sm, &kernel->run)) continue;
    dispatch->resume_room[s / 64] |= UINT64_C(1) << s % 64;
    first = s;
  }
  if (first == gpu->sm_count || !dispatch->type->resume) return first;
  uint32_t s = dispatch->type->resume(dispatch->state, cta, dispatch->resume_room);
  POLICY_REQUIRE(dispatch->type, s < gpu->sm_count && dispatch->resume_room[s / 64] >> s % 64 & 1);
  return s;
}

// Dispatch is asked again when the next CTA's turnaround has passed.
static void free_rooms(Gpu *gpu) {
  for (uint32_t s = 0; s < gpu->sm_count; s++) {
    Cycle next = sm_free_room(gpu->sms[s], gpu->now);
    gpu->dispatch.again = cycle_earlier(gpu->dispatch.again, next);
  }
}

// Suspended CTAs return before new ones start: otherwise a stream of new CTAs could keep their
// parents out. is_due stays set while anything changed, since a decision may enable another
// one.
void dispatch_tick(Gpu *gpu) {
  Dispatch *dispatch = &gpu->dispatch;
  memset(dispatch->cluster_took, 0, sizeof(uint64_t) * room_words(gpu));
  dispatch->again = perturbation_next(gpu);
  if (gpu->config.sm.cta_turnaround_cycles) free_rooms(gpu);
  bool any = false;
  throttling_poll_news(gpu);
  if (gpu->suspended_count) suspensions_resume(gpu);
  any = cta_clusters_dispatch(gpu);
  view_kernels(gpu);
  while (dispatch_one(gpu)) any = true;
  dispatch->is_due = any || suspensions_make_room(gpu);
  empty_slots_update(gpu);
}
