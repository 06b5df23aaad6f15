// SPDX-License-Identifier: MIT
// The load/store unit alone. Around it: pools, register banks, a crossbar with one destination,
// where the test takes requests and answers them as the memory would, and a list of the
// instructions whose registers were released.
//
// An instruction enters the latch at the end of cycle 0; its first transaction leaves in cycle 1.
#include "sm/lsu/lsu.h"

#include <string.h>

#include "unit/cmocka_all.h"

enum { L1_LATENCY = 5, SHARED_LATENCY = 8, WARP = 3, RELEASES = 8, LINE_BYTES = 128 };

typedef struct Release {
  const Inflight *inflight;
  Cycle at;
} Release;

typedef struct Rig {
  Lsu lsu;
  SmConfig config;
  CrossbarConfig noc;
  CacheConfig l1d, none;
  Arena arena;
  RequestPool requests;
  InflightPool inflights;
  NetworkPort network;
  Collectors *collectors;
  uint64_t bank_conflicts;
  uint32_t busy_collectors;
  CollectedSets collected;
  Requester requesters[MAX_WARPS_PER_SM];
  Cycle now;
  Release releases[RELEASES];
  uint32_t release_count;
} Rig;

static const IssueInfo load = {
    .unit = UNIT_MEM, .is_load = true, .destination_count = 1, .destination_set = 1};
static const IssueInfo store = {.unit = UNIT_MEM, .is_store = true};
static const IssueInfo atomic = {.unit = UNIT_MEM, .is_load = true, .is_atomic = true};
static const IssueInfo reduction = {.unit = UNIT_MEM, .is_atomic = true};

static void note_release(void *owner, Inflight *inflight) {
  Rig *rig = owner;
  rig->releases[rig->release_count++] = (Release){inflight, rig->now};
}

static uint32_t only_slice(const void *map, uint64_t address) {
  (void)map, (void)address;
  return 0;
}

static void set_defaults(Rig *rig) {
  const ParamSection sections[] = {{"sm", "", sm_params, &rig->config},
                                   {"noc", "", crossbar_params, &rig->noc},
                                   {"l1d", "", cache_params, &rig->l1d},
                                   {0}};
  param_set_defaults(sections);
  rig->config.l1_latency_cycles = L1_LATENCY;
  rig->config.shared_latency_cycles = SHARED_LATENCY;
  rig->config.atomics_stall_warp = true;
  rig->config.response_entries = 2;
}

// Tests may change the configuration in between.
static Rig *rig_new(void) {
  Rig *rig = memory_alloc_aligned(sizeof *rig, 64);
  set_defaults(rig);
  return rig;
}

static void rig_start(Rig *rig) {
  request_pool_init(&rig->requests, &rig->arena, 0, 0);
  inflight_pool_init(&rig->inflights, &rig->arena);
  rig->network = (NetworkPort){
      .noc = &rig->noc, .crossbar = crossbar_create(&rig->noc, 1, 1), .slice_of = only_slice};
  network_port_init(&rig->network);
  CollectorsShared shared = {&rig->bank_conflicts, &rig->busy_collectors, &rig->collected};
  rig->collectors = collectors_create(&rig->arena, &rig->config, 1, 0, &shared);
  for (uint32_t w = 0; w < MAX_WARPS_PER_SM; w++) rig->requesters[w].warp = (uint8_t)w;
  LsuSetup setup = {.config = &rig->config,
                    .l1d = &rig->l1d,
                    .l1c = &rig->none,
                    .l1t = &rig->none,
                    .ports = {.requests = &rig->requests,
                              .inflights = &rig->inflights,
                              .network = &rig->network,
                              .collectors = &rig->collectors,
                              .requesters = rig->requesters,
                              .release = note_release,
                              .owner = rig}};
  Error err = {0};
  assert_int_equal(lsu_init(&rig->lsu, &setup, &err), OK);
}

// Everything that was taken has been given back.
static void rig_end(Rig *rig) {
  assert_int_equal(request_pool_out(&rig->requests), 0);
  assert_int_equal(inflight_pool_out(&rig->inflights), 0);
  lsu_clear(&rig->lsu);
  crossbar_destroy(rig->network.crossbar);
  network_port_clear(&rig->network);
  inflight_pool_clear(&rig->inflights);
  request_pool_clear(&rig->requests);
  arena_clear(&rig->arena);
  memory_free(rig);
}

