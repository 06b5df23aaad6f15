// SPDX-License-Identifier: MIT
// Random order after the first wave: Li et al. (ASPLOS 2017, section 3.1) observed that real GPUs
// hand out the first wave of CTAs to SMs in turn, but later ones in no order that software can
// rely on, close to random within a wave. Here an SM with room takes any of the waiting CTAs of
// the current wave, that is, of as many consecutive CTAs as the GPU holds. Seeded, so that a run
// can be repeated.
//
// on_demand and random_wave dispatch CTAs in order and differ in the SM; here neighbouring CTAs
// rarely meet on an SM even if all SMs are equally fast.
#include "policies/cta_dispatch/cta_dispatch.h"

typedef struct RandomOrder {
  uint64_t seed;  // parameters
  uint32_t ordered_waves;
  uint64_t random;  // state of xorshift64*, 0 before the first use
} RandomOrder;

static uint64_t next_random(RandomOrder *order) {
  uint64_t x = order->random ? order->random : order->seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  order->random = x;
  return x * UINT64_C(0x2545f4914f6cdd1d);
}

static uint64_t smaller(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

// One of the waiting CTAs below `end`, each with the same probability.
static uint64_t pick_cta(RandomOrder *order, const DispatchKernel *kernel, uint64_t end) {
  uint64_t waiting = 0, cta = kernel->next_cta;
  for (uint64_t c = cta; c < end; c++) waiting += !dispatch_is_out(kernel, c);
  uint64_t skip = (next_random(order) >> 32) % waiting;
  while (dispatch_is_out(kernel, cta) || skip--) cta++;
  return cta;
}

static bool pick_of(void *state, const DispatchView *view, const DispatchKernel *kernel,
                    DispatchChoice *choice) {
  RandomOrder *order = state;
  uint64_t wave = (uint64_t)view->sm_count * kernel->view.max_ctas_per_sm;
  uint64_t number = kernel->next_cta / wave;
  bool is_ordered = number < order->ordered_waves;
  uint32_t turn = (uint32_t)(kernel->next_cta % view->sm_count);
  uint32_t start = is_ordered ? turn : (uint32_t)((next_random(order) >> 32) % view->sm_count);
  choice->sm = dispatch_next_sm(view, kernel, (start + view->sm_count - 1) % view->sm_count);
  choice->cta = is_ordered
                    ? kernel->next_cta
                    : pick_cta(order, kernel, smaller((number + 1) * wave, kernel->view.cta_count));
  return true;
}

static bool random_order_pick(void *state, const DispatchView *view, DispatchChoice *choice) {
  return dispatch_by_kernel(state, view, choice, pick_of);
}

static const Param random_order_params[] = {
    PARAM(RandomOrder, seed, 1, 0, UINT32_MAX, "random seed"),
    PARAM(RandomOrder, ordered_waves, 1, 0, UINT32_MAX,
          "first waves that are dispatched in order, to SMs in turn"),
    {0}};

const CtaDispatchType random_order_dispatch = {
    .policy = {.name = "random_order",
               .summary = "first wave in order over SMs, then a random CTA of the wave",
               .state_size = sizeof(RandomOrder),
               .params = random_order_params},
    .pick = random_order_pick,
};
