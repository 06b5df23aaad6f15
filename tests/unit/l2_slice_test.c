// SPDX-License-Identifier: MIT
// One L2 slice cycle by cycle; the test plays the DRAM.
#include "memory/l2_slice.h"

#include "unit/partition_support.h"

typedef struct Bench {
  MemorySide side;
  L2Slice slice;
  Cycle now;
} Bench;

static void bench_start(Bench *bench) {
  Error err = {0};
  bench->now = 0;
  assert_int_equal(l2_slice_init(&bench->slice, &bench->side.partition, &bench->side.l2,
                                 &bench->side.map, 0, &err),
                   OK);
}

static void bench_init(Bench *bench) {
  memory_side_init(&bench->side);
  bench_start(bench);
}

static void bench_clear(Bench *bench) {
  if (bench->slice.cache) {
    const CacheStats *stats = cache_stats_of(bench->slice.cache);
    uint64_t lookups = 0, misses = 0;
    for (int kind = 0; kind < REQUEST_KINDS; kind++) {
      lookups += bench->slice.stats.lookups[kind];
      misses += bench->slice.stats.misses[kind];
    }
    assert_int_equal(stats->accesses, stats->hits + stats->merges + stats->misses);
    assert_int_equal(stats->accesses, lookups);
    assert_int_equal(stats->misses, misses);
  }
  l2_slice_clear(&bench->slice);
  memory_side_clear(&bench->side);
}

static void tick(Bench *bench) {
  l2_slice_tick(&bench->slice, bench->now++);
}

// Accepts in cycle `now` and goes to the end of that cycle.
static void accept(Bench *bench, MemRequest *request) {
  l2_slice_accept(&bench->slice, request, bench->now);
  tick(bench);
}

// The cycle whose tick makes the next reply, which is popped.
static Cycle next_reply(Bench *bench, MemRequest *request, uint8_t sector) {
  for (Cycle limit = bench->now + 1000; bench->slice.replies.count == 0;) {
    assert_true(bench->now < limit);
    tick(bench);
  }
  Packet reply = l2_slice_pop_reply(&bench->slice);
  assert_ptr_equal(reply.request, request);
  assert_int_equal(reply.sector, sector);
  assert_int_equal(reply.destination, 3);
  return bench->now - 1;
}

static Cycle next_dram_request(Bench *bench, DramRequest *request) {
  for (Cycle limit = bench->now + 1000; bench->slice.to_dram.count == 0;) {
    assert_true(bench->now < limit);
    tick(bench);
  }
  *request = dram_ring_pop(&bench->slice.to_dram);
  return bench->now - 1;
}

// Brings all of a request's sectors in and answers it.
static void warm(Bench *bench, MemRequest *request) {
  uint32_t sectors = request->bytes / SECTOR_BYTES;
  accept(bench, request);
  for (uint32_t i = 0; i < sectors; i++) {
    DramRequest fetch;
    next_dram_request(bench, &fetch);
    l2_slice_take_dram(&bench->slice, &fetch);
  }
  for (uint32_t i = 0; i < sectors; i++) next_reply(bench, request, (uint8_t)i);
}

// Arrival + 121 is the first sector's lookup, a cycle each for the others, and
// a hit's reply is there in the cycle of the lookup.
static void a_hit_takes_121_cycles_and_one_for_each_further_sector(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench);
  MemRequest first = make_request(REQUEST_READ, 0, 128), second = first;
  warm(&bench, &first);
  Cycle arrival = bench.now;
  accept(&bench, &second);
  for (uint8_t sector = 0; sector < 4; sector++)
    assert_int_equal(next_reply(&bench, &second, sector), arrival + 121 + sector);
  assert_int_equal(first.served_by, SERVED_BY_DRAM);
  assert_int_equal(second.served_by, SERVED_BY_L2);
  assert_int_equal(cache_stats_of(bench.slice.cache)->accesses, 8);
  assert_true(l2_slice_is_idle(&bench.slice));
  bench_clear(&bench);
}

