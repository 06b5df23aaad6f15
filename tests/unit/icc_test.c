// SPDX-License-Identifier: MIT
// Intra-cluster coalescing and the coalesced cache, asked as a cluster asks them.
#include "policies/cluster_unit/icc.h"

#include "policies/cluster_unit/cluster_unit.h"
#include "unit/policy_support.h"

typedef struct Unit {
  const ClusterUnitType *type;
  void *state;
} Unit;

static Unit make_for(const char *spec, uint32_t sms) {
  Unit unit;
  policy_bench.machine.sms_per_cluster = sms;
  unit.type = (const ClusterUnitType *)policy_bench_make(&cluster_unit_family, spec, &unit.state);
  return unit;
}

static Unit make(const char *spec) {
  return make_for(spec, 5);
}

static ClusterRequest request_of(uint64_t number, uint64_t line, uint32_t sm) {
  return (ClusterRequest){.number = number,
                          .address = line * 128,
                          .bytes = 128,
                          .requester.sm = (uint16_t)sm,
                          .is_global = true};
}

// A read wants to leave; 0: it was sent, else the number that it waits for, or SERVED.
enum { SERVED = 9999 };
static uint64_t read_line(Unit *unit, uint64_t number, uint64_t line, uint32_t sm) {
  ClusterRequest request = request_of(number, line, sm);
  uint64_t waits_for = 0;
  switch (unit->type->ask(unit->state, &request, &waits_for)) {
    case CLUSTER_HOLD: return waits_for;
    case CLUSTER_SERVE: return SERVED;
    default: unit->type->on_sent(unit->state, &request); return 0;
  }
}

// 32 bytes of it, from an offset on.
static void write_part(Unit *unit, uint64_t line, uint64_t offset, bool is_atomic) {
  ClusterRequest request = request_of(77, line, 0);
  request.address += offset;
  request.bytes = 32;
  request.is_write = !is_atomic;
  request.is_atomic = is_atomic;
  unit->type->on_sent(unit->state, &request);
}

static void write_line(Unit *unit, uint64_t line, bool is_atomic) {
  write_part(unit, line, 0, is_atomic);
}

static void answer(Unit *unit, uint64_t number, uint64_t line, uint32_t held) {
  ClusterRequest request = request_of(number, line, 0);
  unit->type->on_answer(unit->state, &request, held);
}

static void a_second_read_of_a_line_waits_for_the_first(void **state) {
  (void)state;
  Unit unit = make("icc");
  assert_int_equal(read_line(&unit, 1, 10, 0), 0);  // miss: sent
  assert_int_equal(read_line(&unit, 2, 10, 1), 1);  // hit
  assert_int_equal(read_line(&unit, 3, 11, 1), 0);
  assert_int_equal(read_line(&unit, 4, 10, 2), 1);
  answer(&unit, 1, 10, 2);
  assert_int_equal(read_line(&unit, 5, 10, 3), 0);  // the entry is free again
  assert_int_equal(read_line(&unit, 6, 11, 3), 3);
}

static void a_full_table_lets_reads_pass(void **state) {
  (void)state;
  Unit unit = make("icc:entries=2");
  assert_int_equal(read_line(&unit, 1, 10, 0), 0);
  assert_int_equal(read_line(&unit, 2, 11, 0), 0);
  assert_int_equal(read_line(&unit, 3, 12, 0), 0);  // passes without an entry
  assert_int_equal(read_line(&unit, 4, 12, 1), 0);  // so nothing can wait for it
  answer(&unit, 3, 12, 0);                          // an answer that the table knows nothing of
  assert_int_equal(read_line(&unit, 5, 10, 1), 1);
  answer(&unit, 2, 11, 0);
  assert_int_equal(read_line(&unit, 6, 13, 0), 0);
  assert_int_equal(read_line(&unit, 7, 13, 1), 6);
}