static void cycle(Rig *rig) {
  rig->now++;
  lsu_write_back(&rig->lsu, rig->now);
  collectors_step(rig->collectors);
  lsu_tick(&rig->lsu, rig->now);
}

static void cycles_until(Rig *rig, Cycle now) {
  while (rig->now < now) cycle(rig);
}

// An instruction with so many transactions of a line each, from a line on, goes into the latch.
static Inflight *begin(Rig *rig, const IssueInfo *info, MemoryPath path, uint32_t count,
                       uint32_t line) {
  Inflight *inflight = inflight_pool_take(&rig->inflights);
  inflight->info = info;
  inflight->warp = WARP;
  inflight->path = (uint8_t)path;
  inflight->issued = rig->now;
  inflight->accesses = memory_resize(inflight->accesses, sizeof(Access) * (count + 1));
  inflight->access_next = 0;
  inflight->access_count = inflight->outstanding = (uint16_t)count;
  for (uint32_t i = 0; i < count; i++)
    inflight->accesses[i] = (Access){.address = (uint64_t)(line + i) * LINE_BYTES,
                                     .bytes = LINE_BYTES,
                                     .touched = 0xf,
                                     .full = 0xf};
  inflight->conflict_cycles = inflight->bank_cycles = 1;
  assert_true(lsu_has_room(&rig->lsu));
  lsu_take(&rig->lsu, inflight);
  return inflight;
}

// What has reached the memory, or NULL; the network goes on for a while.
static MemRequest *next_sent(Rig *rig) {
  for (int i = 0; i < 50; i++) {
    if (crossbar_front(rig->network.crossbar, 0))
      return crossbar_pop(rig->network.crossbar, 0).request;
    crossbar_tick(rig->network.crossbar);
  }
  return NULL;
}

static bool answer(Rig *rig, MemRequest *request, uint8_t sector) {
  return lsu_accept_reply(&rig->lsu, (Packet){.request = request, .sector = sector});
}

// The i-th release was that of an instruction, in that cycle.
static void assert_release(const Rig *rig, uint32_t i, const Inflight *inflight, Cycle at) {
  assert_true(i < rig->release_count);
  assert_ptr_equal(rig->releases[i].inflight, inflight);
  assert_int_equal(rig->releases[i].at, at);
}

// Brings a line into the L1D.
static void fetch_line(Rig *rig, uint32_t line) {
  begin(rig, &load, PATH_L1D, 1, line);
  cycles_until(rig, rig->now + L1_LATENCY + 2);
  assert_true(answer(rig, next_sent(rig), SECTOR_ALL));
  cycles_until(rig, rig->now + 3);
  assert_int_equal(rig->release_count, 1);
  rig->release_count = 0;
  rig->now = 0;
}

// ---- loads

static void a_hit_is_released_in_the_cycle_of_its_lookup(void **state) {
  (void)state;
  Rig *rig = rig_new();
  rig_start(rig);
  fetch_line(rig, 7);
  const Inflight *hit = begin(rig, &load, PATH_L1D, 1, 7);
  assert_int_equal(lsu_next_event(&rig->lsu, 0), 1);
  cycles_until(rig, L1_LATENCY);
  assert_int_equal(rig->release_count, 0);
  assert_int_equal(lsu_next_event(&rig->lsu, rig->now), 1 + L1_LATENCY);
  cycle(rig);
  assert_release(rig, 0, hit, 1 + L1_LATENCY);
  assert_null(next_sent(rig));
  CacheStats l1d = lsu_l1d_stats(&rig->lsu);
  assert_int_equal(l1d.hits, 1);
  assert_int_equal(l1d.misses, 1);
  assert_int_equal(rig->lsu.stats.loads, 2);
  assert_int_equal(rig->lsu.stats.loads_done, 2);
  assert_int_equal(rig->lsu.stats.transactions, 2);
  rig_end(rig);
}