// Lookup P, on the way to DRAM P + 1; a fill's reply one cycle after the fill.
static void a_miss_leaves_next_cycle_and_its_reply_follows_the_fill(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench);
  MemRequest request = make_request(REQUEST_READ, 96, 32);
  DramRequest fetch;
  accept(&bench, &request);
  assert_int_equal(next_dram_request(&bench, &fetch), 121 + 1);
  assert_ptr_equal(fetch.owner, &request);
  assert_int_equal(fetch.bytes, 32);
  assert_false(fetch.write);
  MemLocation place = memory_side_locate(&bench.side, 96);
  assert_int_equal(fetch.bank, place.bank);
  assert_int_equal(fetch.row, place.row);
  l2_slice_take_dram(&bench.slice, &fetch);
  Cycle fill = bench.now;
  assert_int_equal(next_reply(&bench, &request, 0), fill + 1);
  bench_clear(&bench);
}

static void writes_are_acknowledged_in_their_lookup(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench);
  MemRequest request = make_request(REQUEST_WRITE, 0, 64);
  accept(&bench, &request);
  assert_int_equal(next_reply(&bench, &request, 0), 121);
  assert_int_equal(next_reply(&bench, &request, 1), 122);
  assert_int_equal(bench.slice.to_dram.count, 0);
  MemRequest read = make_request(REQUEST_READ, 0, 64);
  Cycle arrival = bench.now;
  accept(&bench, &read);
  assert_int_equal(next_reply(&bench, &read, 0), arrival + 121);
  bench_clear(&bench);
}

// Upper-half writes of 64 bytes as GPGPU-Sim sees them: partial.
static void upper_halves_can_be_made_partial(void **state) {
  (void)state;
  for (int quirk = 0; quirk < 2; quirk++) {
    Bench bench;
    memory_side_init(&bench.side);
    bench.side.partition.upper_half_writes_partial = quirk;
    bench_start(&bench);
    MemRequest write = make_request(REQUEST_WRITE, 64, 64), read = write;
    read.kind = REQUEST_READ;
    accept(&bench, &write);
    next_reply(&bench, &write, 0), next_reply(&bench, &write, 1);
    accept(&bench, &read);
    for (int i = 0; i < 200; i++) tick(&bench);
    assert_int_equal(bench.slice.to_dram.count, quirk ? 2 : 0);
    bench_clear(&bench);
  }
}

// A fifth request for a sector on its way blocks all behind it until the fill;
// its tries are counted, whether the cycles are made or skipped.
static void a_fifth_request_blocks_the_input(void **state) {
  (void)state;
  for (int skip = 0; skip < 2; skip++) {
    Bench bench;
    bench_init(&bench);
    MemRequest requests[6], other = make_request(REQUEST_READ, slice_line(2), 32);
    for (int i = 0; i < 5; i++) {
      requests[i] = make_request(REQUEST_READ, 0, 32);
      accept(&bench, &requests[i]);
    }
    accept(&bench, &other);
    DramRequest fetch;
    next_dram_request(&bench, &fetch);
    while (bench.now < 200) {
      if (skip && l2_slice_next_event(&bench.slice, bench.now) == NEVER) {
        l2_slice_skip(&bench.slice, 200 - bench.now);
        bench.now = 200;
      } else {
        tick(&bench);
      }
    }
    // Lookups at 121..125; the fifth has failed in 125..199.
    assert_int_equal(cache_stats_of(bench.slice.cache)->fail_merge, 75);
    assert_int_equal(bench.slice.stats.wait_cache, 75);
    assert_int_equal(bench.slice.to_dram.count, 0);
    l2_slice_take_dram(&bench.slice, &fetch);
    // The fifth hits in the cycle of the fill; the four are handed out from the
    // next one on, before that cycle's lookup is done.
    assert_int_equal(next_reply(&bench, &requests[4], 0), 200);
    for (Cycle i = 0; i < 4; i++) assert_int_equal(next_reply(&bench, &requests[i], 0), 201 + i);
    assert_int_equal(bench.slice.to_dram.count, 1);
    bench_clear(&bench);
  }
}

static void packets_wait_outside_when_61_requests_wait_inside(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench);
  static MemRequest blockers[5], others[64];
  for (int i = 0; i < 5; i++) {
    blockers[i] = make_request(REQUEST_READ, 0, 32);
    accept(&bench, &blockers[i]);
  }
  for (int i = 0; i < 64; i++) {
    others[i] = make_request(REQUEST_READ, slice_line(2), 32);
    accept(&bench, &others[i]);
  }
  while (bench.slice.input.count < 60) tick(&bench);
  assert_true(l2_slice_can_accept(&bench.slice));
  tick(&bench);
  assert_int_equal(bench.slice.input.count, 61);
  assert_false(l2_slice_can_accept(&bench.slice));
  for (int i = 0; i < 10; i++) tick(&bench);
  assert_int_equal(bench.slice.input.count, 64);
  assert_int_equal(bench.slice.rop.count, 1);
  bench_clear(&bench);
}