// Section 8.4; an SM of its own has 12, a large cluster no more than there can be.
static void tables_grow_with_the_cluster(void **state) {
  (void)state;
  static const struct {
    uint32_t sms, entries;
  } sizes[] = {{10, 96}, {6, 60}, {5, 48}, {4, 40}, {1, 12}, {64, 616}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    Unit unit = make_for(i % 2 ? "icc" : "icc_cc", sizes[i].sms);
    uint64_t n = sizes[i].entries;
    for (uint64_t line = 1; line <= n + 1; line++) read_line(&unit, line, line, 0);
    assert_int_equal(read_line(&unit, 5000, n, 1), n);      // the last that had room
    assert_int_equal(read_line(&unit, 5001, n + 1, 1), 0);  // the first that had none
  }
  Unit told = make_for("icc:entries=2", 10);
  for (uint64_t line = 1; line <= 3; line++) read_line(&told, line, line, 0);
  assert_int_equal(read_line(&told, 4, 2, 1), 2);
  assert_int_equal(read_line(&told, 5, 3, 1), 0);
}

static void a_lookup_takes_a_cycle_unless_told_otherwise(void **state) {
  (void)state;
  static const char *const specs[] = {"icc", "cc", "icc_cc", "icc:lookup_cycles=3"};
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    Unit unit = make(specs[i]);
    assert_int_equal(unit.type->lookup_cycles(unit.state), i == 3 ? 3 : 1);
  }
}

static void a_write_closes_the_entry_of_its_line(void **state) {
  (void)state;
  Unit unit = make("icc");
  assert_int_equal(read_line(&unit, 1, 10, 0), 0);
  assert_int_equal(read_line(&unit, 2, 10, 1), 1);
  write_line(&unit, 10, false);
  assert_int_equal(read_line(&unit, 3, 10, 2), 0);  // may not see what is older than the write
  assert_int_equal(read_line(&unit, 4, 10, 3), 3);
  answer(&unit, 1, 10, 1);
  assert_int_equal(read_line(&unit, 5, 10, 4), 3);
}

static void other_spaces_pass(void **state) {
  (void)state;
  Unit unit = make("icc_cc");
  ClusterRequest constant = request_of(1, 10, 0);
  constant.is_global = false;
  unit.type->on_sent(unit.state, &constant);
  assert_int_equal(read_line(&unit, 2, 10, 1), 0);
}

static void the_cache_keeps_lines_that_were_shared(void **state) {
  (void)state;
  Unit unit = make("icc_cc");
  read_line(&unit, 1, 10, 0);
  read_line(&unit, 2, 10, 1);
  read_line(&unit, 3, 11, 0);
  answer(&unit, 1, 10, 1);
  answer(&unit, 3, 11, 0);  // nobody else wanted it
  assert_int_equal(read_line(&unit, 4, 10, 2), SERVED);
  assert_int_equal(read_line(&unit, 5, 11, 2), 0);
  write_line(&unit, 10, false);
  assert_int_equal(read_line(&unit, 6, 10, 2), 0);
}

static void the_oldest_line_makes_room(void **state) {
  (void)state;
  Unit unit = make("icc_cc:lines=2");
  for (uint64_t line = 10; line < 12; line++) {
    read_line(&unit, line, line, 0);
    answer(&unit, line, line, 1);
  }
  assert_int_equal(read_line(&unit, 1, 10, 1), SERVED);  // 11 is the oldest now
  read_line(&unit, 12, 12, 0);
  answer(&unit, 12, 12, 1);
  assert_int_equal(read_line(&unit, 2, 10, 1), SERVED);
  assert_int_equal(read_line(&unit, 3, 12, 1), SERVED);
  assert_int_equal(read_line(&unit, 4, 11, 1), 0);
}

static void an_atomic_takes_its_line_out(void **state) {
  (void)state;
  Unit unit = make("icc_cc");
  read_line(&unit, 1, 10, 0);
  answer(&unit, 1, 10, 1);
  write_line(&unit, 10, true);
  assert_int_equal(read_line(&unit, 2, 10, 1), 0);
}

