// SPDX-License-Identifier: MIT
// Observers on a whole machine: what they are told adds up to what the machine
// counted, comes in order, and changes nothing.
#include "policies/observer/observer.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "frontends/ptx/link/load.h"
#include "gpu/gpu.h"
#include "exec/memory/device_memory.h"
#include "observers/observers.h"
#include "unit/cmocka_all.h"
#include "unit/launch_support.h"

enum { CTAS = 40, THREADS = 96, BYTES = CTAS * THREADS * 4 };

// ---- an observer that counts and checks the order

typedef struct Witness {
  uint64_t kinds[EVENT_KINDS], outcomes[4], served[SERVED_BY_COUNT];  // accesses in data space
  uint64_t lanes, latency, hash, starts, ends;
  Cycle cycle;
  uint16_t sm;
} Witness;

static Witness last;  // of the run that ended last

static void witness_hash(Witness *witness, const MemEvent *event) {
  const uint64_t words[] = {event->cycle,        event->address,       event->requester.cta,
                            event->requester.pc, event->requester.sm,  event->kind,
                            event->latency,      event->requester.warp};
  for (size_t w = 0; w < sizeof words / sizeof *words; w++)
    witness->hash = (witness->hash ^ words[w]) * UINT64_C(0x100000001b3);
}

// Those of the memory system come in batches of their own, by time.
static void witness_memory(Witness *witness, const MemEvent *events, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    assert_true(events[i].kind == EVENT_L2 || events[i].kind == EVENT_DRAM);
    assert_true(i == 0 || events[i].cycle >= events[i - 1].cycle);
    assert_true(events[i].bytes >= 32 && events[i].bytes <= 128);
    witness->kinds[events[i].kind]++;
    witness_hash(witness, &events[i]);
  }
}

static void witness_events(void *state, const MemEvent *events, uint32_t count) {
  Witness *witness = state;
  if (events[0].kind == EVENT_L2 || events[0].kind == EVENT_DRAM) {
    witness_memory(witness, events, count);
    return;
  }
  // A batch is of one SM; in one cycle the SMs come in order.
  assert_true(count > 0);
  for (uint32_t i = 0; i < count; i++) {
    const MemEvent *event = &events[i];
    bool is_data = event->space == SPACE_GLOBAL || event->space == SPACE_LOCAL;
    assert_int_equal(event->requester.sm, events[0].requester.sm);
    assert_true(event->cycle >= witness->cycle || event->requester.sm > witness->sm);
    assert_true(event->cycle + 1 >= witness->cycle);
    witness->kinds[event->kind]++;
    if (event->kind == EVENT_ACCESS && is_data) witness->outcomes[event->outcome]++;
    if (event->kind == EVENT_ANSWER) witness->served[event->served_by]++;
    if (event->kind == EVENT_LOAD_DONE) witness->latency += event->latency;
    if (event->kind == EVENT_ISSUE) witness->lanes += event->lanes;
    assert_int_equal(event->requester.parent, REQUESTER_NO_PARENT);  // the host launched it
    assert_true(event->requester.kernel == 0 || event->requester.kernel == 1);
    witness_hash(witness, event);
  }
  witness->cycle = events[count - 1].cycle;
  witness->sm = events[0].requester.sm;
}

static void witness_start(void *state, const KernelView *kernel) {
  assert_string_equal(kernel->launch->kernel->name, "stream");
  ((Witness *)state)->starts++;
}

static void witness_end(void *state, const KernelView *kernel, ResultTables *tables) {
  assert_int_equal(kernel->id, 0);
  assert_non_null(tables);
  ((Witness *)state)->ends++;
  last = *(Witness *)state;
}

static const ResultTableType *const no_tables[] = {NULL};

static const ObserverType witness_type = {
    .policy = {.name = "witness", .summary = "", .state_size = sizeof(Witness)},
    .wants = (1u << EVENT_KINDS) - 1,
    .tables = no_tables,
    .on_kernel_start = witness_start,
    .on_events = witness_events,
    .on_kernel_end = witness_end,
};

// ---- a kernel with loads that miss, hit, merge and pass, and stores

