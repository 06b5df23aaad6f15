// SPDX-License-Identifier: MIT
// A partition with its DRAM, both clocks driven as the machine drives them: the
// DRAM's 924 MHz against 700 MHz of cores and L2, ticks before the L2's cycle.
#include "memory/partition.h"

#include "unit/partition_support.h"

enum { CORE_MHZ = 700, DRAM_MHZ = 924 };

typedef struct Bench {
  MemorySide side;
  Partition *partition;
  Cycle now;         // core cycles completed
  Cycle dram_ticks;  // DRAM ticks made
  bool skip;
  Cycle skipped;
} Bench;

static void bench_start(Bench *bench) {
  Error err = {0};
  bench->now = bench->dram_ticks = bench->skipped = 0;
  bench->skip = false;
  Status status = partition_create(&bench->partition, &bench->side.partition, &bench->side.l2,
                                   &bench->side.dram, SLICES, &bench->side.map, &err);
  if (status != OK) fail_msg("%s", err.text);
}

static void bench_init(Bench *bench) {
  memory_side_init(&bench->side);
  bench_start(bench);
}

static void bench_clear(Bench *bench) {
  partition_destroy(bench->partition);
  memory_side_clear(&bench->side);
}

// Tick k of the DRAM is due at k / 924 us, core cycle c at c / 700 us. Where
// both fall together the tick comes second: GPGPU-Sim adds periods up in
// floating point, and its DRAM is late by the rounding.
static Cycle ticks_until(Cycle core_cycle) {
  return (core_cycle * DRAM_MHZ + CORE_MHZ - 1) / CORE_MHZ;
}

static Cycle cycle_of_tick(Cycle tick) {
  return tick * CORE_MHZ / DRAM_MHZ + 1;
}

static void make_dram_ticks(Bench *bench) {
  for (; bench->dram_ticks < ticks_until(bench->now); bench->dram_ticks++)
    partition_dram_tick(bench->partition, bench->now);
}

// What the machine does before it accepts packets, and behind that.
static void cycle_begin(Bench *bench) {
  make_dram_ticks(bench);
}

static void cycle_end(Bench *bench) {
  partition_l2_tick(bench->partition, bench->now++);
}

static void cycle(Bench *bench) {
  cycle_begin(bench);
  cycle_end(bench);
}

// Leaves out the cycles before `limit` in which nothing can happen.
static void skip_to(Bench *bench, Cycle limit) {
  Cycle target = partition_next_event(bench->partition, bench->now);
  Cycle ticks = partition_next_dram_event(bench->partition, bench->now);
  if (ticks != NEVER) target = cycle_earlier(target, cycle_of_tick(bench->dram_ticks + ticks));
  target = cycle_earlier(target, limit);
  if (target <= bench->now) return;
  bench->skipped += target - bench->now;
  partition_skip(bench->partition, target - bench->now);
  Cycle due = ticks_until(target - 1);
  partition_dram_skip(bench->partition, due - bench->dram_ticks);
  bench->dram_ticks = due;
  bench->now = target;
}

static void accept_at(Bench *bench, Cycle when, uint32_t slice, MemRequest *request) {
  while (bench->now < when) cycle(bench);
  cycle_begin(bench);
  assert_true(partition_can_accept(bench->partition, slice));
  partition_accept(bench->partition, slice, (Packet){.request = request}, bench->now);
  cycle_end(bench);
}

// The cycle in which the next reply of a slice enters its queue.
static Cycle next_reply(Bench *bench, uint32_t slice, uint8_t *sector) {
  for (Cycle limit = bench->now + 5000; !partition_reply_front(bench->partition, slice);) {
    assert_true(bench->now < limit);
    cycle(bench);
  }
  assert_true(partition_reply_mask(bench->partition) >> slice & 1);
  *sector = partition_reply_pop(bench->partition, slice).sector;
  return bench->now - 1;
}

static void expect_replies(Bench *bench, uint32_t slice, const Cycle *cycles, int count) {
  for (int i = 0; i < count; i++) {
    uint8_t sector;
    assert_int_equal(next_reply(bench, slice, &sector), cycles[i]);
    assert_int_equal(sector, i);
  }
}

