// SPDX-License-Identifier: MIT
// Every policy of every family at work on whole machines: right sums, the same
// result each time and in every way of running. Then what single families do
// to a machine, with policies of the test's own where none ships.
#include "unit/cmocka_all.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/config/scheme.h"
#include "policies/cluster_unit/cluster_unit.h"
#include "policies/l1_insertion/l1_insertion.h"
#include "policies/plugin.h"
#include "policies/prefetch/prefetch.h"
#include "policies/registry.h"
#include "policies/shared/shared.h"
#include "policies/throttle/throttle.h"
#include "policies/warp_scheduler/warp_scheduler.h"
#include "timing/policy_rig.h"

// ---- all policies

// Some policies have machines that they cannot serve, such as address maps
// that want powers of two.
static bool is_refused(const GpuConfig *config, const PolicySet *more) {
  Gpu *gpu;
  Error err;
  Status status = gpu_create(&gpu, config, &(GpuOptions){.policies = more}, &err);
  if (status == OK) gpu_destroy(gpu);
  return status == ERR_CONFIG && strstr(err.text, "power of two");
}

static void try_everywhere(const char *scheme, const char *gpu, const PolicySet *more) {
  static const char *const names[] = {"vecadd", "reduce", "spmv", "mixture", "two_kernels"};
  GpuConfig config = load(gpu, scheme, more);
  if (is_refused(&config, more)) return;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    Case *parsed = parse(names[i]);
    const CaseOutcomeOptions ways[] = {{.gpu.policies = more},
                                       {.gpu.policies = more},
                                       {.gpu.policies = more, .gpu.no_skip = true},
                                       {.gpu.policies = more, .gpu.threads = 2}};
    CaseOutcome sums = run(parsed, &config, &(CaseOutcomeOptions){.functional = true});
    CaseOutcome first = run(parsed, &config, &ways[0]);
    assert_memory_equal(first.sums, sums.sums, sizeof sums.sums);
    for (size_t w = 1; w < sizeof ways / sizeof *ways; w++) {
      CaseOutcome again = run(parsed, &config, &ways[w]);
      assert_memory_equal(again.sums, first.sums, sizeof first.sums);
      if (memcmp(&again.stats, &first.stats, sizeof first.stats) != 0)
        fail_msg("%s, %s on %s: way %zu of running differs (%llu cycles, then %llu)", scheme,
                 names[i], gpu, w, (unsigned long long)first.stats.cycles,
                 (unsigned long long)again.stats.cycles);
    }
    case_destroy(parsed);
  }
}

static void every_policy_computes_the_same_and_repeats_itself(void **state) {
  (void)state;
  for (const PolicyFamily *const *family = policy_families; *family; family++)
    for (const PolicyType *const *type = (*family)->types; *type; type++) {
      if (*family == &shared_family) continue;  // refused without a policy that works on it
      char scheme[POLICY_SPEC_BYTES];
      snprintf(scheme, sizeof scheme, "%s=%s", (*family)->name, (*type)->name);
      try_everywhere(scheme, "tiny", NULL);
      try_everywhere(scheme, "gtx480", NULL);
    }
}

static void policies_of_several_families_go_together(void **state) {
  (void)state;
  try_everywhere(
      "two_level:active_warps=2 + next_line:degree=4 + bypass_streams:patience=2 + "
      "fixed:ctas=2 + random_wave + replacement=random",
      "tiny", NULL);
  try_everywhere("apres", "v100", NULL);
  try_everywhere("ccws_str", "apres15", NULL);
  try_everywhere("lrr + next_line:degree=8 + bypass_streams:patience=1 + on_demand", "gtx480",
                 NULL);
}

// ---- single families

static void without_a_policy_nothing_is_counted_for_it(void **state) {
  (void)state;
  MachineStats stats = run_scheme("saxpy", "gtx480", "", NULL).stats;
  static const PrefetchStats no_prefetches;
  static const ClusterStats no_cluster;
  assert_memory_equal(&stats.prefetch, &no_prefetches, sizeof no_prefetches);
  assert_memory_equal(&stats.cluster, &no_cluster, sizeof no_cluster);
  assert_int_equal(stats.lsu.passes, 0);
  assert_int_equal(stats.lsu.table_lookups, 0);
}