static const char kernel_text[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry stream(.param .u64 out, .param .u64 in)\n{\n"
    ".reg .b32 %r<8>;\n.reg .b64 %d<8>;\n"
    "ld.param.u64 %d1, [out];\nld.param.u64 %d2, [in];\n"
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n"
    "mad.lo.s32 %r4, %r1, %r2, %r3;\nmul.wide.u32 %d3, %r4, 4;\n"
    "add.s64 %d4, %d2, %d3;\nadd.s64 %d5, %d1, %d3;\n"
    "ld.global.u32 %r5, [%d4];\n"
    "ld.global.u32 %r6, [%d4];\n"  // merges or hits
    "ld.global.cg.u32 %r7, [%d4];\n"
    "add.s32 %r5, %r5, %r6;\nadd.s32 %r5, %r5, %r7;\n"
    "st.global.u32 [%d5], %r5;\nret;\n}\n";

typedef struct Run {
  Cycle cycles;
  MachineStats stats;
  ResultTables tables, total;
} Run;

typedef struct Setup {
  GpuOptions options;
  const char *observers;  // names with spaces between
  bool witness;
  uint64_t max_cycles;
} Setup;

static void attach(Gpu *gpu, const Setup *setup) {
  char names[128];
  Error err;
  const ObserverType *type;
  snprintf(names, sizeof names, "%s", setup->observers ? setup->observers : "");
  for (char *name = strtok(names, " "); name; name = strtok(NULL, " ")) {
    assert_int_equal(observer_find(name, NULL, &type, &err), OK);
    assert_int_equal(gpu_observe(gpu, type, name, &err), OK);
  }
  if (setup->witness) assert_int_equal(gpu_observe(gpu, &witness_type, "witness", &err), OK);
}

static uint64_t buffer(Gpu *gpu, const char *name) {
  uint64_t address;
  assert_int_equal(
      device_memory_alloc(gpu_memory(gpu), BYTES, ALLOCATION_HEAP, name, &address, NULL), OK);
  return address;
}

static Run run(const Setup *setup) {
  GpuConfig config;
  Gpu *gpu;
  Program *program;
  Launch launch;
  Error err = {0};
  PtxText text = {"stream.ptx", kernel_text, sizeof kernel_text - 1};
  assert_int_equal(gpu_config_load(&config, "gtx480", &err), OK);
  config.run.max_cycles = setup->max_cycles;
  assert_int_equal(gpu_create(&gpu, &config, &setup->options, &err), OK);
  attach(gpu, setup);
  assert_int_equal(ptx_load_texts(&program, &text, 1, PROGRAM_BASE, &err), OK);
  uint64_t params[2] = {buffer(gpu, "out"), buffer(gpu, "in")};
  const uint32_t grid[3] = {CTAS, 1, 1}, block[3] = {THREADS, 1, 1};
  assert_int_equal(launch_init(&launch, program, program_find_kernel(program, "stream"), grid,
                               block, (const uint8_t *)params, 0, 1024, &err),
                   OK);
  assert_int_equal(gpu_submit(gpu, launch_kept(&launch), &err), OK);
  Status status = gpu_run(gpu, &err);
  if (status != (setup->max_cycles ? ERR_LIMIT : OK)) fail_msg("%s", err.text);
  Run result = {.cycles = gpu_kernel(gpu, 0)->stats->cycles, .stats = *gpu_kernel(gpu, 0)->stats};
  result.tables = gpu_take_tables(gpu, 0);
  gpu_report(gpu, &result.total);
  gpu_destroy(gpu);
  program_destroy(program);
  return result;
}

static void clear(Run *result) {
  result_tables_clear(&result->tables);
  result_tables_clear(&result->total);
}

static uint64_t cell(const ResultTable *table, uint32_t row, const char *name) {
  for (const Stat *stat = table->type->columns; stat->name; stat++)
    if (strcmp(stat->name, name) == 0) return stat_count(stat, result_table_row(table, row));
  fail_msg("no column %s", name);
  return 0;
}

static uint64_t column_sum(const ResultTable *table, const char *name) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < table->row_count; i++) sum += cell(table, i, name);
  return sum;
}

// ---- tests

static void observers_change_no_counter(void **state) {
  (void)state;
  Run plain = run(&(Setup){0});
  static const char *const sets[] = {"accesses", "latency", "ctas", "accesses latency ctas latency"};
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    Run observed = run(&(Setup){.observers = sets[i],
                                .witness = i % 2,
                                .options.per_sm = true,
                                .options.interval_cycles = 7 + i * 100});
    assert_memory_equal(&plain.stats, &observed.stats, sizeof plain.stats);
    clear(&observed);
  }
  clear(&plain);
}