// As coherent as a write-through L1: a store takes out the line that it touches,
// wherever in it, and no other.
static void a_store_takes_out_its_line_only(void **state) {
  (void)state;
  Unit unit = make("icc_cc");
  for (uint64_t line = 10; line < 13; line++) {
    read_line(&unit, line, line, 0);
    answer(&unit, line, line, 1);
  }
  write_part(&unit, 11, 96, false);
  assert_int_equal(read_line(&unit, 1, 10, 1), SERVED);
  assert_int_equal(read_line(&unit, 2, 11, 1), 0);
  assert_int_equal(read_line(&unit, 3, 12, 1), SERVED);
}

// What was read before a store and comes back after it is not kept.
static void an_answer_older_than_a_store_is_not_kept(void **state) {
  (void)state;
  Unit unit = make("icc_cc");
  read_line(&unit, 1, 10, 0);
  assert_int_equal(read_line(&unit, 2, 10, 1), 1);
  write_part(&unit, 10, 64, false);
  answer(&unit, 1, 10, 1);
  assert_int_equal(read_line(&unit, 3, 10, 2), 0);
  assert_int_equal(read_line(&unit, 4, 10, 3), 3);
  answer(&unit, 3, 10, 1);
  assert_int_equal(read_line(&unit, 5, 10, 1), SERVED);
}

// Where SMs empty their L1s, nothing older is given out either.
static void flushed_l1s_empty_the_cache(void **state) {
  (void)state;
  Unit unit = make("icc_cc");
  read_line(&unit, 1, 10, 0);
  answer(&unit, 1, 10, 1);
  assert_int_equal(read_line(&unit, 2, 11, 0), 0);
  unit.type->on_flush(unit.state);
  assert_int_equal(read_line(&unit, 3, 10, 1), 0);
  assert_int_equal(read_line(&unit, 4, 11, 1), 0);
  assert_int_equal(read_line(&unit, 5, 11, 2), 4);
}

static void the_cache_alone_sends_all_and_learns_what_is_shared(void **state) {
  (void)state;
  Unit unit = make("cc");
  assert_int_equal(read_line(&unit, 1, 10, 0), 0);
  assert_int_equal(read_line(&unit, 2, 10, 1), 0);
  answer(&unit, 1, 10, 0);
  assert_int_equal(read_line(&unit, 3, 10, 2), SERVED);
  assert_int_equal(read_line(&unit, 4, 11, 0), 0);
  assert_int_equal(read_line(&unit, 5, 11, 0), 0);  // the same SM
  answer(&unit, 4, 11, 0);
  assert_int_equal(read_line(&unit, 6, 11, 1), 0);
}

// Section 6.4: 48 entries of 41 + 5 bits, 276 bytes; 24 lines with tags, 3.2 KB.
static void the_hardware_cost_is_the_papers(void **state) {
  (void)state;
  assert_int_equal(icc_table_bits(48, 5, 128), 2208);
  assert_int_equal(icc_table_bits(48, 5, 128) / 8, 276);
  assert_int_equal((icc_cache_bits(24, 128) / 8 + 50) / 100, 32);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_second_read_of_a_line_waits_for_the_first),
      cmocka_unit_test(a_full_table_lets_reads_pass),
      cmocka_unit_test(tables_grow_with_the_cluster),
      cmocka_unit_test(a_lookup_takes_a_cycle_unless_told_otherwise),
      cmocka_unit_test(a_write_closes_the_entry_of_its_line),
      cmocka_unit_test(other_spaces_pass),
      cmocka_unit_test(the_cache_keeps_lines_that_were_shared),
      cmocka_unit_test(the_oldest_line_makes_room),
      cmocka_unit_test(an_atomic_takes_its_line_out),
      cmocka_unit_test(a_store_takes_out_its_line_only),
      cmocka_unit_test(an_answer_older_than_a_store_is_not_kept),
      cmocka_unit_test(flushed_l1s_empty_the_cache),
      cmocka_unit_test(the_cache_alone_sends_all_and_learns_what_is_shared),
      cmocka_unit_test(the_hardware_cost_is_the_papers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