// One a load that is issued, one a lookup by the scheduler and one by the prefetcher.
static void tables_of_policies_are_looked_up(void **state) {
  (void)state;
  MachineStats stats = run_scheme("saxpy", "apres15", "apres", NULL).stats;
  assert_int_equal(stats.lsu.table_lookups, stats.lsu.loads + 2 * stats.l1d.reads);
  assert_int_equal(run_scheme("saxpy", "apres15", "laws", NULL).stats.lsu.table_lookups,
                   stats.lsu.loads + stats.l1d.reads);
}

static void latency_of_memory_leaves_out_shared_memory(void **state) {
  (void)state;
  MachineStats stats = run_scheme("reduce", "gtx480", "lrr", NULL).stats;
  assert_int_equal(stats.lsu.memory_loads_done, stats.lsu.loads);
  assert_true(stats.lsu.loads_done > stats.lsu.loads);
  assert_true(stats.lsu.memory_latency_cycles < stats.lsu.load_latency_cycles);
}

static void next_line_finds_lines_before_they_are_wanted(void **state) {
  (void)state;
  MachineStats none = run_scheme("stencil5", "tiny", "lrr", NULL).stats;
  MachineStats ahead = run_scheme("stencil5", "tiny", "lrr + next_line", NULL).stats;
  const PrefetchStats *prefetch = &ahead.prefetch;
  assert_int_equal(ahead.l1d.accesses, none.l1d.accesses);  // prefetches are none
  assert_true(ahead.l1d.misses < none.l1d.misses);
  assert_true(prefetch->used + prefetch->late > 0);
  assert_true(prefetch->present + prefetch->outside + prefetch->crowded + prefetch->fetches <=
              prefetch->candidates);
  assert_true(prefetch->used + prefetch->late + prefetch->unused <= prefetch->fetches);
  // Every fetch is a request on the network, besides those of the misses.
  assert_int_equal(ahead.request_noc.packets - none.request_noc.packets,
                   prefetch->fetches - (none.l1d.misses - ahead.l1d.misses));
}

static void prefetches_stay_inside_their_buffer(void **state) {
  (void)state;
  // 16 candidates a miss, in buffers of 2 KB: most of them lie outside.
  MachineStats stats = run_scheme("vecadd", "gtx480", "gto + next_line:degree=16", NULL).stats;
  assert_true(stats.prefetch.outside > 0);
  // 2 KB each, loaded once: not a line of 128 bytes more than the 32 there are, an SM.
  assert_true(stats.prefetch.fetches <= 32 * 15);
}

static void bypass_all_leaves_the_l1d_empty(void **state) {
  (void)state;
  MachineStats kept = run_scheme("reread", "gtx480", "gto", NULL).stats;
  MachineStats passed = run_scheme("reread", "gtx480", "gto + bypass_all", NULL).stats;
  assert_true(kept.l1d.hits > 0);
  assert_int_equal(passed.l1d.hits + passed.l1d.merges, 0);
  assert_int_equal(passed.l1d.accesses, kept.l1d.accesses);
  assert_int_equal(passed.lsu.passes, passed.l1d.reads);
  assert_int_equal(passed.l1d.cold_misses, kept.l1d.cold_misses);
}

static void bypass_streams_spares_loads_that_hit(void **state) {
  (void)state;
  MachineStats stream =
      run_scheme("saxpy", "tiny", "gto + bypass_streams:patience=2,sample=1000", NULL).stats;
  assert_true(stream.lsu.passes > stream.l1d.reads / 2);
  MachineStats all = run_scheme("chase_l1", "tiny", "gto", NULL).stats;
  MachineStats reuse =
      run_scheme("chase_l1", "tiny", "gto + bypass_streams:patience=16,sample=1000", NULL).stats;
  assert_int_equal(reuse.lsu.passes, 0);
  assert_int_equal(reuse.cycles, all.cycles);
}

static void bypass_sparse_lets_pass_what_misses_while_mshrs_are_scarce(void **state) {
  (void)state;
  MachineStats all = run_scheme("saxpy", "tiny", "gto", NULL).stats;
  MachineStats missing =
      run_scheme("saxpy", "tiny", "gto + bypass_sparse:trial=8,scarce=0", NULL).stats;
  // Two loads on two SMs: all but the trials of eight lookups each.
  assert_int_equal(missing.lsu.passes, all.l1d.reads - 2 * 2 * 8);
  MachineStats patient =
      run_scheme("saxpy", "tiny", "gto + bypass_sparse:trial=1048576,scarce=0", NULL).stats;
  assert_int_equal(patient.cycles, all.cycles);
  // A chase has one miss at a time: MSHRs are never scarce.
  all = run_scheme("chase_l2", "tiny", "gto", NULL).stats;
  MachineStats single =
      run_scheme("chase_l2", "tiny", "gto + bypass_sparse:trial=8,percent=100", NULL).stats;
  assert_int_equal(single.lsu.passes, 0);
  assert_int_equal(single.cycles, all.cycles);
}