static void events_add_up_to_the_counters(void **state) {
  (void)state;
  Run result = run(&(Setup){.witness = true});
  const MachineStats *stats = &result.stats;
  assert_int_equal(last.kinds[EVENT_ISSUE], stats->sm.warp_instructions);
  assert_int_equal(last.lanes, stats->sm.thread_instructions);
  assert_int_equal(last.kinds[EVENT_CTA_START], CTAS);
  assert_int_equal(last.kinds[EVENT_CTA_END], CTAS);
  assert_int_equal(last.kinds[EVENT_LOAD_DONE], stats->lsu.loads_done);
  assert_int_equal(last.latency, stats->lsu.load_latency_cycles);
  assert_int_equal(last.outcomes[OUTCOME_HIT], stats->l1d.hits);
  assert_int_equal(last.outcomes[OUTCOME_MERGE], stats->l1d.merges);
  assert_int_equal(last.outcomes[OUTCOME_MISS], stats->l1d.misses);
  // .cg loads go past the L1D, 32 bytes at a time.
  assert_int_equal(last.outcomes[OUTCOME_BYPASS], stats->lsu.transactions - stats->l1d.accesses);
  assert_int_equal(last.outcomes[OUTCOME_BYPASS], CTAS * THREADS / 32 * 4);
  assert_true(last.served[SERVED_BY_DRAM] > 0);
  assert_int_equal(last.kinds[EVENT_L2], stats->slice.packets);
  assert_int_equal(last.kinds[EVENT_DRAM], stats->partition.dram_requests);
  assert_int_equal(last.starts, 1);
  assert_int_equal(last.ends, 1);
  clear(&result);
}

static void events_come_in_the_same_order_whoever_steps_the_sms(void **state) {
  (void)state;
  Run one = run(&(Setup){.witness = true});
  Witness first = last;
  clear(&one);
  const GpuOptions others[] = {{.threads = 2}, {.threads = 3, .no_skip = true}, {.no_skip = true}};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    Run other = run(&(Setup){.witness = true, .options = others[i]});
    assert_int_equal(last.hash, first.hash);
    assert_memory_equal(last.kinds, first.kinds, sizeof last.kinds);
    clear(&other);
  }
}

// The row of the access on that line of the PTX.
static uint32_t row_at(const ResultTable *accesses, uint64_t line) {
  for (uint32_t i = 0; i < accesses->row_count; i++)
    if (cell(accesses, i, "line") == line) return i;
  fail_msg("no access on line %u", (unsigned)line);
  return 0;
}

static const char *label(const ResultTable *table, uint32_t row, const char *name) {
  for (const RowLabel *each = table->type->labels; each->name; each++)
    if (strcmp(each->name, name) == 0) return row_label_text(each, result_table_row(table, row));
  fail_msg("no label %s", name);
  return NULL;
}

static void every_access_has_its_row(void **state) {
  (void)state;
  Run result = run(&(Setup){.observers = "accesses"});
  const ResultTable *accesses = result_tables_find(&result.tables, "accesses");
  assert_int_equal(accesses->row_count, 6);  // two parameters, three loads, a store
  uint64_t warps = CTAS * THREADS / 32;
  for (uint32_t i = 0; i < accesses->row_count; i++) {
    assert_int_equal(cell(accesses, i, "executions"), warps);
    assert_int_equal(cell(accesses, i, "lanes"), CTAS * THREADS);
    assert_int_equal(cell(accesses, i, "ideal_transactions"), cell(accesses, i, "transactions"));
    uint64_t seen = cell(accesses, i, "hits") + cell(accesses, i, "merges") +
                    cell(accesses, i, "misses") + cell(accesses, i, "bypasses");
    assert_int_equal(seen, cell(accesses, i, "transactions"));
    if (i) assert_true(cell(accesses, i, "slots") <= cell(accesses, i - 1, "slots"));
  }
  uint32_t first = row_at(accesses, 17);
  assert_string_equal(label(accesses, first, "text"), "ld.global.u32");
  assert_string_equal(label(accesses, first, "kind"), "load");
  assert_string_equal(label(accesses, first, "space"), "global");
  assert_null(label(accesses, first, "source"));
  assert_int_equal(cell(accesses, first, "misses"), warps);  // every line is new to its SM
  assert_int_equal(cell(accesses, row_at(accesses, 18), "misses"), 0);
  assert_int_equal(cell(accesses, row_at(accesses, 19), "bypasses"), 4 * warps);
  assert_string_equal(label(accesses, row_at(accesses, 22), "kind"), "store");
  assert_int_equal(column_sum(accesses, "latency_cycles"), result.stats.lsu.load_latency_cycles);
  const ResultTable *total = result_tables_find(&result.total, "accesses");
  assert_int_equal(column_sum(total, "hits"), column_sum(accesses, "hits"));
  assert_int_equal(column_sum(total, "slots"), column_sum(accesses, "slots"));
  clear(&result);
}