// The first instruction line of a run: at the slice in cycle 8, looked up from
// 8 + 121 = 129 on, in the DRAM FIFO 131, bank closed: filled in 251, 253, 255
// and 257, in the reply queue one cycle later.
static void the_first_code_line_arrives_as_it_was_seen_to(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench);
  MemRequest code = make_request(REQUEST_INSTRUCTION, 0xf0000000, 128);
  uint32_t slice = memory_side_locate(&bench.side, code.address).slice % SLICES;
  accept_at(&bench, 8, slice, &code);
  static const Cycle cycles[] = {252, 254, 256, 258};
  expect_replies(&bench, slice, cycles, 4);
  assert_true(partition_has_answered(bench.partition));
  assert_true(partition_is_idle(bench.partition));
  assert_int_equal(partition_dram_stats(bench.partition)->reads, 4);
  assert_int_equal(partition_dram_stats(bench.partition)->activates, 1);
  assert_int_equal(partition_slice_stats(bench.partition, slice)->misses[REQUEST_INSTRUCTION], 4);
  bench_clear(&bench);
}

static Cycle first_sector_gap(Bench *bench, Cycle when, uint64_t address) {
  MemRequest request = make_request(REQUEST_READ, address, 32);
  uint32_t slice = memory_side_locate(&bench->side, address).slice % SLICES;
  uint8_t sector;
  accept_at(bench, when, slice, &request);
  return next_reply(bench, slice, &sector) - when;
}

// Arrival, +121 lookup P, P+2 FIFO, +100, 26 / 14 / 38 ticks = 19.7 / 10.6 /
// 28.8 cycles, fill, +1 reply: P + 123 / 114 / 132, one less or more by phase.
static void closed_open_and_conflicting_rows_differ_by_their_commands(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench);
  uint64_t same_row = slice_line(4), other_row = slice_line(4) + ((uint64_t)6 << 16);
  assert_in_range(first_sector_gap(&bench, 10, slice_line(0)), 121 + 122, 121 + 124);
  assert_in_range(first_sector_gap(&bench, 1010, same_row), 121 + 113, 121 + 115);
  assert_in_range(first_sector_gap(&bench, 2010, other_row), 121 + 131, 121 + 133);
  assert_in_range(first_sector_gap(&bench, 3010, other_row + 32), 121 + 113, 121 + 115);
  const DramStats *stats = partition_dram_stats(bench.partition);
  assert_int_equal(stats->activates, 2);
  assert_int_equal(stats->precharges, 1);
  assert_int_equal(stats->ticks, ticks_until(bench.now - 1));
  bench_clear(&bench);
}

static void an_idle_hit_takes_121_cycles(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench);
  first_sector_gap(&bench, 0, slice_line(0));
  assert_int_equal(first_sector_gap(&bench, 500, slice_line(0)), 121);
  bench_clear(&bench);
}

static void write_backs_end_in_the_dram(void **state) {
  (void)state;
  Bench bench;
  memory_side_init(&bench.side);
  bench.side.l2.sets = bench.side.l2.ways = 1;
  bench_start(&bench);
  MemRequest one = make_request(REQUEST_WRITE, slice_line(0), 128);
  MemRequest two = make_request(REQUEST_WRITE, slice_line(2), 32);
  uint8_t sector;
  accept_at(&bench, 0, 0, &one);
  for (int i = 0; i < 4; i++) next_reply(&bench, 0, &sector);
  accept_at(&bench, 300, 0, &two);
  next_reply(&bench, 0, &sector);
  // The kernel need not wait for it; it goes on nevertheless.
  assert_true(partition_has_answered(bench.partition));
  assert_false(partition_is_idle(bench.partition));
  while (!partition_is_idle(bench.partition) && bench.now < 2000) cycle(&bench);
  assert_true(partition_is_idle(bench.partition));
  assert_int_equal(partition_dram_stats(bench.partition)->writes, 2);  // 128 bytes, 64 a command
  assert_int_equal(partition_reply_mask(bench.partition), 0);
  partition_flush(bench.partition);
  assert_int_equal(partition_l2_stats(bench.partition, 0)->write_backs, 2);
  bench_clear(&bench);
}