// x[columns[i]] of a sparse matrix: without strides there is nothing else to prefetch.
static void early_gather_prefetches_what_indices_name(void **state) {
  (void)state;
  const char *scheme = "gto + early_gather:level=2,by_warp=0,by_loop=0,by_cta=0";
  PrefetchStats by_index = run_scheme("spmv", "gtx480", scheme, NULL).stats.prefetch;
  assert_true(by_index.fetches > 0);
  assert_true(by_index.used + by_index.late > by_index.unused);
  PrefetchStats without =
      run_scheme("spmv", "gtx480", "gto + early:level=2,by_warp=0,by_loop=0,by_cta=0", NULL)
          .stats.prefetch;
  assert_int_equal(without.candidates, 0);
}

// ---- throttling

typedef struct Watch {
  uint32_t kernels, ends, intervals, most, warps_per_cta;
  uint64_t dram_reads[2], loads[2], latency[2], lines[2];  // by SM, when it was asked last
} Watch;
static Watch watch;

static uint32_t watching_limit(void *state, const ThrottleView *view) {
  (void)state;
  watch.kernels += view->cause == THROTTLE_KERNEL;
  watch.ends += view->cause == THROTTLE_CTA_END;
  watch.intervals += view->cause == THROTTLE_INTERVAL;
  if (view->resident_ctas > watch.most) watch.most = view->resident_ctas;
  watch.warps_per_cta = view->kernel->warps_per_cta;
  watch.dram_reads[view->sm] = view->dram_reads;
  watch.loads[view->sm] = view->loads_done;
  watch.latency[view->sm] = view->load_latency_cycles;
  watch.lines[view->sm] = view->lines_touched;
  return 2;
}

static bool watches_all(void *state, uint32_t sm) {
  (void)state, (void)sm;
  return true;
}

static const ThrottleType watching = {
    .policy = {.name = "watching", .summary = "two, and takes notes"},
    .limit = watching_limit,
    .wants_intervals = true,
    .watches_lines = watches_all};

static void a_throttle_is_asked_and_obeyed(void **state) {
  (void)state;
  PolicySet set = set_of("throttle", &watching.policy);
  Case *parsed = parse("vecadd");
  GpuConfig config = load("tiny", "watching", &set);
  config.policy.interval_cycles = 100;
  watch = (Watch){0};
  CaseOutcome outcome = run(parsed, &config, &(CaseOutcomeOptions){.gpu.policies = &set});
  assert_int_equal(watch.kernels, 2);  // once for each SM
  assert_int_equal(watch.ends, 8);
  assert_int_equal(watch.intervals, outcome.stats.cycles / 100 * 2);
  assert_in_range(watch.most, 1, 2);
  assert_int_equal(watch.warps_per_cta, 2);
  // No line is asked for twice. Of three arrays two are loaded; the stores to the third allocate
  // no lines.
  assert_int_equal(watch.lines[0] + watch.lines[1], outcome.stats.l1d.reads);
  assert_int_equal(3 * outcome.stats.l1d.reads, 2 * outcome.stats.l1d.cold_misses);
  assert_int_equal(watch.dram_reads[0] + watch.dram_reads[1], outcome.stats.lsu.dram_reads);
  assert_int_equal(watch.loads[0] + watch.loads[1], outcome.stats.lsu.memory_loads_done);
  assert_int_equal(watch.latency[0] + watch.latency[1], outcome.stats.lsu.memory_latency_cycles);
  assert_true(watch.dram_reads[0] > 0 && watch.latency[0] > 100 * watch.loads[0]);
  case_destroy(parsed);
  policy_set_clear(&set);
}

static void fewer_ctas_at_once_take_longer(void **state) {
  (void)state;
  MachineStats all = run_scheme("vecadd", "tiny", "gto", NULL).stats;
  MachineStats one = run_scheme("vecadd", "tiny", "gto + fixed:ctas=1", NULL).stats;
  MachineStats many = run_scheme("vecadd", "tiny", "gto + fixed:ctas=64", NULL).stats;
  assert_true(one.cycles > all.cycles);
  assert_int_equal(many.cycles, all.cycles);
}

