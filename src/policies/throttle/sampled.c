// SPDX-License-Identifier: MIT
// The degree that one sampled CTA predicts: Yen, "A Cache Behavior Aware
// Multithreading Degree Decision Scheme on GPGPUs", thesis, 2014, section 5.2.
//
// When a kernel starts, one SM holds a single CTA while the others hold as many as fit. When
// that CTA completes, the counters of its SM are passed to the predictor
// (degree_predictor.h), whose result limits every SM until all CTAs of the kernel have been
// dispatched. There is one predictor: of concurrent kernels one is sampled at a time, the
// oldest first; the smallest limit of kernels with CTAs to dispatch applies.
//
// Kernels that keep the default: those whose CTAs all fit on the GPU, or have all been
// dispatched before a sample could start; cooperative ones, whose CTAs must all be resident;
// and those whose sampled CTA was suspended to wait for its children.
#include <string.h>

#include "base/memory.h"
#include "policies/throttle/degree_report.h"
#include "policies/throttle/throttle.h"

typedef enum SampleState { STATE_PENDING, STATE_SAMPLING, STATE_DECIDED } SampleState;

typedef struct SampledKernel {
  uint32_t id;
  SampleState state;
  uint64_t ctas, waiting;  // total; still to be dispatched
  uint32_t warps;          // of a CTA
  DegreeDecision decision;
} SampledKernel;

// Result of a kernel, for its next launches.
typedef struct Remembered {
  const Function *function;
  uint32_t threads, degree;
} Remembered;

// Counters of the SM as a throttle sees them.
typedef struct SmCounts {
  uint64_t accesses, dram_reads, dram_atomics, loads, latency_cycles;
} SmCounts;

typedef struct Sampled {
  uint32_t sm, others, ctas;  // parameters
  bool reuse;
  DegreeModel model;
  uint64_t sampled, too_short, lost, reused, memory_bound, degrees;  // counters
  uint64_t predicted_ctas, predicted_cycles;

  uint32_t sm_count;
  bool has_l1d;
  SampledKernel *kernels;
  uint32_t kernel_count, kernel_capacity;
  Remembered *memory;
  uint32_t memory_count, memory_capacity;
  uint32_t residents;  // CTAs on the sampled SM
  SmCounts before;     // when it was empty last
  bool is_open;        // a sampled CTA runs ...
  bool has_ended;      // ... or has just ended
  uint64_t cta, cta_instructions;
  Cycle cta_start;
  bool has_news;
} Sampled;

static Status sampled_init(void *state, const PolicySetup *setup, Error *err) {
  Sampled *sampled = state;
  const MachineView *machine = setup->machine;
  sampled->sm_count = machine->sm_count ? machine->sm_count : 1;
  if (sampled->sm >= sampled->sm_count)
    return error_set(err, ERR_CONFIG, "sm = %u: the GPU has SMs 0 to %u", sampled->sm,
                     sampled->sm_count - 1);
  for (int i = 1; i < DEGREE_SEGMENTS - 1; i++)
    if (sampled->model.knot[i] < sampled->model.knot[i - 1])
      return error_set(err, ERR_CONFIG, "knot_%d = %g: must be at least knot_%d = %g", i + 1,
                       sampled->model.knot[i], i, sampled->model.knot[i - 1]);
  sampled->has_l1d = machine->l1d_bytes > 0;
  return OK;
}

static void sampled_clear(void *state) {
  Sampled *sampled = state;
  for (uint32_t i = 0; i < sampled->kernel_count; i++)
    memory_free(sampled->kernels[i].decision.steps);
  memory_free(sampled->kernels);
  memory_free(sampled->memory);
}

// ---- kernels

static SampledKernel *find(Sampled *sampled, uint32_t id) {
  for (uint32_t i = 0; i < sampled->kernel_count; i++)
    if (sampled->kernels[i].id == id) return &sampled->kernels[i];
  return NULL;
}