static void the_slices_take_turns(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench);
  MemRequest left = make_request(REQUEST_READ, 0, 128);
  MemRequest right = make_request(REQUEST_READ, 6 * 256, 128);
  assert_int_equal(memory_side_locate(&bench.side, right.address).slice, 1);
  cycle_begin(&bench);
  partition_accept(bench.partition, 0, (Packet){.request = &left}, 0);
  partition_accept(bench.partition, 1, (Packet){.request = &right}, 0);
  cycle_end(&bench);
  // A request of each slice in turn goes to its bank; the banks are of different
  // groups. The second is activated tRRD = 6 ticks later, and its last column
  // command follows 9 ticks after its first: 6 + 9 ticks or 11 cycles behind the
  // first sector, and a few for the data bus.
  uint8_t sector;
  Cycle last_left = 0, last_right = 0;
  for (int i = 0; i < 4; i++) last_left = next_reply(&bench, 0, &sector);
  for (int i = 0; i < 4; i++) last_right = next_reply(&bench, 1, &sector);
  assert_in_range(last_left, 121 + 129, 121 + 133);
  assert_in_range(last_right, 121 + 123 + 11, 121 + 123 + 15);
  assert_int_equal(partition_stats_of(bench.partition)->dram_requests, 8);
  bench_clear(&bench);
}

static void replies_have_a_size(void **state) {
  (void)state;
  MemRequest read = make_request(REQUEST_READ, 0, 128), write = make_request(REQUEST_WRITE, 0, 128);
  MemRequest atomic = make_request(REQUEST_ATOMIC, 0, 32);
  assert_int_equal(partition_reply_bytes(&(Packet){.request = &read, .sector = 2}, 8), 40);
  assert_int_equal(partition_reply_bytes(&(Packet){.request = &read, .sector = SECTOR_ALL}, 8),
                   136);
  assert_int_equal(partition_reply_bytes(&(Packet){.request = &write}, 8), 8);
  assert_int_equal(partition_reply_bytes(&(Packet){.request = &atomic}, 8), 40);
}

// Random traffic with pauses. Returns a hash of who was answered when.
enum { TRAFFIC = 2000 };

typedef struct Traffic {
  MemRequest requests[TRAFFIC];
  uint32_t answers[TRAFFIC];
  Cycle when[TRAFFIC];
  uint32_t slice[TRAFFIC];
  uint64_t random;
} Traffic;

static uint32_t draw(Traffic *traffic, uint32_t below) {
  traffic->random = traffic->random * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((traffic->random >> 33) % below);
}

static void make_traffic(Traffic *traffic, uint64_t seed, const MemorySide *side) {
  Cycle when = 1;
  memset(traffic, 0, sizeof *traffic);
  traffic->random = seed;
  for (uint32_t i = 0; i < TRAFFIC; i++) {
    static const uint16_t sizes[] = {32, 64, 128};
    uint16_t bytes = sizes[draw(traffic, 3)];
    uint64_t line = slice_line(draw(traffic, 300)) + draw(traffic, 2) * 6 * 256;
    RequestKind kind = draw(traffic, 3)   ? REQUEST_READ
                       : draw(traffic, 4) ? REQUEST_WRITE
                                          : REQUEST_ATOMIC;
    traffic->requests[i] =
        make_request(kind, line + draw(traffic, 128u / bytes) * (uint64_t)bytes, bytes);
    if (draw(traffic, 4) == 0) traffic->requests[i].full_sectors = 0;
    traffic->requests[i].index = i;
    traffic->slice[i] = memory_side_locate(side, line).slice % SLICES;
    traffic->when[i] = when;
    when += draw(traffic, 50) ? draw(traffic, 8) : draw(traffic, 2000);
  }
}

static uint64_t collect(Bench *bench, Traffic *traffic, uint64_t hash, uint32_t *left) {
  for (uint32_t slice = 0; slice < SLICES; slice++) {
    if (!partition_reply_front(bench->partition, slice)) continue;
    Packet reply = partition_reply_pop(bench->partition, slice);
    uint32_t index = reply.request->index;
    uint32_t sectors = reply.request->bytes / SECTOR_BYTES;
    uint32_t answered = reply.sector == SECTOR_ALL ? (1u << sectors) - 1 : 1u << reply.sector;
    assert_int_equal(traffic->answers[index] & answered, 0);  // each once
    traffic->answers[index] |= answered;
    *left -= (uint32_t)__builtin_popcount(answered);
    hash = (hash ^ (bench->now * 4096 + index) ^ ((uint64_t)answered << 40)) * 0x100000001b3u;
  }
  return hash;
}