// Looked up, sent in the next cycle; filled by the reply, chosen and written one cycle each.
static void a_miss_is_sent_and_released_two_cycles_after_its_fill(void **state) {
  (void)state;
  Rig *rig = rig_new();
  rig_start(rig);
  const Inflight *miss = begin(rig, &load, PATH_L1D, 1, 7);
  cycles_until(rig, 1 + L1_LATENCY);
  assert_true(crossbar_is_empty(rig->network.crossbar));
  cycle(rig);
  assert_int_equal(lsu_next_event(&rig->lsu, rig->now), NEVER);
  MemRequest *request = next_sent(rig);
  assert_non_null(request);
  assert_int_equal(request->address, 7 * LINE_BYTES);
  assert_int_equal(request->bytes, LINE_BYTES);
  assert_int_equal(request->kind, REQUEST_READ);
  assert_int_equal(request->requester.warp, WARP);
  request->served_by = SERVED_BY_DRAM;
  cycles_until(rig, 100);
  assert_int_equal(rig->release_count, 0);
  for (uint8_t sector = 0; sector < 4; sector++) {
    assert_true(answer(rig, request, sector));
    cycle(rig);  // the last sector fills the line in cycle 104
  }
  assert_int_equal(rig->lsu.stats.dram_reads, 1);
  cycles_until(rig, 120);
  assert_release(rig, 0, miss, 106);
  assert_int_equal(rig->release_count, 1);
  assert_int_equal(rig->lsu.stats.load_latency_cycles, 106);
  rig_end(rig);
}

static void two_misses_of_a_line_are_one_request(void **state) {
  (void)state;
  Rig *rig = rig_new();
  rig_start(rig);
  const Inflight *first = begin(rig, &load, PATH_L1D, 1, 7);
  cycle(rig);
  const Inflight *second = begin(rig, &load, PATH_L1D, 1, 7);
  cycles_until(rig, 20);
  MemRequest *request = next_sent(rig);
  assert_non_null(request);
  assert_null(next_sent(rig));
  assert_int_equal(request_pool_out(&rig->requests), 2);
  assert_true(answer(rig, request, SECTOR_ALL));
  cycles_until(rig, 30);
  assert_release(rig, 0, first, 23);  // the write-back port writes one per cycle
  assert_release(rig, 1, second, 24);
  CacheStats l1d = lsu_l1d_stats(&rig->lsu);
  assert_int_equal(l1d.misses, 1);
  assert_int_equal(l1d.merges, 1);
  rig_end(rig);
}

// A bank that an arithmetic result is written to in this cycle: the result keeps the port.
static void a_result_waits_for_its_register_bank(void **state) {
  (void)state;
  Rig *rig = rig_new();
  rig_start(rig);
  const Inflight *inflight = begin(rig, &load, PATH_SHARED, 0, 0);
  cycles_until(rig, 1 + SHARED_LATENCY);
  rig->collectors->written = collectors_destinations(rig->collectors, inflight);
  cycle(rig);
  assert_int_equal(rig->release_count, 0);
  cycle(rig);
  assert_release(rig, 0, inflight, 3 + SHARED_LATENCY);
  rig_end(rig);
}

// ---- back-pressure

static void a_full_network_returns_the_request_which_is_made_again(void **state) {
  (void)state;
  Rig *rig = rig_new();
  rig->noc.injection_flits = 1;
  rig_start(rig);
  const Inflight *inflight = begin(rig, &load, PATH_BYPASS, 2, 7);
  cycle(rig);
  assert_int_equal(rig->lsu.stats.transactions, 1);
  for (int i = 0; i < 3; i++) {
    cycle(rig);
    assert_int_equal(rig->lsu.stats.transactions, 1);
    assert_int_equal(request_pool_out(&rig->requests), 1);
    assert_false(rig->lsu.signals.did_something);
    assert_int_equal(lsu_busy_reason(&rig->lsu), SLOT_network);
    assert_int_equal(lsu_next_event(&rig->lsu, rig->now), rig->now + 1);
  }
  MemRequest *first = next_sent(rig);
  assert_int_equal(first->address, 7 * LINE_BYTES);
  cycle(rig);
  assert_true(lsu_has_room(&rig->lsu));
  assert_int_equal(rig->lsu.stats.transactions, 2);
  MemRequest *second = next_sent(rig);
  assert_int_equal(second->address, 8 * LINE_BYTES);
  assert_true(answer(rig, first, SECTOR_ALL));
  assert_true(answer(rig, second, SECTOR_ALL));
  cycles_until(rig, 20);
  assert_int_equal(rig->release_count, 1);
  assert_ptr_equal(rig->releases[0].inflight, inflight);
  rig_end(rig);
}