// ---- policies that hear of one another

// What the two share, one per SM: the warp whose access the scheduler heard of.
typedef struct Notebook {
  uint32_t told;
} Notebook;
static const SharedType notebook = {
    .policy = {.name = "notebook", .summary = "notes", .state_size = sizeof(Notebook)},
    .per_sm = true};

typedef struct Sharer {
  Notebook *notebook;
} Sharer;
static Status sharer_init(void *state, const PolicySetup *setup, Error *err) {
  (void)err;
  ((Sharer *)state)->notebook = setup->shared;
  return setup->shared ? OK : ERR_CONFIG;
}
static struct {
  uint64_t loads, accesses, misses, prefetches, evictions, in_order, used, unused, fills, lowest;
} heard;

static int listener_pick(void *state, const IssueView *view) {
  (void)state;
  return oldest_warp(view->age, view->candidates);
}
static void listener_on_load(void *state, const Requester *requester) {
  (void)state;
  heard.loads++;
  assert_in_range(requester->warp, 0, 63);
  assert_true(requester->cta < 2 && requester->parent == REQUESTER_NO_PARENT);
}
static void listener_on_evict(void *state, int warp, uint64_t line) {
  (void)state;
  heard.evictions++;
  assert_in_range(warp, 0, 63);
  assert_int_equal(line % 128, 0);
}
static void listener_on_access(void *state, const L1dAccess *access) {
  ((Sharer *)state)->notebook->told = access->requester.warp + 1u;
  heard.accesses++;
  heard.misses += access->outcome == OUTCOME_MISS;
  assert_true(access->lane_address - access->buffer < access->buffer_bytes);
  assert_int_equal(access->line % access->line_bytes, 0);
  assert_true(access->cta_warps >> access->requester.warp & 1);
  heard.lowest += access->is_lowest;
  if (access->is_lowest) assert_true(access->lane_address - access->line < access->line_bytes);
}
static const WarpSchedulerType listener = {
    .policy = {.name = "listener",
               .summary = "hears",
               .state_size = sizeof(Sharer),
               .shares = "notebook",
               .init = sharer_init},
    .one_per_sm = true,
    .pick = listener_pick,
    .on_load = listener_on_load,
    .on_evict = listener_on_evict,
    .on_access = listener_on_access};

static void partner_on_access(void *state, const L1dAccess *access, PrefetchList *list) {
  // The scheduler has heard of the access before.
  heard.in_order += ((Sharer *)state)->notebook->told == access->requester.warp + 1u;
  if (access->outcome == OUTCOME_MISS)
    prefetch_add(list, access->line + access->line_bytes, access->requester.warp ^ 1);
}
static void partner_on_sent(void *state, const PrefetchCandidate *candidate, Cycle now) {
  (void)state, (void)now;
  heard.prefetches++;
  assert_in_range(candidate->warp, 0, 63);
}
static void partner_on_fill(void *state, uint64_t line, Cycle now) {
  (void)state, (void)line, (void)now;
  heard.fills++;
}
static void partner_on_outcome(void *state, uint64_t line, bool used, Cycle now) {
  (void)state, (void)line, (void)now;
  heard.used += used;
  heard.unused += !used;
}
static const PrefetchType partner = {.policy = {.name = "partner",
                                                .summary = "tells",
                                                .state_size = sizeof(Sharer),
                                                .shares = "notebook",
                                                .init = sharer_init},
                                     .on_access = partner_on_access,
                                     .on_sent = partner_on_sent,
                                     .on_fill = partner_on_fill,
                                     .on_outcome = partner_on_outcome};