static SampledKernel *being_sampled(Sampled *sampled) {
  for (uint32_t i = 0; i < sampled->kernel_count; i++)
    if (sampled->kernels[i].state == STATE_SAMPLING) return &sampled->kernels[i];
  return NULL;
}

static void settle(Sampled *sampled, SampledKernel *kernel, const char *outcome, uint32_t degree) {
  kernel->state = STATE_DECIDED;
  kernel->decision.outcome = outcome;
  kernel->decision.degree = degree;
  sampled->has_news = true;
}

// The oldest pending kernel gets the predictor, if it is free. Kernels without CTAs to
// dispatch are skipped.
static void take_next(Sampled *sampled) {
  if (being_sampled(sampled)) return;
  for (uint32_t i = 0; i < sampled->kernel_count; i++) {
    SampledKernel *kernel = &sampled->kernels[i];
    if (kernel->state != STATE_PENDING) continue;
    if (kernel->waiting) {
      kernel->state = STATE_SAMPLING;
      sampled->has_news = true;
      return;
    }
    sampled->too_short++;
    settle(sampled, kernel, "dispatched before it could be sampled", 0);
  }
}

static Remembered *recall(Sampled *sampled, const Function *function, uint32_t threads) {
  for (uint32_t i = 0; i < sampled->memory_count; i++)
    if (sampled->memory[i].function == function && sampled->memory[i].threads == threads)
      return &sampled->memory[i];
  return NULL;
}

static void remember(Sampled *sampled, const KernelView *kernel, uint32_t degree) {
  uint32_t threads = launch_threads_per_cta(kernel->launch);
  Remembered *known = recall(sampled, kernel->launch->kernel, threads);
  if (!known) {
    GROW(sampled->memory, sampled->memory_count, sampled->memory_capacity);
    known = &sampled->memory[sampled->memory_count++];
    *known = (Remembered){.function = kernel->launch->kernel, .threads = threads};
  }
  known->degree = degree;
}

// All of its CTAs fit on the GPU: a limit would have no effect, and reserving an SM for the
// sample would cost a wave.
static bool is_short(const Sampled *sampled, const KernelView *kernel) {
  uint32_t most = kernel->max_ctas_per_sm;
  return most < 2 || kernel->cta_count <= (uint64_t)sampled->sm_count * most;
}

static void sampled_start(void *state, const KernelView *view) {
  Sampled *sampled = state;
  GROW(sampled->kernels, sampled->kernel_count, sampled->kernel_capacity);
  SampledKernel *kernel = &sampled->kernels[sampled->kernel_count++];
  *kernel = (SampledKernel){.id = view->id,
                            .ctas = view->cta_count,
                            .waiting = view->ctas_waiting,
                            .warps = view->warps_per_cta};
  kernel->decision.most = view->max_ctas_per_sm < DEGREE_MAX ? view->max_ctas_per_sm : DEGREE_MAX;
  const Remembered *known =
      sampled->reuse ? recall(sampled, view->launch->kernel, launch_threads_per_cta(view->launch))
                     : NULL;
  if (view->launch->workspace) {
    settle(sampled, kernel, "cooperative: all CTAs must be resident", 0);
  } else if (!sampled->has_l1d) {
    settle(sampled, kernel, "no L1D", 0);
  } else if (known) {
    sampled->reused++;
    settle(sampled, kernel, "as sampled in an earlier launch", known->degree);
  } else if (is_short(sampled, view)) {
    sampled->too_short++;
    settle(sampled, kernel, "too few CTAs to be sampled", 0);
  }
  take_next(sampled);
}

static void sampled_end(void *state, const KernelView *view) {
  Sampled *sampled = state;
  SampledKernel *kernel = find(sampled, view->id);
  if (!kernel) return;
  if (kernel->state == STATE_SAMPLING) sampled->is_open = sampled->has_ended = false;
  memory_free(kernel->decision.steps);
  uint32_t behind = --sampled->kernel_count - (uint32_t)(kernel - sampled->kernels);
  memmove(kernel, kernel + 1, sizeof *kernel * behind);
  sampled->has_news = true;
  take_next(sampled);
}