static void a_write_back_takes_the_port_for_its_sectors(void **state) {
  (void)state;
  Bench bench;
  memory_side_init(&bench.side);
  bench.side.l2.sets = bench.side.l2.ways = 1;
  bench_start(&bench);
  MemRequest dirty = make_request(REQUEST_WRITE, 0, 128);
  MemRequest other = make_request(REQUEST_WRITE, slice_line(2), 64);
  accept(&bench, &dirty);
  for (uint8_t sector = 0; sector < 4; sector++) next_reply(&bench, &dirty, sector);
  Cycle arrival = bench.now;
  accept(&bench, &other);
  // 128 bytes at 32 a cycle: the second sector is looked up four cycles later.
  assert_int_equal(next_reply(&bench, &other, 0), arrival + 121);
  assert_int_equal(next_reply(&bench, &other, 1), arrival + 125);
  assert_int_equal(bench.slice.stats.wait_port, 3);
  DramRequest back = dram_ring_pop(&bench.slice.to_dram);
  assert_true(l2_slice_is_write_back(&back));
  assert_true(back.write);
  assert_int_equal(back.bytes, 128);
  bench_clear(&bench);
}

// Five atomics on all words of a sector, 2.5 cycles each: 10 cycles from the first to the last; on
// some of its words one each.
static void atomics_on_whole_sectors_take_longer(void **state) {
  (void)state;
  for (int is_whole = 0; is_whole < 2; is_whole++) {
    Bench bench;
    memory_side_init(&bench.side);
    bench.side.partition.l2_atomic_cycles = 2.5;
    bench_start(&bench);
    l2_slice_warm(&bench.slice, 0, false, false, 0);
    MemRequest atomics[5];
    for (int i = 0; i < 5; i++) {
      atomics[i] = make_request(REQUEST_ATOMIC, 0, 32);
      if (!is_whole) atomics[i].full_sectors = 0;
      l2_slice_accept(&bench.slice, &atomics[i], 0);
    }
    Cycle first = next_reply(&bench, &atomics[0], 0), last = 0;
    for (int i = 1; i < 5; i++) last = next_reply(&bench, &atomics[i], 0);
    assert_int_equal(last - first, is_whole ? 10 : 4);
    bench_clear(&bench);
  }
}

static void a_full_reply_queue_holds_lookups_and_hand_outs(void **state) {
  (void)state;
  Bench bench;
  memory_side_init(&bench.side);
  bench.side.partition.l2_output_queue = 1;
  bench_start(&bench);
  MemRequest request = make_request(REQUEST_WRITE, 0, 128);
  accept(&bench, &request);
  while (bench.now < 130) tick(&bench);
  assert_int_equal(bench.slice.replies.count, 1);
  assert_int_equal(bench.slice.stats.wait_reply_queue, 130 - 122);
  for (uint8_t sector = 0; sector < 4; sector++) next_reply(&bench, &request, sector);
  bench_clear(&bench);
}

static void without_an_l2_all_goes_to_dram_and_back(void **state) {
  (void)state;
  Bench bench;
  memory_side_init(&bench.side);
  bench.side.l2.enabled = false;
  bench_start(&bench);
  MemRequest read = make_request(REQUEST_READ, 0, 64), write = make_request(REQUEST_WRITE, 0, 32);
  accept(&bench, &read);
  accept(&bench, &write);
  for (int i = 0; i < 3; i++) {
    DramRequest request;
    // The input queue's head goes on in the cycle in which it would be looked up.
    assert_int_equal(next_dram_request(&bench, &request), 121 + i);
    assert_int_equal(request.write, i == 2);
    assert_false(l2_slice_is_write_back(&request));
    l2_slice_take_dram(&bench.slice, &request);
  }
  next_reply(&bench, &read, 0);
  next_reply(&bench, &read, 1);
  next_reply(&bench, &write, 0);
  assert_true(l2_slice_is_idle(&bench.slice));
  bench_clear(&bench);
}