static void a_miss_stays_queued_until_the_network_has_room(void **state) {
  (void)state;
  Rig *rig = rig_new();
  rig->noc.injection_flits = 1;
  rig_start(rig);
  begin(rig, &load, PATH_L1D, 2, 7);
  cycles_until(rig, 20);
  assert_true(rig->lsu.has_misses);
  MemRequest *first = next_sent(rig);
  cycle(rig);
  assert_false(rig->lsu.has_misses);
  MemRequest *second = next_sent(rig);
  assert_int_equal(second->address - first->address, LINE_BYTES);
  assert_true(answer(rig, first, SECTOR_ALL));
  assert_true(answer(rig, second, SECTOR_ALL));
  cycles_until(rig, 40);
  assert_int_equal(rig->release_count, 1);
  rig_end(rig);
}

// Two entries: the third reply waits in the network.
static void replies_are_refused_when_their_queue_is_full(void **state) {
  (void)state;
  Rig *rig = rig_new();
  rig_start(rig);
  begin(rig, &store, PATH_L1D, 1, 7);
  cycles_until(rig, 20);
  MemRequest *request = next_sent(rig);
  assert_true(answer(rig, request, 0));
  assert_true(answer(rig, request, 1));
  assert_false(answer(rig, request, 2));
  assert_true(lsu_has_leftovers(&rig->lsu));
  cycle(rig);
  assert_true(answer(rig, request, 2));
  cycles_until(rig, rig->now + 2);
  assert_true(answer(rig, request, 3));
  cycle(rig);
  assert_false(lsu_has_leftovers(&rig->lsu));
  rig_end(rig);
}

// ---- stores and atomics

static void a_store_is_acknowledged_sector_by_sector(void **state) {
  (void)state;
  Rig *rig = rig_new();
  rig_start(rig);
  const Inflight *inflight = begin(rig, &store, PATH_L1D, 1, 7);
  cycle(rig);
  assert_release(rig, 0, inflight, 1);  // it writes no register: the warp goes on
  assert_int_equal(rig->lsu.stores[WARP], 4);
  cycles_until(rig, 20);
  MemRequest *request = next_sent(rig);
  assert_int_equal(request->kind, REQUEST_WRITE);
  for (uint8_t sector = 0; sector < 4; sector++) {
    assert_true(answer(rig, request, sector));
    assert_int_equal(rig->lsu.signals.returned, 0);
    cycle(rig);
    assert_int_equal(rig->lsu.stores[WARP], 3 - sector);
    assert_int_equal(rig->lsu.signals.returned, 1u << WARP);
    cycle(rig);
  }
  assert_int_equal(rig->lsu.stats.stores, 1);
  rig_end(rig);
}

// Where warps do not wait for their stores, another may be in the slot by then.
static void acknowledgements_of_a_predecessor_do_not_count(void **state) {
  (void)state;
  Rig *rig = rig_new();
  rig_start(rig);
  begin(rig, &store, PATH_L1D, 1, 7);
  cycles_until(rig, 20);
  MemRequest *request = next_sent(rig);
  rig->requesters[WARP].cta = 1;
  lsu_begin_warp(&rig->lsu, WARP);
  assert_true(answer(rig, request, SECTOR_ALL));
  cycle(rig);
  assert_int_equal(rig->lsu.stores[WARP], 0);
  assert_int_equal(rig->lsu.signals.returned, 0);
  rig_end(rig);
}

// The warp may go on when the last transaction has been chosen for write-back.
static void an_atomic_ends_with_its_last_answer(void **state) {
  (void)state;
  Rig *rig = rig_new();
  rig_start(rig);
  const Inflight *inflight = begin(rig, &atomic, PATH_BYPASS, 2, 7);
  assert_true(lsu_await_atomic(&rig->lsu, inflight));
  assert_int_equal(rig->lsu.atomics[WARP], 2);
  cycles_until(rig, 10);
  MemRequest *first = next_sent(rig), *second = next_sent(rig);
  assert_int_equal(first->kind, REQUEST_ATOMIC);
  assert_true(answer(rig, first, SECTOR_ALL));
  cycles_until(rig, 12);
  assert_int_equal(rig->lsu.atomics[WARP], 1);
  assert_int_equal(rig->lsu.signals.returned, 1u << WARP);
  assert_int_equal(rig->lsu.signals.atomics_over, 0);
  cycles_until(rig, 20);
  assert_int_equal(rig->release_count, 0);
  assert_true(answer(rig, second, SECTOR_ALL));
  cycles_until(rig, 21);
  assert_int_equal(rig->lsu.signals.atomics_over, 0);
  cycle(rig);
  assert_int_equal(rig->lsu.signals.atomics_over, 1u << WARP);
  cycle(rig);
  assert_int_equal(rig->lsu.signals.atomics_over, 0);
  assert_release(rig, 0, inflight, 23);
  assert_int_equal(rig->lsu.stats.atomics, 1);
  assert_int_equal(rig->lsu.stats.transactions, 2);
  rig_end(rig);
}

