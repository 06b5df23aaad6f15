// SPDX-License-Identifier: MIT
// Observers of locality, told events by hand: reuse by warp, CTA and grid, lines
// that CTAs share, strides of loads.
#include <string.h>

#include "base/memory.h"
#include "observers/accesses/indirect_loads.h"
#include "observers/key_set.h"
#include "policies/observer/observer.h"
#include "unit/cmocka_all.h"

extern const ObserverType reuse_observer, sharing_observer, strides_observer,
    cluster_locality_observer, inter_cta_observer, miss_origin_observer;

enum { SMS = 2, LINE = 128 };

typedef struct Watch {
  const ObserverType *type;
  void *state;
  ResultTables tables, total;
} Watch;

static Instruction code[4] = {{.text = "ld.global.f32", .line = 10},
                              {.text = "ld.global.u32", .line = 20}};
static Program program = {.code = code, .code_count = 4};
static Launch launch = {.program = &program, .grid = {4, 1, 1}, .block = {64, 1, 1}};

static void watch_as(Watch *watch, const ObserverType *type, const char *spec,
                     const MemEvent *events, uint32_t count) {
  Error err;
  *watch = (Watch){.type = type, .state = memory_alloc(type->policy.state_size)};
  assert_int_equal(policy_set_params(&type->policy, spec, watch->state, &err), OK);
  KernelView view = {.id = 3, .sm_count = SMS, .sms_per_cluster = 2, .launch = &launch};
  if (type->on_kernel_start) type->on_kernel_start(watch->state, &view);
  type->on_events(watch->state, events, count);
  if (type->on_kernel_end) type->on_kernel_end(watch->state, &view, &watch->tables);
  if (type->report) type->report(watch->state, &watch->total);
}

static void watch(Watch *w, const ObserverType *type, const MemEvent *events, uint32_t count) {
  watch_as(w, type, type->policy.name, events, count);
}

static void unwatch(Watch *watch) {
  watch->type->clear(watch->state);
  memory_free(watch->state);
  result_tables_clear(&watch->tables);
  result_tables_clear(&watch->total);
}

static uint64_t cell(const ResultTables *tables, const char *table, uint32_t row,
                     const char *column) {
  const ResultTable *found = result_tables_find(tables, table);
  assert_non_null(found);
  assert_true(row < found->row_count);
  for (const Stat *stat = found->type->columns; stat->name; stat++)
    if (strcmp(stat->name, column) == 0) {
      uint64_t value;
      memcpy(&value, (const char *)result_table_row(found, row) + stat->offset, sizeof value);
      return value;
    }
  fail_msg("no column %s", column);
  return 0;
}

// Each is an instruction of its own.
static MemEvent load(uint64_t line, uint64_t cta, uint8_t warp) {
  static uint32_t order;
  return (MemEvent){.kind = EVENT_ACCESS,
                    .space = SPACE_GLOBAL,
                    .access = ACCESS_LOAD,
                    .outcome = OUTCOME_MISS,
                    .is_lowest = true,
                    .address = line * LINE,
                    .order = ++order,
                    .requester = {.kernel = 3, .cta = cta, .warp_in_cta = warp}};
}

static void reuse_is_split_by_who_had_the_line(void **state) {
  (void)state;
  MemEvent events[] = {load(1, 0, 0), load(1, 0, 0), load(1, 0, 1), load(1, 1, 0), load(1, 0, 1),
                       load(2, 1, 1), load(1, 2, 0), load(9, 3, 0), load(9, 3, 0), load(9, 3, 0)};
  events[7].space = SPACE_LOCAL;        // does not count
  events[8].access = ACCESS_PREFETCH;   // neither
  events[9].requester.kernel = 4;       // another kernel
  Watch w;
  watch(&w, &reuse_observer, events, 10);
  assert_int_equal(cell(&w.tables, "reuse", 0, "accesses"), 7);
  assert_int_equal(cell(&w.tables, "reuse", 0, "lines"), 2);
  assert_int_equal(cell(&w.tables, "reuse", 0, "reuses"), 5);
  assert_int_equal(cell(&w.tables, "reuse", 0, "intra_warp"), 2);
  assert_int_equal(cell(&w.tables, "reuse", 0, "intra_cta"), 1);
  assert_int_equal(cell(&w.tables, "reuse", 0, "inter_cta"), 2);
  assert_int_equal(cell(&w.total, "reuse", 0, "inter_cta"), 2);
  unwatch(&w);
}