static uint64_t run_traffic(Bench *bench, Traffic *traffic) {
  uint32_t next = 0, left = 0;
  uint64_t hash = 0xcbf29ce484222325u;
  for (uint32_t i = 0; i < TRAFFIC; i++) left += traffic->requests[i].bytes / SECTOR_BYTES;
  while (left || !partition_is_idle(bench->partition)) {
    assert_true(bench->now < 1000000);
    hash = collect(bench, traffic, hash, &left);
    cycle_begin(bench);
    bool due = next < TRAFFIC && traffic->when[next] <= bench->now;
    if (due && partition_can_accept(bench->partition, traffic->slice[next])) {
      Packet packet = {.request = &traffic->requests[next]};
      partition_accept(bench->partition, traffic->slice[next++], packet, bench->now);
    }
    cycle_end(bench);
    if (bench->skip && (next == TRAFFIC || traffic->when[next] > bench->now))
      skip_to(bench, next < TRAFFIC ? traffic->when[next] : NEVER);
  }
  return hash;
}

static void check_identities(Bench *bench) {
  for (uint32_t slice = 0; slice < SLICES; slice++) {
    const L2SliceStats *stats = partition_slice_stats(bench->partition, slice);
    const CacheStats *cache = partition_l2_stats(bench->partition, slice);
    assert_int_equal(stats->pieces, stats->replies);
    if (!cache) continue;
    assert_int_equal(cache->accesses, cache->hits + cache->merges + cache->misses);
    assert_int_equal(cache->accesses, stats->pieces);
  }
}

static void expect_same_stats(const Bench *one, const Bench *other) {
  for (uint32_t slice = 0; slice < SLICES; slice++) {
    const CacheStats *caches[] = {partition_l2_stats(one->partition, slice),
                                  partition_l2_stats(other->partition, slice)};
    assert_memory_equal(partition_slice_stats(one->partition, slice),
                        partition_slice_stats(other->partition, slice), sizeof(L2SliceStats));
    if (caches[0]) assert_memory_equal(caches[0], caches[1], sizeof(CacheStats));
  }
  assert_memory_equal(partition_stats_of(one->partition), partition_stats_of(other->partition),
                      sizeof(PartitionStats));
  DramStats drams[] = {*partition_dram_stats(one->partition),
                       *partition_dram_stats(other->partition)};
  // Both stop when the last write-back is done, one of them perhaps a jump later.
  drams[0].ticks = drams[1].ticks = 0;
  assert_memory_equal(&drams[0], &drams[1], sizeof(DramStats));
}

static void skipping_changes_no_reply_and_no_count(void **state) {
  (void)state;
  static Traffic traffic;
  Bench benches[2];
  uint64_t hashes[2];
  for (int skip = 0; skip < 2; skip++) {
    bench_init(&benches[skip]);
    make_traffic(&traffic, 7, &benches[skip].side);
    benches[skip].skip = skip;
    hashes[skip] = run_traffic(&benches[skip], &traffic);
    check_identities(&benches[skip]);
  }
  assert_int_equal(hashes[0], hashes[1]);
  assert_true(benches[1].skipped > 10000);
  expect_same_stats(&benches[0], &benches[1]);
  for (int skip = 0; skip < 2; skip++) bench_clear(&benches[skip]);
}