// Every slot that was lost to memory has an access that it was lost to; warps that
// exit without stores in flight still leave the pipeline, which is nobody's fault.
static void lost_slots_have_their_culprits(void **state) {
  (void)state;
  const GpuOptions ways[] = {{0}, {.no_skip = true}, {.threads = 2}};
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    Run result = run(&(Setup){.observers = "accesses", .options = ways[i]});
    const ResultTable *accesses = result_tables_find(&result.tables, "accesses");
    const uint64_t *slots = result.stats.sm.slots;
    uint64_t waits = slots[SLOT_memory] + slots[SLOT_shared] + slots[SLOT_drain];
    uint64_t unit = slots[SLOT_lsu] + slots[SLOT_mshr] + slots[SLOT_reservation] +
                    slots[SLOT_miss_queue] + slots[SLOT_network] + slots[SLOT_bank_conflict];
    assert_true(waits > 0);
    assert_in_range(column_sum(accesses, "wait_slots"), waits - waits / 100, waits);
    assert_int_equal(column_sum(accesses, "unit_slots"), unit);
    clear(&result);
  }
}

static void every_transaction_is_in_one_bin(void **state) {
  (void)state;
  Run result = run(&(Setup){.observers = "latency latency:bin_cycles=10", .witness = true});
  uint64_t warps = CTAS * THREADS / 32;
  assert_int_equal(result.tables.count, 2);
  for (uint32_t t = 0; t < result.tables.count; t++) {
    const ResultTable *table = &result.tables.items[t];
    // The second load hits or merges; the third goes past the L1, sector by sector.
    assert_int_equal(column_sum(table, "l1") + column_sum(table, "merge"), warps);
    assert_int_equal(column_sum(table, "l2") + column_sum(table, "dram"), 5 * warps);
    uint64_t below = 0;
    for (uint32_t i = 0; i < table->row_count; i++) {
      assert_int_equal(cell(table, i, "from_cycles"), below);
      below = cell(table, i, "below_cycles");
    }
  }
  // No answer from beyond the SM is quicker than the L2's pipeline of 120 cycles.
  const ResultTable *tens = &result.tables.items[1];
  for (uint32_t i = 0; i < 12; i++)
    assert_int_equal(cell(tens, i, "l2") + cell(tens, i, "dram"), 0);
  clear(&result);
}

static void every_cta_has_its_row(void **state) {
  (void)state;
  Run result = run(&(Setup){.observers = "ctas"});
  const ResultTable *ctas = result_tables_find(&result.tables, "cta_rows");
  assert_int_equal(ctas->row_count, CTAS);
  bool seen[CTAS] = {0};
  for (uint32_t i = 0; i < CTAS; i++) {
    uint64_t cta = cell(ctas, i, "cta");
    assert_true(cta < CTAS && !seen[cta]);
    seen[cta] = true;
    assert_int_equal(cell(ctas, i, "warp_instructions"), 16 * THREADS / 32);
    assert_true(cell(ctas, i, "end_cycle") > cell(ctas, i, "start_cycle"));
    assert_true(cell(ctas, i, "end_cycle") <= result.cycles);
  }
  assert_int_equal(cell(ctas, 1, "sm"), 1);  // round robin
  clear(&result);
}

static void rows_end_where_they_are_limited(void **state) {
  (void)state;
  Run result = run(&(Setup){.observers = "ctas:max_rows=7"});
  assert_int_equal(result_tables_find(&result.tables, "cta_rows")->row_count, 7);
  clear(&result);
}