static void the_split_does_not_depend_on_the_order(void **state) {
  (void)state;
  MemEvent events[] = {load(1, 0, 0), load(1, 1, 0), load(1, 0, 0), load(1, 1, 1), load(1, 0, 1)};
  uint64_t shares[2][3];
  for (int round = 0; round < 2; round++) {
    Watch w;
    watch(&w, &reuse_observer, events, 5);
    shares[round][0] = cell(&w.tables, "reuse", 0, "intra_warp");
    shares[round][1] = cell(&w.tables, "reuse", 0, "intra_cta");
    shares[round][2] = cell(&w.tables, "reuse", 0, "inter_cta");
    unwatch(&w);
    for (int i = 0; i < 2; i++) {
      MemEvent swapped = events[i];
      events[i] = events[4 - i];
      events[4 - i] = swapped;
    }
  }
  assert_memory_equal(shares[0], shares[1], sizeof shares[0]);
  assert_int_equal(shares[0][2], 1);
}

// A load of two lines in sectors, in an order that mixes them; then the same again.
static void sectors_of_one_access_are_no_reuse(void **state) {
  (void)state;
  enum { SECTORS = 8 };
  MemEvent events[2 * SECTORS];
  for (uint32_t i = 0; i < 2 * SECTORS; i++) {
    events[i] = load(1 + i % 2, 0, 0);
    events[i].address += i / 2 % 4 * 32;
    events[i].order = 100 + i / SECTORS;
  }
  Watch w;
  watch(&w, &reuse_observer, events, SECTORS);
  assert_int_equal(cell(&w.tables, "reuse", 0, "accesses"), 2);
  assert_int_equal(cell(&w.tables, "reuse", 0, "reuses"), 0);
  unwatch(&w);
  watch(&w, &reuse_observer, events, 2 * SECTORS);
  assert_int_equal(cell(&w.tables, "reuse", 0, "accesses"), 4);
  assert_int_equal(cell(&w.tables, "reuse", 0, "intra_warp"), 2);
  unwatch(&w);
}

static void sharing_counts_lines_of_pairs(void **state) {
  (void)state;
  const MemEvent events[] = {load(1, 0, 0), load(1, 2, 0), load(2, 0, 0), load(2, 2, 0),
                             load(2, 2, 1), load(3, 2, 0), load(3, 3, 0)};
  static const uint64_t wanted[][3] = {{0, 0, 2}, {0, 2, 2}, {2, 2, 3}, {2, 3, 1}, {3, 3, 1}};
  Watch w;
  watch(&w, &sharing_observer, events, 7);
  assert_int_equal(result_tables_find(&w.tables, "sharing")->row_count, 5);
  for (uint32_t i = 0; i < 5; i++) {
    assert_int_equal(cell(&w.tables, "sharing", i, "first_cta_a"), wanted[i][0]);
    assert_int_equal(cell(&w.tables, "sharing", i, "first_cta_b"), wanted[i][1]);
    assert_int_equal(cell(&w.tables, "sharing", i, "lines"), wanted[i][2]);
  }
  unwatch(&w);
}

// Two warps a CTA: warp 1 of CTA 2 is number 5.
// The graph has a pair of CTAs per row, of loads only.
static void sharing_has_the_graph_of_single_ctas(void **state) {
  (void)state;
  MemEvent events[] = {load(1, 0, 0), load(1, 2, 0), load(2, 0, 0), load(2, 2, 1), load(2, 2, 0),
                       load(2, 3, 0), load(3, 3, 0), load(3, 0, 0)};
  static const uint64_t wanted[][3] = {{0, 2, 2}, {0, 3, 1}, {2, 3, 1}};
  events[7].access = ACCESS_STORE;
  Watch w;
  watch_as(&w, &sharing_observer, "sharing:graph=true", events, 8);
  assert_int_equal(result_tables_find(&w.tables, "cta_sharing")->row_count, 3);
  for (uint32_t i = 0; i < 3; i++) {
    assert_int_equal(cell(&w.tables, "cta_sharing", i, "cta_a"), wanted[i][0]);
    assert_int_equal(cell(&w.tables, "cta_sharing", i, "cta_b"), wanted[i][1]);
    assert_int_equal(cell(&w.tables, "cta_sharing", i, "lines"), wanted[i][2]);
  }
  unwatch(&w);
  watch_as(&w, &sharing_observer, "sharing:graph=true,max_sharers=2", events, 8);
  assert_int_equal(result_tables_find(&w.tables, "cta_sharing")->row_count, 1);
  assert_int_equal(cell(&w.tables, "cta_sharing", 0, "lines"), 1);
  unwatch(&w);
  watch(&w, &sharing_observer, events, 8);
  assert_null(result_tables_find(&w.tables, "cta_sharing"));
  unwatch(&w);
}