static void a_scheduler_and_a_prefetcher_share_a_part_and_hear_in_order(void **state) {
  (void)state;
  PolicySet set = set_of("warp_scheduler", &listener.policy);
  const PolicyPlugin plugins[] = {{POLICY_API_VERSION, "prefetch", &partner.policy},
                                  {POLICY_API_VERSION, "shared", &notebook.policy}};
  for (size_t i = 0; i < 2; i++)
    assert_int_equal(policy_set_add(&set, &plugins[i], "test", NULL), OK);
  memset(&heard, 0, sizeof heard);
  MachineStats stats = run_scheme("spmv", "tiny", "listener + partner", &set).stats;
  assert_int_equal(heard.accesses, stats.l1d.reads);
  assert_int_equal(heard.in_order, heard.accesses);
  assert_int_equal(heard.loads, stats.lsu.loads);
  assert_int_equal(heard.lowest, heard.loads);
  assert_int_equal(heard.evictions, stats.l1d.evictions);
  assert_true(heard.misses > 0 && heard.prefetches > 0);
  assert_int_equal(heard.prefetches, stats.prefetch.fetches + stats.prefetch.present);
  assert_int_equal(heard.fills, stats.prefetch.fetches);
  assert_int_equal(heard.used, stats.prefetch.used + stats.prefetch.late);
  assert_int_equal(heard.unused, stats.prefetch.unused);
  // Pieces of a transaction, sector by sector: still one per load.
  memset(&heard, 0, sizeof heard);
  run_scheme("spmv", "v100", "listener + partner", &set);
  assert_true(heard.accesses > heard.loads);
  assert_int_equal(heard.lowest, heard.loads);
  policy_set_clear(&set);
}

// ---- schedulers that hold warps back

// One instruction in three cycles, and never a load where the other way is open.
static int hesitant_pick(void *state, const IssueView *view) {
  (void)state;
  uint64_t rest = view->candidates & ~view->loads;
  if (view->now % 3) return ISSUE_NONE;
  return oldest_warp(view->age, rest ? rest : view->candidates);
}
static const WarpSchedulerType hesitant = {
    .policy = {.name = "hesitant", .summary = "holds back"}, .one_per_sm = true, .pick = hesitant_pick};

static void a_scheduler_may_hold_back(void **state) {
  (void)state;
  PolicySet set = set_of("warp_scheduler", &hesitant.policy);
  MachineStats stats = run_scheme("mixture", "tiny", "hesitant", &set).stats;
  MachineStats eager = run_scheme("mixture", "tiny", "gto", &set).stats;
  assert_true(stats.sm.slots[SLOT_held] > stats.sm.slots[SLOT_issued]);
  assert_int_equal(stats.sm.slots[SLOT_issued], eager.sm.slots[SLOT_issued]);
  assert_int_equal(eager.sm.slots[SLOT_held], 0);
  assert_true(stats.cycles > eager.cycles);
  try_everywhere("hesitant", "tiny", &set);
  policy_set_clear(&set);
}

// ---- reads that are set aside

// With two MSHRs, reads are refused all the time.
static void refused_reads_may_let_others_pass(void **state) {
  (void)state;
  static const char *const names[] = {"spmv", "mixture", "reread", "two_kernels"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    Case *parsed = parse(names[i]);
    CaseOutcome outcomes[2][2];
    for (int aside = 0; aside < 2; aside++) {
      GpuConfig config = load("tiny", "mascar + next_line", NULL);
      assert_int_equal(gpu_config_assign(&config, "l1d.mshrs=2", NULL), OK);
      assert_int_equal(
          gpu_config_assign(&config, aside ? "sm.l1_replay_entries=8" : "sm.l1_replay_entries=0", NULL),
          OK);
      outcomes[aside][0] = run(parsed, &config, &(CaseOutcomeOptions){0});
      outcomes[aside][1] = run(parsed, &config, &(CaseOutcomeOptions){.gpu.no_skip = true});
      assert_memory_equal(&outcomes[aside][0].stats, &outcomes[aside][1].stats, sizeof(MachineStats));
    }
    const MachineStats *blocked = &outcomes[0][0].stats, *passed = &outcomes[1][0].stats;
    assert_memory_equal(outcomes[1][0].sums, outcomes[0][0].sums, sizeof outcomes[0][0].sums);
    assert_int_equal(blocked->lsu.replays, 0);
    assert_true(passed->lsu.replays > 0);
    assert_int_equal(passed->l1d.accesses, blocked->l1d.accesses);
    case_destroy(parsed);
  }
}

// ---- insertion priorities

static InsertPriority last_priority(void *state, const L1dAccess *access) {
  (void)state, (void)access;
  return INSERT_FIRST_OUT;
}
static const L1InsertionType last = {.policy = {.name = "last", .summary = "new lines go first"},
                                     .priority = last_priority};