// ---- CTAs

static void give_up(Sampled *sampled, SampledKernel *kernel, const char *why) {
  sampled->is_open = sampled->has_ended = false;
  settle(sampled, kernel, why, 0);
  take_next(sampled);
}

static void sampled_cta_start(void *state, const CtaView *cta) {
  Sampled *sampled = state;
  SampledKernel *kernel = find(sampled, cta->kernel->id);
  if (!kernel) return;
  kernel->waiting = cta->kernel->ctas_waiting;
  bool is_here = cta->sm == sampled->sm;
  sampled->residents += is_here;
  if (!kernel->waiting) sampled->has_news = true;
  if (kernel->state != STATE_SAMPLING || sampled->is_open) return;
  if (is_here && sampled->residents == 1) {
    sampled->is_open = true;
    sampled->cta = cta->cta;
    sampled->cta_start = cta->now;
  } else if (!kernel->waiting) {
    sampled->too_short++;
    give_up(sampled, kernel, "dispatched before it could be sampled");
  }
}

static bool is_the_sample(Sampled *sampled, const CtaView *cta) {
  const SampledKernel *kernel = being_sampled(sampled);
  return kernel && sampled->is_open && kernel->id == cta->kernel->id && sampled->cta == cta->cta &&
         cta->sm == sampled->sm;
}

static void sampled_cta_end(void *state, const CtaView *cta) {
  Sampled *sampled = state;
  sampled->residents -= cta->sm == sampled->sm;
  if (!is_the_sample(sampled, cta)) return;
  sampled->is_open = false;
  sampled->has_ended = true;
  sampled->cta_instructions = cta->warp_instructions;
}

static void sampled_suspend(void *state, const CtaView *cta) {
  Sampled *sampled = state;
  sampled->residents -= cta->sm == sampled->sm;
  if (!is_the_sample(sampled, cta)) return;
  sampled->lost++;
  give_up(sampled, being_sampled(sampled), "the sampled CTA waited for kernels that it launched");
}

static void sampled_resume(void *state, const CtaView *cta) {
  Sampled *sampled = state;
  sampled->residents += cta->sm == sampled->sm;
}

// ---- the decision

static SmCounts counts_of(const ThrottleView *view) {
  return (SmCounts){.accesses = view->l1d_accesses,
                    .dram_reads = view->dram_reads,
                    .dram_atomics = view->dram_atomics,
                    .loads = view->loads_done,
                    .latency_cycles = view->load_latency_cycles};
}

// Time predicted for the degree that is held, of all CTAs, for comparison with
// the time measured. At degrees far beyond the capacity the chain of factors
// leaves the range of counters; such kernels are not counted.
static void count_prediction(Sampled *sampled, const SampledKernel *kernel, uint32_t degree) {
  double cycles = kernel->decision.steps[degree - 1].cta_cycles * (double)kernel->ctas;
  if (!(cycles < 0x1p53)) return;
  sampled->predicted_ctas += kernel->ctas;
  sampled->predicted_cycles += (uint64_t)cycles;
}