static void strides_are_between_warps(void **state) {
  (void)state;
  MemEvent events[] = {load(10, 0, 0), load(12, 0, 1), load(18, 2, 0), load(20, 2, 1),
                       load(7, 3, 0),  load(100, 1, 0), load(98, 1, 1), load(98, 1, 1)};
  events[3].outcome = OUTCOME_HIT;
  events[5].requester.sm = events[6].requester.sm = 1;  // another SM: no stride to those before
  events[5].requester.pc = events[6].requester.pc = 1;
  events[7].requester.pc = 1;
  events[7].is_lowest = false;       // a second request of an instruction
  Watch w;
  watch_as(&w, &strides_observer, "strides:scope=grid", events, 8);
  const ResultTables *tables = &w.tables;
  assert_int_equal(cell(tables, "strides", 0, "line"), 10);
  assert_int_equal(cell(tables, "strides", 0, "references"), 5);
  assert_int_equal(cell(tables, "strides", 0, "all_references"), 8);
  assert_int_equal(cell(tables, "strides", 0, "lines"), 5);
  assert_int_equal(cell(tables, "strides", 0, "misses"), 4);
  assert_int_equal(cell(tables, "strides", 0, "stride_bytes"), 2 * LINE);
  assert_int_equal(cell(tables, "strides", 0, "stride_executions"), 3);
  assert_int_equal(cell(tables, "strides", 0, "executions"), 5);
  assert_int_equal(cell(tables, "strides", 1, "references"), 3);
  assert_int_equal(cell(tables, "strides", 1, "lines"), 2);
  assert_int_equal(cell(tables, "strides", 1, "executions"), 2);
  assert_int_equal(cell(tables, "strides", 1, "stride_bytes"), 2 * LINE);
  assert_int_equal(cell(tables, "strides", 1, "stride_is_negative"), 1);
  unwatch(&w);
}

// Slots number warps, and an SM's lines are its own.
static void strides_of_an_sm_are_between_its_slots(void **state) {
  (void)state;
  MemEvent events[] = {load(10, 0, 0), load(12, 0, 1), load(18, 2, 0), load(12, 1, 0)};
  for (uint8_t i = 0; i < 3; i++) events[i].requester.warp = i;
  events[3].requester.sm = 1;
  Watch w;
  watch(&w, &strides_observer, events, 4);
  assert_int_equal(cell(&w.tables, "strides", 0, "lines"), 4);
  assert_int_equal(cell(&w.tables, "strides", 0, "stride_bytes"), 2 * LINE);
  assert_int_equal(cell(&w.tables, "strides", 0, "stride_executions"), 1);
  unwatch(&w);
  watch_as(&w, &strides_observer, "strides:scope=grid", events, 4);
  assert_int_equal(cell(&w.tables, "strides", 0, "lines"), 3);
  assert_int_equal(cell(&w.tables, "strides", 0, "stride_executions"), 2);
  unwatch(&w);
}

static MemEvent request(uint64_t line, uint16_t sm, uint8_t sectors, Cycle cycle) {
  MemEvent event = load(line, 0, 0);
  event.requester.sm = sm;
  event.sectors = sectors;
  event.cycle = cycle;
  return event;
}