// A ring of more lines than a set has ways: lru loses each line before it is
// wanted again, while new lines that go first spare the old ones.
static void new_lines_that_go_first_spare_the_old_ones(void **state) {
  (void)state;
  PolicySet set = set_of("l1_insertion", &last.policy);
  const SmallCase ring = {"ring", SMALL_PTX
                          "alloc O 128\nalloc N 5120\nfill N i32 ring 40 32\n"
                          "launch chase 1 1 1 1 1 1 $O $N i:400\nsum O i32\n"};
  Case *parsed;
  assert_int_equal(small_case_parse(&parsed, &ring, NULL), OK);
  uint64_t hits[2];
  for (int i = 0; i < 2; i++) {
    GpuConfig config = load("tiny", i ? "gto + last" : "gto", &set);
    assert_int_equal(gpu_config_assign(&config, "l1d.size_kb=4", NULL), OK);
    hits[i] = run(parsed, &config, &(CaseOutcomeOptions){.gpu.policies = &set}).stats.l1d.hits;
  }
  assert_true(hits[1] > hits[0] + 100);
  case_destroy(parsed);
  policy_set_clear(&set);
}

// ---- cluster units

enum { MERGE_ENTRIES = 48, KEPT_LINES = 24 };

// Merges reads of a cluster while one is in flight, and may keep what was read.
typedef struct Merger {
  bool keeps;  // parameter
  struct {
    uint64_t address, number;
    uint32_t bytes;
  } sent[MERGE_ENTRIES];
  struct {
    uint64_t address;
    uint32_t bytes;
  } kept[KEPT_LINES];
  uint32_t next_kept;
} Merger;

static ClusterAnswer merger_ask(void *state, const ClusterRequest *request, uint64_t *for_number) {
  Merger *merger = state;
  for (int i = 0; merger->keeps && i < KEPT_LINES; i++)
    if (merger->kept[i].bytes == request->bytes && merger->kept[i].address == request->address)
      return CLUSTER_SERVE;
  for (int i = 0; i < MERGE_ENTRIES; i++)
    if (merger->sent[i].bytes == request->bytes && merger->sent[i].address == request->address) {
      *for_number = merger->sent[i].number;
      return CLUSTER_HOLD;
    }
  return CLUSTER_SEND;
}

static void merger_on_sent(void *state, const ClusterRequest *request) {
  Merger *merger = state;
  for (int i = 0; request->is_write && i < KEPT_LINES; i++)
    if (request->address - merger->kept[i].address < merger->kept[i].bytes ||
        merger->kept[i].address - request->address < request->bytes)
      merger->kept[i].bytes = 0;
  if (request->is_write || request->is_atomic || !request->is_global) return;
  for (int i = 0; i < MERGE_ENTRIES; i++)
    if (!merger->sent[i].bytes) {
      merger->sent[i].address = request->address;
      merger->sent[i].number = request->number;
      merger->sent[i].bytes = request->bytes;
      return;
    }
}

static void merger_on_answer(void *state, const ClusterRequest *request, uint32_t held) {
  Merger *merger = state;
  for (int i = 0; i < MERGE_ENTRIES; i++)
    if (merger->sent[i].bytes && merger->sent[i].number == request->number)
      merger->sent[i].bytes = 0;
  (void)held;
  merger->kept[merger->next_kept].address = request->address;
  merger->kept[merger->next_kept].bytes = request->bytes;
  merger->next_kept = (merger->next_kept + 1) % KEPT_LINES;
}

static const Param merger_params[] = {PARAM(Merger, keeps, false, 0, 1, "keep lines"), {0}};
static const ClusterUnitType merger = {.policy = {.name = "merger",
                                                  .summary = "merges reads",
                                                  .state_size = sizeof(Merger),
                                                  .params = merger_params},
                                       .ask = merger_ask,
                                       .on_sent = merger_on_sent,
                                       .on_answer = merger_on_answer};

static MachineStats run_clustered(const char *name, const char *scheme, const PolicySet *set) {
  Case *parsed = parse(name);
  GpuConfig config = load("gtx480", scheme, set);
  assert_int_equal(gpu_config_assign(&config, "gpu.sms_per_cluster=5", NULL), OK);
  CaseOutcome outcome = run(parsed, &config, &(CaseOutcomeOptions){.gpu.policies = set});
  CaseOutcome sums = run(parsed, &config, &(CaseOutcomeOptions){.functional = true});
  assert_memory_equal(outcome.sums, sums.sums, sizeof sums.sums);
  case_destroy(parsed);
  return outcome.stats;
}