static void decide(Sampled *sampled, const ThrottleView *view) {
  SampledKernel *kernel = being_sampled(sampled);
  DegreeDecision *decision = &kernel->decision;
  SmCounts now = counts_of(view);
  decision->sample =
      (DegreeSample){.cycles = view->now - sampled->cta_start,
                     .warp_instructions = sampled->cta_instructions,
                     .accesses = now.accesses - sampled->before.accesses,
                     .dram_reads = now.dram_reads - sampled->before.dram_reads,
                     .dram_atomics = now.dram_atomics - sampled->before.dram_atomics,
                     .warps = kernel->warps,
                     .lines = view->lines_touched,
                     .line_uses = view->line_uses,
                     .loads = now.loads - sampled->before.loads,
                     .latency_cycles = now.latency_cycles - sampled->before.latency_cycles,
                     .capacity_lines = view->l1d_lines};
  decision->steps = memory_alloc(sizeof *decision->steps * decision->most);
  uint32_t degree =
      degree_predict(&sampled->model, &decision->sample, decision->most, decision->steps);
  if (sampled->ctas) degree = sampled->ctas < decision->most ? sampled->ctas : decision->most;
  decision->decided = view->now;
  decision->is_memory_bound = degree_is_memory_bound(&sampled->model, &decision->sample);
  sampled->has_ended = false;
  sampled->sampled++;
  sampled->degrees += degree;
  sampled->memory_bound += decision->is_memory_bound;
  count_prediction(sampled, kernel, degree);
  if (sampled->reuse) remember(sampled, view->kernel, degree);
  settle(sampled, kernel, sampled->ctas ? "sampled, with ctas given" : "sampled", degree);
  take_next(sampled);
}

static uint32_t sampled_limit(void *state, const ThrottleView *view) {
  Sampled *sampled = state;
  if (view->sm == sampled->sm) {
    if (sampled->has_ended) decide(sampled, view);
    if (!view->resident_ctas) sampled->before = counts_of(view);
    if (being_sampled(sampled)) return 1;
  }
  uint32_t limit = sampled->others && being_sampled(sampled) ? sampled->others : UINT32_MAX;
  for (uint32_t i = 0; i < sampled->kernel_count; i++) {
    const SampledKernel *kernel = &sampled->kernels[i];
    uint32_t degree = kernel->decision.degree;
    if (kernel->waiting && degree && degree < limit) limit = degree;
  }
  return limit;
}

static bool sampled_watches(void *state, uint32_t sm) {
  return sm == ((Sampled *)state)->sm && being_sampled(state);
}

static bool sampled_news(void *state) {
  Sampled *sampled = state;
  bool has_news = sampled->has_news;
  sampled->has_news = false;
  return has_news;
}

static void sampled_explain(void *state, const KernelView *view, ResultTables *tables) {
  SampledKernel *kernel = find(state, view->id);
  if (!kernel) return;
  DegreeDecision *decision = &kernel->decision;
  if (!decision->outcome) decision->outcome = "completed before it could be sampled";
  degree_report(decision, tables);
}

// ---- tables

#define MODEL(name_, field, default_, min, max, help_)                                             \
  {                                                                                                \
    .name = name_, .help = (help_), .type = PARAM_DOUBLE,                                          \
    .offset = offsetof(Sampled, model.field), .size_bytes = sizeof(double), .initial = (default_), \
    .minimum = (min), .maximum = (max)                                                             \
  }