// Whatever is small, slow or missing: every sector is answered once.
static void vary(MemorySide *side, Traffic *dice) {
  PartitionConfig *partition = &side->partition;
  partition->rop_latency_cycles = draw(dice, 50);
  partition->l2_input_queue = 1 + draw(dice, 8);
  partition->l2_output_queue = 1 + draw(dice, 4);
  partition->l2_to_dram_queue = 1 + draw(dice, 4);
  partition->dram_to_l2_queue = 1 + draw(dice, 4);
  partition->dram_latency_cycles = draw(dice, 50);
  partition->dram_shared_credits = draw(dice, 3);
  partition->dram_private_credits = 1 + draw(dice, 2);
  side->l2.enabled = draw(dice, 8) != 0;
  side->l2.sets = 1 + draw(dice, 5);
  side->l2.ways = 1 + draw(dice, 3);
  side->l2.line_bytes = 32u << draw(dice, 4);
  side->l2.sectored = draw(dice, 2);
  partition->split_sectors = side->l2.sectored || draw(dice, 2);
  side->l2.mshrs = 1 + draw(dice, 4);
  side->l2.mshr_merges = 1 + draw(dice, 4);
  side->l2.miss_queue_reserve = draw(dice, 2);
  side->l2.miss_queue = side->l2.miss_queue_reserve + 1 + draw(dice, 3);
  side->l2.write_policy = draw(dice, 2) ? WRITE_BACK : WRITE_THROUGH;
  side->l2.write_allocate = draw(dice, side->l2.write_policy == WRITE_BACK ? 3 : 1);
  if (side->l2.write_policy == WRITE_THROUGH) {
    side->l2.allocate = draw(dice, 3);
    if (side->l2.allocate == ALLOCATE_ON_MISS && draw(dice, 2))
      side->l2.write_allocate = WRITE_ALLOCATE_LAZY;
  }
  side->dram.queue_entries = 1 + draw(dice, 4);
  side->dram.return_entries = 1 + draw(dice, 4);
}

static void odd_machines_answer_every_sector_once(void **state) {
  (void)state;
  static Traffic traffic, dice;
  dice.random = 11;
  for (int i = 0; i < 40; i++) {
    Bench benches[2];
    uint64_t hashes[2], seed = draw(&dice, 1000);
    memory_side_init(&benches[0].side);
    vary(&benches[0].side, &dice);
    memory_side_init(&benches[1].side);
    AddressMap map = benches[1].side.map;
    benches[1].side = benches[0].side;
    benches[1].side.map = map;
    for (int skip = 0; skip < 2; skip++) {
      bench_start(&benches[skip]);
      benches[skip].skip = skip;
      make_traffic(&traffic, seed, &benches[skip].side);
      hashes[skip] = run_traffic(&benches[skip], &traffic);
      check_identities(&benches[skip]);
    }
    assert_int_equal(hashes[0], hashes[1]);
    expect_same_stats(&benches[0], &benches[1]);
    for (int skip = 0; skip < 2; skip++) bench_clear(&benches[skip]);
  }
}

static void what_cannot_work_is_refused(void **state) {
  (void)state;
  MemorySide side;
  Partition *partition;
  Error err = {0};
  memory_side_init(&side);
  side.partition.dram_shared_credits = side.partition.dram_private_credits = 0;
  assert_int_equal(
      partition_create(&partition, &side.partition, &side.l2, &side.dram, SLICES, &side.map, &err),
      ERR_CONFIG);
  assert_non_null(strstr(err.text, "credits"));
  side.partition.dram_private_credits = 1;
  side.partition.split_sectors = false;
  assert_int_equal(
      partition_create(&partition, &side.partition, &side.l2, &side.dram, SLICES, &side.map, &err),
      ERR_CONFIG);
  assert_non_null(strstr(err.text, "split_sectors"));
  assert_int_equal(
      partition_create(&partition, &side.partition, &side.l2, &side.dram, 33, &side.map, &err),
      ERR_CONFIG);
  assert_null(partition);
  memory_side_clear(&side);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_code_line_arrives_as_it_was_seen_to),
      cmocka_unit_test(closed_open_and_conflicting_rows_differ_by_their_commands),
      cmocka_unit_test(an_idle_hit_takes_121_cycles),
      cmocka_unit_test(write_backs_end_in_the_dram),
      cmocka_unit_test(the_slices_take_turns),
      cmocka_unit_test(replies_have_a_size),
      cmocka_unit_test(skipping_changes_no_reply_and_no_count),
      cmocka_unit_test(odd_machines_answer_every_sector_once),
      cmocka_unit_test(what_cannot_work_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