// SMs 0 and 1 are a cluster, 2 and 3 the next.
static void requests_are_redundant_within_a_window(void **state) {
  (void)state;
  MemEvent events[] = {request(1, 0, 0x1, 100),  request(1, 1, 0x1, 700),  // data, 600 later
                       request(1, 2, 0x1, 700),                            // another cluster
                       request(1, 0, 0x2, 1100),                           // line, 400 later
                       request(1, 1, 0x2, 3000),                           // data, 1900 later
                       request(1, 1, 0x2, 3010)};
  events[5].outcome = OUTCOME_HIT;  // does not leave the L1
  events[3].address += 32;         // the second sector by its address
  events[3].sectors = 0x1;
  static const uint64_t wanted[4][3] = {{1, 1, 0}, {2, 1, 1}, {2, 1, 1}, {3, 1, 2}};
  Watch w;
  watch(&w, &cluster_locality_observer, events, 6);
  for (uint32_t i = 0; i < 4; i++) {
    assert_int_equal(cell(&w.tables, "cluster_locality", i, "window_cycles"), 500 * (i + 1));
    assert_int_equal(cell(&w.tables, "cluster_locality", i, "requests"), 5);
    assert_int_equal(cell(&w.tables, "cluster_locality", i, "redundant"), wanted[i][0]);
    assert_int_equal(cell(&w.tables, "cluster_locality", i, "line_sharing"), wanted[i][1]);
    assert_int_equal(cell(&w.tables, "cluster_locality", i, "data_sharing"), wanted[i][2]);
  }
  assert_int_equal(cell(&w.total, "cluster_locality", 3, "window_cycles"), 2000);
  assert_int_equal(cell(&w.total, "cluster_locality", 3, "redundant"), 3);
  unwatch(&w);
}

static MemEvent load_by(uint64_t line, uint16_t sm, uint32_t kernel, uint32_t parent,
                        uint64_t parent_cta) {
  MemEvent event = load(line, 0, 0);
  event.requester.sm = sm;
  event.requester.kernel = kernel;
  event.requester.parent = parent;
  event.requester.parent_cta = parent_cta;
  return event;
}

// Kernel 0 is the host's; its CTA 5 launches 1 and 2, its CTA 6 launches 3.
static void misses_are_split_by_who_had_the_line_and_where(void **state) {
  (void)state;
  const uint32_t none = REQUESTER_NO_PARENT;
  MemEvent events[] = {
      load_by(1, 0, 0, none, 0),  // first
      load_by(1, 0, 0, none, 0),  // same SM, same kernel
      load_by(1, 1, 1, 0, 5),     // other SM, parent
      load_by(1, 1, 1, 0, 5),     // same SM, same kernel
      load_by(1, 0, 2, 0, 5),     // same SM, parent before sibling
      load_by(2, 1, 1, 0, 5),     // first
      load_by(2, 0, 2, 0, 5),     // other SM, sibling
      load_by(2, 1, 3, 0, 6),     // same SM, none: of another CTA
      load_by(2, 0, 9, none, 0),  // same SM, none
      load_by(3, 0, 1, 0, 5),     // first, and a hit: no miss
      load_by(3, 1, 9, none, 0),  // other SM, none
      load_by(3, 1, 2, 0, 5),     // same SM, sibling, which was on the other
      load_by(3, 0, 9, none, 0),  // same SM, same kernel
  };
  events[9].outcome = OUTCOME_HIT;
  Watch origin;
  watch(&origin, &miss_origin_observer, events, sizeof events / sizeof *events);
  static const uint64_t wanted[] = {2, 3, 1, 1, 2, 0, 1, 1, 1};
  for (uint32_t row = 0; row < 9; row++)
    assert_int_equal(cell(&origin.total, "miss_origin", row, "misses"), wanted[row]);
  unwatch(&origin);
}

// Of sectors of a line.
static MemEvent touch(AccessKind access, uint64_t line, uint8_t sectors, uint64_t cta) {
  MemEvent event = load(line, cta, 0);
  event.access = (uint8_t)access;
  event.sectors = sectors;
  return event;
}