static void a_cluster_unit_merges_reads_and_serves_them(void **state) {
  (void)state;
  PolicySet set = set_of("cluster_unit", &merger.policy);
  MachineStats none = run_clustered("mm_tiled", "gto", &set);
  MachineStats merged = run_clustered("mm_tiled", "gto + merger", &set);
  MachineStats kept = run_clustered("reread", "gto + merger:keeps=true + bypass_all", &set);
  assert_int_equal(none.cluster.reads, 0);
  assert_true(merged.cluster.held > 0);
  assert_int_equal(merged.cluster.served, 0);
  assert_int_equal(none.request_noc.packets - merged.request_noc.packets, merged.cluster.held);
  assert_true(kept.cluster.served > 0);
  assert_true(kept.cluster.reads > kept.cluster.served + kept.cluster.held);
  assert_int_equal(merged.l1d.accesses, none.l1d.accesses);
  try_everywhere("merger:keeps=true + next_line:degree=2", "clustered60", &set);
  policy_set_clear(&set);
}

// ---- broken policies

static int stubborn_pick(void *state, const IssueView *view) {
  (void)state, (void)view;
  return 63;
}
static const WarpSchedulerType stubborn = {
    .policy = {.name = "stubborn", .summary = "always the last slot"}, .pick = stubborn_pick};

static uint32_t nobody_limit(void *state, const ThrottleView *view) {
  (void)state, (void)view;
  return 0;
}
static const ThrottleType nobody = {.policy = {.name = "nobody", .summary = "no CTA at all"},
                                    .limit = nobody_limit};

static ClusterAnswer liar_ask(void *state, const ClusterRequest *request, uint64_t *for_number) {
  (void)state;
  *for_number = request->number;
  return CLUSTER_HOLD;
}
static const ClusterUnitType liar = {.policy = {.name = "liar", .summary = "waits for itself"},
                                     .ask = liar_ask};

// The run ends at once, and says whose fault it is.
static void assert_dies(const char *family, const PolicyType *type) {
  int ends[2], result;
  char text[4096] = "";
  size_t used = 0;
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    signal(SIGABRT, SIG_DFL);
    PolicySet set = set_of(family, type);
    run_scheme("vecadd", "tiny", type->name, &set);
    _exit(0);
  }
  close(ends[1]);
  for (ssize_t got;
       used < sizeof text - 1 && (got = read(ends[0], text + used, sizeof text - 1 - used)) > 0;)
    used += (size_t)got;
  close(ends[0]);
  assert_int_equal(waitpid(child, &result, 0), child);
  assert_true(WIFSIGNALED(result) && WTERMSIG(result) == SIGABRT);
  char wanted[64];
  snprintf(wanted, sizeof wanted, "policy %s returned an invalid answer", type->name);
  if (!strstr(text, wanted)) fail_msg("'%s' is not in: %s", wanted, text);
}

static void a_broken_policy_is_named(void **state) {
  (void)state;
  assert_dies("warp_scheduler", &stubborn.policy);
  assert_dies("throttle", &nobody.policy);
  assert_dies("cluster_unit", &liar.policy);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_policy_computes_the_same_and_repeats_itself),
      cmocka_unit_test(policies_of_several_families_go_together),
      cmocka_unit_test(without_a_policy_nothing_is_counted_for_it),
      cmocka_unit_test(tables_of_policies_are_looked_up),
      cmocka_unit_test(latency_of_memory_leaves_out_shared_memory),
      cmocka_unit_test(next_line_finds_lines_before_they_are_wanted),
      cmocka_unit_test(prefetches_stay_inside_their_buffer),
      cmocka_unit_test(bypass_all_leaves_the_l1d_empty),
      cmocka_unit_test(bypass_streams_spares_loads_that_hit),
      cmocka_unit_test(bypass_sparse_lets_pass_what_misses_while_mshrs_are_scarce),
      cmocka_unit_test(early_gather_prefetches_what_indices_name),
      cmocka_unit_test(a_throttle_is_asked_and_obeyed),
      cmocka_unit_test(fewer_ctas_at_once_take_longer),
      cmocka_unit_test(a_scheduler_and_a_prefetcher_share_a_part_and_hear_in_order),
      cmocka_unit_test(a_scheduler_may_hold_back),
      cmocka_unit_test(refused_reads_may_let_others_pass),
      cmocka_unit_test(new_lines_that_go_first_spare_the_old_ones),
      cmocka_unit_test(a_cluster_unit_merges_reads_and_serves_them),
      cmocka_unit_test(a_broken_policy_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