static void whole_requests_are_answered_at_once(void **state) {
  (void)state;
  for (int enabled = 0; enabled < 2; enabled++) {
    Bench bench;
    memory_side_init(&bench.side);
    bench.side.partition.split_sectors = false;
    bench.side.l2.sectored = false;
    bench.side.l2.enabled = enabled;
    bench_start(&bench);
    MemRequest read = make_request(REQUEST_READ, 0, 128);
    DramRequest request;
    accept(&bench, &read);
    next_dram_request(&bench, &request);
    assert_int_equal(request.bytes, 128);
    l2_slice_take_dram(&bench.slice, &request);
    next_reply(&bench, &read, SECTOR_ALL);
    assert_true(l2_slice_is_idle(&bench.slice));
    assert_int_equal(bench.slice.stats.pieces, 1);
    bench_clear(&bench);
  }
}

static void the_rop_fifo_grows_with_what_is_there(void **state) {
  (void)state;
  Bench bench;
  memory_side_init(&bench.side);
  bench.side.partition.rop_latency_cycles = 1000;
  bench_start(&bench);
  static MemRequest requests[500];
  for (int i = 0; i < 500; i++) {
    requests[i] = make_request(REQUEST_WRITE, slice_line((uint64_t)i), 32);
    accept(&bench, &requests[i]);
  }
  for (Cycle i = 0; i < 500; i++) {
    Cycle expected = 1001 + i;
    assert_int_equal(next_reply(&bench, &requests[i], 0), expected);
    if (i == 0) assert_int_equal(l2_slice_next_event(&bench.slice, bench.now), bench.now);
  }
  bench_clear(&bench);
}

// An SM of the other half pays for the link until its half has a copy; a store drops that.
static void the_far_half_is_later_until_it_has_a_copy(void **state) {
  (void)state;
  Bench bench;
  memory_side_init(&bench.side);
  bench.side.partition.far_cycles = 50;
  bench.side.partition.far_copies_kb = 64;
  bench_start(&bench);
  bench.slice.upper_sm = 4;
  MemRequest near = make_request(REQUEST_READ, 0, 32), far = near, store = near;
  far.requester.sm = 4;
  store.kind = REQUEST_WRITE;
  store.full_sectors = 1;
  warm(&bench, &near);
  Cycle gaps[4];
  MemRequest *order[] = {&near, &far, &far, &near};
  for (int i = 0; i < 4; i++) {
    Cycle start = bench.now;
    accept(&bench, order[i]);
    gaps[i] = next_reply(&bench, order[i], 0) - start;
  }
  assert_int_equal(gaps[1], gaps[0] + 50);
  assert_int_equal(gaps[2], gaps[0]);
  assert_int_equal(gaps[3], gaps[0]);
  accept(&bench, &store);
  next_reply(&bench, &store, 0);
  Cycle start = bench.now;
  accept(&bench, &far);
  assert_int_equal(next_reply(&bench, &far, 0) - start, gaps[1]);
  assert_int_equal(bench.slice.stats.far, 2);
  // A near request overtakes a far one that came before it.
  accept(&bench, &store);
  next_reply(&bench, &store, 0);
  accept(&bench, &far);
  accept(&bench, &near);
  next_reply(&bench, &near, 0);
  next_reply(&bench, &far, 0);
  bench_clear(&bench);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_hit_takes_121_cycles_and_one_for_each_further_sector),
      cmocka_unit_test(a_miss_leaves_next_cycle_and_its_reply_follows_the_fill),
      cmocka_unit_test(writes_are_acknowledged_in_their_lookup),
      cmocka_unit_test(upper_halves_can_be_made_partial),
      cmocka_unit_test(a_fifth_request_blocks_the_input),
      cmocka_unit_test(packets_wait_outside_when_61_requests_wait_inside),
      cmocka_unit_test(a_write_back_takes_the_port_for_its_sectors),
      cmocka_unit_test(atomics_on_whole_sectors_take_longer),
      cmocka_unit_test(a_full_reply_queue_holds_lookups_and_hand_outs),
      cmocka_unit_test(without_an_l2_all_goes_to_dram_and_back),
      cmocka_unit_test(whole_requests_are_answered_at_once),
      cmocka_unit_test(the_rop_fifo_grows_with_what_is_there),
      cmocka_unit_test(the_far_half_is_later_until_it_has_a_copy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