static void inter_cta_tells_shared_words_from_shared_lines(void **state) {
  (void)state;
  MemEvent events[] = {
      touch(ACCESS_LOAD, 1, 1, 0), touch(ACCESS_LOAD, 1, 1, 1),   // both load sector 0
      touch(ACCESS_LOAD, 1, 2, 2),                                // another sector of the line
      touch(ACCESS_LOAD, 5, 3, 0),                                // two that nobody shares
      touch(ACCESS_LOAD, 7, 1, 0), touch(ACCESS_STORE, 7, 1, 0),  // both store what they load
      touch(ACCESS_LOAD, 7, 1, 1), touch(ACCESS_STORE, 7, 1, 1),
      touch(ACCESS_LOAD, 7, 1, 2),                                // loads what others store
      touch(ACCESS_LOAD, 9, 1, 3), touch(ACCESS_STORE, 9, 1, 3),  // in place
  };
  Watch w;
  watch(&w, &inter_cta_observer, events, sizeof events / sizeof *events);
  assert_int_equal(cell(&w.tables, "inter_cta", 0, "loads"), 9);
  assert_int_equal(cell(&w.tables, "inter_cta", 0, "shared_loads"), 5);
  assert_int_equal(cell(&w.tables, "inter_cta", 0, "line_shared_loads"), 6);
  assert_int_equal(cell(&w.tables, "inter_cta", 0, "overwritten_loads"), 2);
  assert_int_equal(cell(&w.total, "inter_cta", 0, "loads"), 9);
  unwatch(&w);
}

// %r1 = ld.global [%rd0]; %rd1 = %r1 * 4; %f1 = ld.global [%rd1]; %f2 = ld.global [%rd0]
static void loads_are_indirect_if_their_address_was_loaded(void **state) {
  (void)state;
  Form global = {.op = OP_LD, .space = SPACE_GLOBAL, .type = TYPE_U32};
  Form real = {.op = OP_LD, .space = SPACE_GLOBAL, .type = TYPE_F32};
  Instruction chain[] = {
      {.form = global}, {.form = {.op = OP_MUL, .type = TYPE_U64}}, {.form = real}, {.form = real}};
  RegisterUse uses[] = {
      {.source_count = 1,
       .sources = {10},
       .destination_count = 1,
       .destinations = {1},
       .destination_numbers = {1}},
      {.source_count = 1,
       .sources = {1},
       .source_numbers = {1},
       .destination_count = 1,
       .destinations = {11},
       .destination_numbers = {1}},
      {.source_count = 1,
       .sources = {11},
       .source_numbers = {1},
       .destination_count = 1,
       .destinations = {1},
       .destination_numbers = {1}},
      {.source_count = 1, .sources = {10}, .destination_count = 1, .destinations = {2}}};
  Function function = {.code_count = 4};
  Program chained = {.code = chain,
                     .code_count = 4,
                     .register_uses = uses,
                     .register_id_count = 16,
                     .functions = &function,
                     .function_count = 1};
  bool *marks = indirect_loads_find(&chained);
  assert_false(marks[0]);
  assert_false(marks[1]);
  assert_true(marks[2]);
  assert_false(marks[3]);
  memory_free(marks);
}

static void a_key_set_keeps_what_it_was_given(void **state) {
  (void)state;
  KeySet set = {0};
  bool is_new;
  for (uint64_t i = 0; i < 5000; i++) {
    *key_set_at(&set, i * 64, i % 3, &is_new) += i;
    assert_true(is_new);
  }
  for (uint64_t i = 0; i < 5000; i++) {
    assert_int_equal(*key_set_at(&set, i * 64, i % 3, &is_new), i);
    assert_false(is_new);
  }
  assert_int_equal(set.count, 5000);
  key_set_clear(&set);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reuse_is_split_by_who_had_the_line),
      cmocka_unit_test(sectors_of_one_access_are_no_reuse),
      cmocka_unit_test(the_split_does_not_depend_on_the_order),
      cmocka_unit_test(sharing_counts_lines_of_pairs),
      cmocka_unit_test(sharing_has_the_graph_of_single_ctas),
      cmocka_unit_test(strides_are_between_warps),
      cmocka_unit_test(strides_of_an_sm_are_between_its_slots),
      cmocka_unit_test(requests_are_redundant_within_a_window),
      cmocka_unit_test(misses_are_split_by_who_had_the_line_and_where),
      cmocka_unit_test(inter_cta_tells_shared_words_from_shared_lines),
      cmocka_unit_test(loads_are_indirect_if_their_address_was_loaded),
      cmocka_unit_test(a_key_set_keeps_what_it_was_given),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