// Without a result: its loop of 6 cycles begins in cycle 1.
static void an_atomic_on_shared_memory_ends_after_its_loop(void **state) {
  (void)state;
  Rig *rig = rig_new();
  rig->config.shared_atomics = SHARED_ATOMICS_NATIVE;
  rig_start(rig);
  Inflight *inflight = begin(rig, &reduction, PATH_SHARED, 0, 0);
  inflight->loop_cycles = 6;
  MemoryAccess access = {.mask = 1};
  lsu_await_shared_atomic(&rig->lsu, inflight, &access, 0);
  cycle(rig);
  assert_true(lsu_has_room(&rig->lsu));
  assert_int_equal(lsu_next_event(&rig->lsu, rig->now), 7);
  cycles_until(rig, 6);
  assert_int_equal(rig->lsu.signals.atomics_over, 0);
  cycle(rig);
  assert_int_equal(rig->lsu.signals.atomics_over, 1u << WARP);
  assert_release(rig, 0, inflight, 7);
  assert_int_equal(rig->lsu.stats.shared_atomics, 1);
  rig_end(rig);
}

// ---- shared memory

static Cycle shared_release(uint16_t bank_cycles, uint64_t *conflicts) {
  Rig *rig = rig_new();
  rig_start(rig);
  Inflight *inflight = inflight_pool_take(&rig->inflights);
  *inflight = (Inflight){.info = &load,
                         .path = PATH_SHARED,
                         .conflict_cycles = bank_cycles,
                         .bank_cycles = bank_cycles};
  lsu_take(&rig->lsu, inflight);
  for (uint16_t i = 1; i < bank_cycles; i++) {
    cycle(rig);
    assert_false(lsu_has_room(&rig->lsu));
    assert_true(lsu_has_conflicts(&rig->lsu));
    assert_int_equal(lsu_busy_reason(&rig->lsu), SLOT_bank_conflict);
  }
  cycle(rig);
  assert_true(lsu_has_room(&rig->lsu));
  cycles_until(rig, 50);
  assert_int_equal(rig->release_count, 1);
  *conflicts = rig->lsu.stats.shared_conflict_cycles;
  assert_int_equal(rig->lsu.stats.shared_accesses, 1);
  Cycle at = rig->releases[0].at;
  rig_end(rig);
  return at;
}

// The latency, then one cycle in the latch and one at the write-back port.
static void bank_conflicts_of_shared_memory_keep_the_latch(void **state) {
  (void)state;
  uint64_t conflicts;
  assert_int_equal(shared_release(1, &conflicts), SHARED_LATENCY + 2);
  assert_int_equal(conflicts, 0);
  assert_int_equal(shared_release(4, &conflicts), SHARED_LATENCY + 2 + 3);
  assert_int_equal(conflicts, 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_hit_is_released_in_the_cycle_of_its_lookup),
      cmocka_unit_test(a_miss_is_sent_and_released_two_cycles_after_its_fill),
      cmocka_unit_test(two_misses_of_a_line_are_one_request),
      cmocka_unit_test(a_result_waits_for_its_register_bank),
      cmocka_unit_test(a_full_network_returns_the_request_which_is_made_again),
      cmocka_unit_test(a_miss_stays_queued_until_the_network_has_room),
      cmocka_unit_test(replies_are_refused_when_their_queue_is_full),
      cmocka_unit_test(a_store_is_acknowledged_sector_by_sector),
      cmocka_unit_test(acknowledgements_of_a_predecessor_do_not_count),
      cmocka_unit_test(an_atomic_ends_with_its_last_answer),
      cmocka_unit_test(an_atomic_on_shared_memory_ends_after_its_loop),
      cmocka_unit_test(bank_conflicts_of_shared_memory_keep_the_latch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