static void intervals_and_sms_add_up(void **state) {
  (void)state;
  Run result = run(&(Setup){.options = {.interval_cycles = 100, .per_sm = true}});
  const ResultTable *rows = result_tables_find(&result.tables, "intervals");
  assert_int_equal(rows->row_count, (result.cycles + 99) / 100);
  for (uint32_t i = 0; i + 1 < rows->row_count; i++) {
    assert_int_equal(cell(rows, i, "start_cycle"), i * 100);
    assert_int_equal(cell(rows, i, "cycles"), 100);
  }
  assert_int_equal(column_sum(rows, "cycles"), result.cycles);
  assert_int_equal(column_sum(rows, "warp_instructions"), result.stats.sm.warp_instructions);
  assert_int_equal(column_sum(rows, "warp_cycles"), result.stats.sm.warp_cycles);
  assert_int_equal(column_sum(rows, "l1d_misses"), result.stats.l1d.misses);
  assert_int_equal(column_sum(rows, "dram_reads"), result.stats.dram.reads);
  const ResultTable *sms = result_tables_find(&result.tables, "sms");
  assert_int_equal(sms->row_count, 15);
  assert_int_equal(column_sum(sms, "warp_instructions"), result.stats.sm.warp_instructions);
  assert_int_equal(column_sum(sms, "l1d.misses"), result.stats.l1d.misses);
  clear(&result);
}

static void intervals_are_the_same_without_skipping(void **state) {
  (void)state;
  Run a = run(&(Setup){.options = {.interval_cycles = 33}});
  Run b = run(&(Setup){.options = {.interval_cycles = 33, .no_skip = true}});
  const ResultTable *x = result_tables_find(&a.tables, "intervals");
  const ResultTable *y = result_tables_find(&b.tables, "intervals");
  assert_int_equal(x->row_count, y->row_count);
  assert_memory_equal(x->rows, y->rows, x->row_count * x->type->row_bytes);
  clear(&a);
  clear(&b);
}

static void a_run_that_is_cut_short_still_has_its_tables(void **state) {
  (void)state;
  Run result = run(&(Setup){.observers = "accesses latency ctas",
                            .max_cycles = 700,
                            .options = {.interval_cycles = 500, .per_sm = true}});
  assert_int_equal(result.cycles, 700);
  assert_int_equal(result.tables.count, 5);
  assert_int_equal(result_tables_find(&result.tables, "intervals")->row_count, 2);
  assert_int_equal(cell(result_tables_find(&result.tables, "cta_rows"), 0, "end_cycle"), 0);
  clear(&result);
}

typedef struct Told {
  uint32_t times;
  GpuProgress latest;
} Told;

static void on_progress(void *self, const GpuProgress *progress) {
  Told *told = self;
  assert_true(progress->cycle >= told->latest.cycle);
  told->latest = *progress;
  told->times++;
}

static void progress_is_told_now_and_then(void **state) {
  (void)state;
  Told told = {0};
  Run result =
      run(&(Setup){.options = {.progress = on_progress, .progress_self = &told, .no_skip = true},
                   .observers = ""});
  assert_true(told.times <= result.cycles * 4 / 4096 + 1);
  if (told.times) {
    assert_string_equal(told.latest.kernel, "stream");
    assert_int_equal(told.latest.cta_count, CTAS);
  }
  clear(&result);
}

static void unknown_observers_and_parameters_are_refused(void **state) {
  (void)state;
  Error err;
  const ObserverType *type;
  assert_int_equal(observer_find("load", NULL, &type, &err), ERR_CONFIG);
  assert_non_null(strstr(err.text, "accesses, latency, ctas"));
  GpuConfig config;
  Gpu *gpu;
  assert_int_equal(gpu_config_load(&config, "tiny", &err), OK);
  assert_int_equal(gpu_create(&gpu, &config, NULL, &err), OK);
  assert_int_equal(observer_find("latency:bins=3", NULL, &type, &err), OK);
  assert_int_equal(gpu_observe(gpu, type, "latency:bins=3", &err), ERR_CONFIG);
  gpu_destroy(gpu);
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test(name)
      T(observers_change_no_counter),
      T(events_add_up_to_the_counters),
      T(events_come_in_the_same_order_whoever_steps_the_sms),
      T(every_access_has_its_row),
      T(lost_slots_have_their_culprits),
      T(every_transaction_is_in_one_bin),
      T(every_cta_has_its_row),
      T(rows_end_where_they_are_limited),
      T(intervals_and_sms_add_up),
      T(intervals_are_the_same_without_skipping),
      T(a_run_that_is_cut_short_still_has_its_tables),
      T(progress_is_told_now_and_then),
      T(unknown_observers_and_parameters_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
