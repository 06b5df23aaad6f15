// SPDX-License-Identifier: MIT
// What a unit between a cluster and the network costs and saves, to the cycle.
#include "unit/policy_support.h"

#include "gpu/config/scheme.h"
#include "memory/sm_cluster_port.h"
#include "timing/small_cases.h"

// ---- the port by itself

static SmClusterPort *make_port(const char *spec) {
  SmClusterPort *port;
  Error err;
  policy_bench.machine.sms_per_cluster = 5;
  if (sm_cluster_port_create(&port, &policy_bench, spec, 0, 8, &err) != OK)
    fail_msg("%s", err.text);
  assert_non_null(port);
  return port;
}

static MemRequest read_of(uint64_t line, uint16_t sm) {
  return (MemRequest){
      .kind = REQUEST_READ, .address = line * 128, .bytes = 128, .requester.sm = sm};
}

static void send(SmClusterPort *port, MemRequest *request, Cycle now) {
  assert_int_equal(sm_cluster_port_ask(port, request, now), PORT_PASSES);
  sm_cluster_port_sent(port, request, now);
}

static void only_global_reads_are_looked_up_before_they_leave(void **state) {
  (void)state;
  SmClusterPort *port = make_port("icc"), *none;
  MemRequest read = read_of(1, 0), write = read, constant = read, local = read, prefetch = read;
  write.kind = REQUEST_WRITE, constant.kind = REQUEST_CONSTANT, local.local = true;
  prefetch.kind = REQUEST_PREFETCH;
  assert_int_equal(port->lookup_cycles, 1);
  assert_true(sm_cluster_port_looks_up(port, &read));
  assert_true(sm_cluster_port_looks_up(port, &prefetch));
  assert_false(sm_cluster_port_looks_up(port, &write));
  assert_false(sm_cluster_port_looks_up(port, &constant));
  assert_false(sm_cluster_port_looks_up(port, &local));
  sm_cluster_port_destroy(port);
  assert_int_equal(sm_cluster_port_create(&none, &policy_bench, "none", 0, 8, NULL), OK);
  assert_null(none);
}

static void an_answer_is_looked_up_a_cycle_and_given_to_all(void **state) {
  (void)state;
  SmClusterPort *port = make_port("icc");
  MemRequest first = read_of(1, 0), second = read_of(1, 3), third = read_of(1, 4);
  send(port, &first, 10);
  assert_int_equal(sm_cluster_port_ask(port, &second, 20), PORT_TAKEN);
  sm_cluster_port_take(port, (Packet){.request = &first, .sector = SECTOR_ALL}, 100);
  assert_false(sm_cluster_port_can_take(port));  // one a cycle
  assert_null(sm_cluster_port_looked_up(port, 100));
  assert_int_equal(sm_cluster_port_ask(port, &third, 100), PORT_TAKEN);  // it is still in the table
  assert_ptr_equal(sm_cluster_port_looked_up(port, 101)->request, &first);
  Packet packet = sm_cluster_port_enter(port, 101);
  assert_true(sm_cluster_port_can_take(port));
  assert_ptr_equal(sm_cluster_port_next_held(port, &packet), &third);
  sm_cluster_port_given(port);
  assert_ptr_equal(sm_cluster_port_next_held(port, &packet), &second);
  sm_cluster_port_given(port);
  assert_null(sm_cluster_port_next_held(port, &packet));
  sm_cluster_port_done(port);
  sm_cluster_port_destroy(port);
}

static void a_hit_in_the_cache_is_handed_back_a_cycle_after_its_lookup(void **state) {
  (void)state;
  SmClusterPort *port = make_port("icc_cc");
  MemRequest first = read_of(1, 0), second = read_of(1, 3), third = read_of(1, 4);
  send(port, &first, 10);
  assert_int_equal(sm_cluster_port_ask(port, &second, 20), PORT_TAKEN);
  sm_cluster_port_take(port, (Packet){.request = &first, .sector = SECTOR_ALL}, 100);
  sm_cluster_port_enter(port, 101);
  assert_int_equal(sm_cluster_port_ask(port, &third, 200), PORT_TAKEN);
  assert_int_equal(port->stats.served, 1);
  assert_null(sm_cluster_port_served_front(port, 200));
  assert_ptr_equal(sm_cluster_port_served_front(port, 201), &third);
  sm_cluster_port_destroy(port);
}

// ---- the machine

static MachineStats run(const SmallCase *small, const char *scheme_text_,
                        const CaseOutcomeOptions *how) {
  Case *parsed;
  GpuConfig config;
  Scheme scheme = {0};
  CaseOutcome outcome;
  Error err;
  if (small_case_parse(&parsed, small, &err) != OK ||
      gpu_config_load(&config, "clustered60", &err) != OK ||
      scheme_parse(&scheme, scheme_text_, NULL, &err) != OK)
    fail_msg("%s", err.text);
  scheme_apply(&scheme, &config);
  if (case_outcome_run(&outcome, parsed, &config, how, &err) != OK) fail_msg("%s", err.text);
  case_destroy(parsed);
  return outcome.stats;
}

#define CHASE \
  SMALL_PTX "alloc O 128\nalloc N 8192\nfill N i32 ring 64 32\nlaunch chase 1 1 1 1 1 1 $O $N "

// How long 32 loads take that wait for one another and miss the L1.
static Cycle thirty_two_loads(const char *scheme) {
  static const SmallCase few = {"few", CHASE "i:16\n"}, more = {"more", CHASE "i:48\n"};
  const CaseOutcomeOptions plain = {.gpu.no_skip = false};
  MachineStats short_chain = run(&few, scheme, &plain), chain = run(&more, scheme, &plain);
  assert_int_equal(chain.l1d.misses - short_chain.l1d.misses, 32);
  return chain.cycles - short_chain.cycles;
}

static void a_lookup_costs_a_cycle_out_and_a_cycle_back(void **state) {
  (void)state;
  Cycle none = thirty_two_loads("gto");
  assert_int_equal(thirty_two_loads("gto + icc:lookup_cycles=0"), none);
  assert_int_equal(thirty_two_loads("gto + icc"), none + 2 * 32);
  assert_int_equal(thirty_two_loads("gto + cc"), none + 2 * 32);
  assert_int_equal(thirty_two_loads("gto + icc_cc:lookup_cycles=5"), none + 2 * 5 * 32);
}

static void lookups_pass_in_every_way_of_running(void **state) {
  (void)state;
  static const char *const schemes[] = {"gto + icc", "gto + icc_cc:lookup_cycles=7",
                                        "lrr + cc:lookup_cycles=2 + bypass_all",
                                        "gto + icc_cc:lookup_cycles=3 + next_line:degree=4"};
  static const CaseOutcomeOptions ways[] = {{.gpu.no_skip = true}, {.gpu.threads = 2}};
  for (int i = 0; i < SMALL_CASE_COUNT; i += 3)
    for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++) {
      MachineStats first =
          run(&small_cases[i], schemes[s], &(CaseOutcomeOptions){.gpu.no_skip = false});
      for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        MachineStats again = run(&small_cases[i], schemes[s], &ways[w]);
        assert_memory_equal(&again, &first, sizeof first);
      }
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_global_reads_are_looked_up_before_they_leave),
      cmocka_unit_test(an_answer_is_looked_up_a_cycle_and_given_to_all),
      cmocka_unit_test(a_hit_in_the_cache_is_handed_back_a_cycle_after_its_lookup),
      cmocka_unit_test(a_lookup_costs_a_cycle_out_and_a_cycle_back),
      cmocka_unit_test(lookups_pass_in_every_way_of_running),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