// clang-format off
static const Param sampled_params[] = {
    PARAM(Sampled, sm, 0, 0, 65535, "SM that is sampled"),
    PARAM(Sampled, others, 0, 0, 64, "CTAs per SM on the other SMs while one is sampled; 0: as many as fit"),
    PARAM(Sampled, ctas, 0, 0, 64, "CTAs per SM after sampling, to evaluate the prediction; 0: as predicted"),
    PARAM(Sampled, reuse, false, 0, 1, "do not sample a kernel again"),
    MODEL("knot_1", knot[0], 0.5, 0, 1e6, "pressure (working set of all CTAs over L1D) that ends segment 1"),
    MODEL("knot_2", knot[1], 1, 0, 1e6, "... 2"),
    MODEL("knot_3", knot[2], 2, 0, 1e6, "... 3"),
    MODEL("knot_4", knot[3], 4, 0, 1e6, "... 4"),
    MODEL("slope_1", slope[0], 0.001, 0, 10, "exponent with which hits fall in segment 1, for two uses of a line"),
    MODEL("slope_2", slope[1], 0.038, 0, 10, "... 2"),
    MODEL("slope_3", slope[2], 0.134, 0, 10, "... 3"),
    MODEL("slope_4", slope[3], 0.054, 0, 10, "... 4"),
    MODEL("slope_5", slope[4], 0.141, 0, 10, "... 5"),
    MODEL("memory_bound", memory_bound, 0.05, 0, 100, "DRAM reads per warp instruction; above, a kernel is memory bound"),
    MODEL("miss_low", miss_low, 0.15, 0, 1, "miss rate below which latency growth is negligible"),
    MODEL("miss_middle", miss_middle, 0.3, 0, 1, "miss rate below which it grows moderately"),
    MODEL("miss_high", miss_high, 0.85, 0, 1, "miss rate above which it is negligible again"),
    MODEL("set_large", set_large, 5, 0, 1e6, "working set of a CTA over L1D that counts as large"),
    MODEL("set_huge", set_huge, 15, 0, 1e6, "... as huge"),
    MODEL("delta_large", delta_large, 0.1, 0, 1, "growth of the miss rate that counts with a large working set"),
    MODEL("delta_huge", delta_huge, 0.04, 0, 1, "... with a huge one"),
    MODEL("latency_small", latency_small, 1.03, 1, 100, "growth of latency where it is negligible"),
    MODEL("latency_medium", latency_medium, 1.1, 1, 100, "... in all other cases"),
    MODEL("latency_large", latency_large, 1.75, 1, 100, "... with a huge working set"),
    MODEL("latency_huge", latency_huge, 1.9, 1, 100, "... with a large working set and a steep miss rate"),
    MODEL("pipeline_warps", pipeline_warps, 10, 0, 1e6, "warps per SM that hide the pipeline's latencies; up to these, no pipeline effect"),
    MODEL("reads_many", reads_many, 5, 0, 1e6, "DRAM reads of a CTA over L1D that count as many"),
    MODEL("pipeline_fits", pipeline_fits, 1.05, 1, 100, "pipeline effect while all working sets fit"),
    MODEL("pipeline_medium", pipeline_medium, 1.1, 1, 100, "... in all other cases"),
    MODEL("pipeline_many", pipeline_many, 1.2, 1, 100, "... with many DRAM reads"),
    MODEL("margin", margin, 0, 0, 100, "beyond the thesis: the largest degree whose predicted throughput is within this fraction of the maximum; 0 = the maximum"),
    {0}};

static const Stat sampled_stats[] = {
    STAT_COUNT(Sampled, sampled, "kernels sampled"),
    STAT_COUNT(Sampled, memory_bound, "of these, memory bound"),
    STAT_COUNT(Sampled, degrees, "CTAs per SM chosen for them, summed"),
    STAT_RATIO(Sampled, degree, degrees, sampled, "mean CTAs per SM chosen"),
    STAT_COUNT(Sampled, predicted_ctas, "CTAs of sampled kernels"),
    STAT_COUNT(Sampled, predicted_cycles, "time predicted for them under the limit held, summed"),
    STAT_RATIO(Sampled, cta_time, predicted_cycles, predicted_ctas, "cycles per CTA predicted under the limit held"),
    STAT_COUNT(Sampled, too_short, "kernels with too few CTAs to be sampled"),
    STAT_COUNT(Sampled, lost, "kernels whose sampled CTA waited for child kernels"),
    STAT_COUNT(Sampled, reused, "kernels sampled in an earlier launch"),
    {0}};
// clang-format on

const ThrottleType sampled_throttle = {
    .policy = {.name = "sampled",
               .summary = "degree predicted from one sampled CTA (Yen)",
               .state_size = sizeof(Sampled),
               .params = sampled_params,
               .stats = sampled_stats,
               .init = sampled_init,
               .clear = sampled_clear,
               .on_kernel_start = sampled_start,
               .on_kernel_end = sampled_end,
               .on_cta_start = sampled_cta_start,
               .on_cta_end = sampled_cta_end,
               .on_cta_suspend = sampled_suspend,
               .on_cta_resume = sampled_resume,
               .tables = degree_tables,
               .explain = sampled_explain},
    .limit = sampled_limit,
    .watches_lines = sampled_watches,
    .has_news = sampled_news,
};
