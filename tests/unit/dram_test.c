// SPDX-License-Identifier: MIT
// Gaps are those of the GTX 480's memory, in ticks of its command clock: the
// defaults of the configuration.
#include "memory/dram/dram.h"

#include <stdio.h>
#include <string.h>

#include "unit/cmocka_all.h"
#include "unit/dram_reference.h"

static DramConfig default_config(void) {
  DramConfig config;
  ParamSection sections[] = {
      {.name = "dram", .summary = "", .params = dram_params, .values = &config}, {0}};
  memset(&config, 0, sizeof config);
  param_set_defaults(sections);
  return config;
}

static Dram *create(const DramConfig *config) {
  Dram *dram;
  Error err;
  assert_int_equal(dram_create(&dram, config, &err), OK);
  return dram;
}

static Dram *create_default(void) {
  DramConfig config = default_config();
  return create(&config);
}

static void ask(Dram *dram, uint32_t tag, uint32_t bank, uint32_t row, uint32_t bytes, bool write) {
  dram_accept(
      dram,
      (DramRequest){
          .tag = tag, .bank = (uint8_t)bank, .row = row, .bytes = (uint16_t)bytes, .write = write});
}

// Ticks until the next answer can be popped, pops it. What is accepted after
// tick p and popped before tick p + n has taken n: n - 1 ticks lie between.
static uint32_t ticks_to_pop(Dram *dram, uint32_t tag) {
  uint32_t ticks = 1;
  while (!dram_front(dram)) {
    assert_true(ticks++ < 1000);
    dram_tick(dram);
  }
  assert_int_equal(dram_pop(dram).tag, tag);
  return ticks;
}

static void wait_ticks(Dram *dram, uint32_t ticks) {
  while (ticks--) dram_tick(dram);
}

static void a_read_takes_14_ticks_open_26_closed_38_in_conflict(void **state) {
  (void)state;
  Dram *dram = create_default();
  ask(dram, 1, 3, 7, 32, false);
  assert_int_equal(ticks_to_pop(dram, 1), 26);  // 1 + RCD 12 + CL 12 + 1
  wait_ticks(dram, 50);
  ask(dram, 2, 3, 7, 32, false);
  assert_int_equal(ticks_to_pop(dram, 2), 14);  // 1 + CL 12 + 1
  wait_ticks(dram, 50);
  ask(dram, 3, 3, 8, 32, false);
  assert_int_equal(ticks_to_pop(dram, 3), 38);  // 1 + RP 12 + RCD 12 + CL 12 + 1
  assert_true(dram_is_idle(dram));
  const DramStats *stats = dram_stats_of(dram);
  assert_int_equal(stats->reads, 3);
  assert_int_equal(stats->writes, 0);
  assert_int_equal(stats->activates, 2);
  assert_int_equal(stats->precharges, 1);
  assert_int_equal(stats->row_hits, 1);
  assert_int_equal(stats->row_misses, 2);
  assert_int_equal(stats->busy_ticks, 6);
  dram_destroy(dram);
}

static void sectors_of_one_row_come_every_third_tick(void **state) {
  (void)state;
  Dram *dram = create_default();
  for (uint32_t i = 0; i < 4; i++) ask(dram, i, 0, 0, 32, false);
  assert_int_equal(ticks_to_pop(dram, 0), 26);
  for (uint32_t i = 1; i < 4; i++) assert_int_equal(ticks_to_pop(dram, i), 1 + 3);  // CCDL
  dram_destroy(dram);
}

static void open_rows_of_two_groups_share_the_bus_at_two_ticks(void **state) {
  (void)state;
  Dram *dram = create_default();
  ask(dram, 0, 0, 0, 32, false);
  ask(dram, 0, 1, 0, 32, false);
  ticks_to_pop(dram, 0);
  ticks_to_pop(dram, 0);
  wait_ticks(dram, 50);
  // Banks 0 and 1 are in different groups: CCD 2 between them, and CCDL 3 in
  // each is over when its turn comes.
  for (uint32_t i = 0; i < 6; i++) ask(dram, i, i % 2, 0, 32, false);
  dram_tick(dram);
  bool seen[6] = {false};
  uint32_t last = 0;
  for (uint32_t i = 0, tick = 1; i < 6; tick++, dram_tick(dram)) {
    assert_true(tick < 100);
    if (!dram_front(dram)) continue;
    seen[dram_pop(dram).tag] = true;
    if (i++) assert_int_equal(tick - last, 2);
    last = tick;
  }
  for (int i = 0; i < 6; i++) assert_true(seen[i]);
  dram_destroy(dram);
}

static void openings_of_banks_are_rrd_apart(void **state) {
  (void)state;
  Dram *dram = create_default();
  for (uint32_t i = 0; i < 3; i++) ask(dram, i, i, 5, 32, false);
  assert_int_equal(ticks_to_pop(dram, 0), 26);
  assert_int_equal(ticks_to_pop(dram, 1), 1 + 6);
  assert_int_equal(ticks_to_pop(dram, 2), 1 + 6);
  dram_destroy(dram);
}

static void a_row_stays_open_for_ras_and_its_bank_opens_once_in_rc(void **state) {
  (void)state;
  Dram *dram = create_default();
  ask(dram, 0, 0, 0, 32, false);
  ask(dram, 1, 0, 1, 32, false);
  // Opened in tick 1, read in 13; closed in 1 + RAS 28, opened in 1 + RC 40,
  // read in 53, arrives in 65, popped before 66.
  assert_int_equal(ticks_to_pop(dram, 0), 26);
  assert_int_equal(ticks_to_pop(dram, 1), 66 - 26 + 1);
  dram_destroy(dram);
}

static void a_write_of_128_bytes_is_two_commands(void **state) {
  (void)state;
  Dram *dram = create_default();
  ask(dram, 1, 0, 0, 128, true);
  // Opened in tick 1, written in 1 + 7 and 3 later, WL 4: arrives in 15.
  assert_int_equal(ticks_to_pop(dram, 1), 16);
  assert_int_equal(dram_stats_of(dram)->writes, 2);
  assert_int_equal(dram_stats_of(dram)->busy_ticks, 4);
  wait_ticks(dram, 50);
  ask(dram, 2, 0, 0, 32, true);
  assert_int_equal(ticks_to_pop(dram, 2), 6);  // 1 + WL 4 + 1
  assert_int_equal(dram_stats_of(dram)->writes, 3);
  dram_destroy(dram);
}

static void reads_and_writes_keep_their_distance(void **state) {
  (void)state;
  Dram *dram = create_default();
  ask(dram, 0, 0, 0, 32, false);
  ticks_to_pop(dram, 0);
  wait_ticks(dram, 50);
  ask(dram, 1, 0, 0, 32, false);
  ask(dram, 2, 0, 0, 32, true);
  ask(dram, 3, 0, 0, 32, false);
  assert_int_equal(ticks_to_pop(dram, 1), 14);          // read in tick 1
  assert_int_equal(ticks_to_pop(dram, 2) - 1, 12 - 8);  // written 12 later, data 8 sooner
  assert_int_equal(ticks_to_pop(dram, 3) - 1, 11 + 8);  // read 11 after that
  dram_destroy(dram);
}

static void a_written_row_is_closed_18_ticks_later(void **state) {
  (void)state;
  Dram *dram = create_default();
  ask(dram, 0, 0, 0, 32, false);
  ticks_to_pop(dram, 0);
  wait_ticks(dram, 50);
  ask(dram, 1, 0, 0, 32, true);
  ask(dram, 2, 0, 1, 32, false);
  assert_int_equal(ticks_to_pop(dram, 1), 6);
  // Written in tick 1, closed in 19, then RP 12, RCD 12, CL 12: popped before 56.
  assert_int_equal(ticks_to_pop(dram, 2), 56 - 6 + 1);
  dram_destroy(dram);
}

static void the_open_row_is_served_before_older_requests(void **state) {
  (void)state;
  Dram *dram = create_default();
  ask(dram, 1, 0, 0, 32, false);
  dram_tick(dram);
  ask(dram, 2, 0, 1, 32, false);
  ask(dram, 3, 0, 0, 32, false);
  ask(dram, 4, 0, 2, 32, false);
  ask(dram, 5, 0, 1, 32, false);
  static const uint32_t order[] = {1, 3, 2, 5, 4};
  for (int i = 0; i < 5; i++) ticks_to_pop(dram, order[i]);
  dram_destroy(dram);
}

static void fifo_lets_nobody_pass(void **state) {
  (void)state;
  DramConfig config = default_config();
  strcpy(config.scheduler, "fifo");
  Dram *dram = create(&config);
  ask(dram, 1, 0, 0, 32, false);
  ask(dram, 2, 0, 1, 32, false);
  ask(dram, 3, 0, 0, 32, false);  // its row is open, and it has to wait
  ask(dram, 4, 1, 0, 32, false);  // its bank is idle, and it has to wait
  // Given to their banks in order; the last has less to do than the one before.
  static const uint32_t order[] = {1, 2, 4, 3};
  for (int i = 0; i < 4; i++) ticks_to_pop(dram, order[i]);
  assert_int_equal(dram_stats_of(dram)->activates, 4);
  dram_destroy(dram);
}

static void a_full_queue_refuses_and_counts(void **state) {
  (void)state;
  DramConfig config = default_config();
  config.queue_entries = 2;
  Dram *dram = create(&config);
  ask(dram, 1, 0, 0, 32, false);
  assert_true(dram_can_accept(dram, false));
  ask(dram, 2, 0, 1, 32, false);
  assert_false(dram_can_accept(dram, false));
  dram_tick(dram);  // the first goes to its bank
  assert_true(dram_can_accept(dram, false));
  assert_int_equal(dram_stats_of(dram)->queue_full, 1);
  dram_destroy(dram);
}

static void answers_that_nobody_takes_stop_the_bus(void **state) {
  (void)state;
  DramConfig config = default_config();
  config.return_entries = 1;
  Dram *dram = create(&config);
  for (uint32_t i = 0; i < 20; i++) ask(dram, i, 0, 0, 32, false);
  wait_ticks(dram, 300);
  uint64_t reads = dram_stats_of(dram)->reads;
  assert_in_range(reads, 2, 8);  // one waits, few more are on their way
  for (uint32_t i = 0; i < 20; i++) ticks_to_pop(dram, i);
  assert_true(dram_is_idle(dram));
  assert_int_equal(dram_stats_of(dram)->reads, 20);
  dram_destroy(dram);
}

static void an_idle_channel_has_no_event_and_a_waiting_one_says_when(void **state) {
  (void)state;
  Dram *dram = create_default();
  assert_true(dram_is_idle(dram));
  assert_true(dram_next_event(dram) == NEVER);
  dram_skip(dram, 1000);
  assert_int_equal(dram_stats_of(dram)->ticks, 1000);
  ask(dram, 1, 0, 0, 32, false);
  assert_false(dram_is_idle(dram));
  assert_int_equal(dram_next_event(dram), 0);
  dram_tick(dram);  // opens the row
  dram_tick(dram);  // finds nothing to do
  assert_int_equal(dram_next_event(dram), 10);
  dram_skip(dram, 10);
  assert_int_equal(dram_stats_of(dram)->reads, 0);
  dram_tick(dram);  // RCD after the opening
  assert_int_equal(dram_stats_of(dram)->reads, 1);
  dram_destroy(dram);
}

// Pops `count` answers in the order in which they come.
static void pop_order(Dram *dram, uint32_t *tags, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    for (int left = 1000; !dram_front(dram); left--) {
      assert_true(left > 0);
      dram_tick(dram);
    }
    tags[i] = dram_pop(dram).tag;
  }
}

static void writes_wait_for_the_mark_and_then_go_in_a_batch(void **state) {
  (void)state;
  enum { READ = 100, READS = 4, WRITES = 8 };
  DramConfig config = default_config();
  config.write_queue_entries = config.write_high = WRITES;
  config.write_low = 2;
  Dram *dram = create(&config);
  uint32_t tags[READS + WRITES];
  // One less than the mark: the reads that came later go first.
  for (uint32_t i = 0; i < WRITES - 1; i++) ask(dram, i, 0, 0, 32, true);
  for (uint32_t i = 0; i < READS; i++) ask(dram, READ + i, 0, 0, 32, false);
  pop_order(dram, tags, READS + WRITES - 1);
  for (uint32_t i = 0; i < READS; i++) assert_true(tags[i] >= READ);
  assert_true(dram_is_idle(dram));  // nobody reads: the writes have gone, too
  // At the mark, writes go until one is left, then the reads, then that one.
  for (uint32_t i = 0; i < READS; i++) ask(dram, READ + i, 0, 0, 32, false);
  for (uint32_t i = 0; i < WRITES; i++) ask(dram, i, 0, 0, 32, true);
  assert_false(dram_can_accept(dram, true));
  assert_true(dram_can_accept(dram, false));
  pop_order(dram, tags, READS + WRITES);
  for (uint32_t i = 0; i < WRITES - 1; i++) assert_true(tags[i] < READ);
  for (uint32_t i = WRITES - 1; i < READS + WRITES - 1; i++) assert_true(tags[i] >= READ);
  assert_int_equal(tags[READS + WRITES - 1], WRITES - 1);
  dram_destroy(dram);
}

static void a_write_waits_for_an_idle_channel(void **state) {
  (void)state;
  DramConfig config = default_config();
  config.write_queue_entries = config.write_high = 8;
  config.write_low = 2;
  Dram *dram = create(&config);
  ask(dram, 1, 0, 0, 32, false);
  ask(dram, 2, 0, 0, 32, true);
  ticks_to_pop(dram, 1);
  uint32_t at_once = ticks_to_pop(dram, 2);
  dram_destroy(dram);
  config.write_idle_ticks = 50;
  dram = create(&config);
  ask(dram, 1, 0, 0, 32, false);
  ask(dram, 2, 0, 0, 32, true);
  ticks_to_pop(dram, 1);
  assert_int_equal(dram_stats_of(dram)->writes, 1);  // though none went out
  // From the command of the read on, whose data and the turn of the bus took 12 ticks before.
  assert_int_equal(ticks_to_pop(dram, 2), at_once + 50 - 12);
  // A read that comes in time goes first.
  ask(dram, 5, 0, 0, 32, false);
  ticks_to_pop(dram, 5);
  ask(dram, 3, 0, 0, 32, true);
  wait_ticks(dram, 30);
  ask(dram, 4, 0, 0, 32, false);
  ticks_to_pop(dram, 4);
  ticks_to_pop(dram, 3);
  dram_destroy(dram);
}

// Banks 0 and 1: one group where the high bits name it, two where the low ones do.
static void groups_follow_the_bits_that_are_asked_for(void **state) {
  (void)state;
  for (unsigned bits = GROUP_BITS_LOW; bits <= GROUP_BITS_HIGH; bits++) {
    DramConfig config = default_config();
    config.bank_group_bits = bits;
    config.ccdl = 9;
    Dram *dram = create(&config);
    uint32_t tags[2];
    for (uint32_t i = 0; i < 2; i++) ask(dram, i, i, 0, 32, false);
    pop_order(dram, tags, 2);
    wait_ticks(dram, 50);
    for (uint32_t i = 0; i < 2; i++) ask(dram, i, i, 0, 32, false);
    pop_order(dram, tags, 1);
    // The first answer was popped after its tick, the second is `gap` ticks behind it.
    uint32_t gap = ticks_to_pop(dram, 1 - tags[0]) - 1;
    assert_int_equal(gap, bits == GROUP_BITS_LOW ? config.ccd : config.ccdl);
    dram_destroy(dram);
  }
}

static void impossible_configurations_are_refused(void **state) {
  (void)state;
  Dram *dram;
  Error err;
  DramConfig config = default_config();
  config.bank_groups = 17;
  assert_int_equal(dram_create(&dram, &config, &err), ERR_CONFIG);
  config = default_config();
  config.banks = 65;
  assert_int_equal(dram_create(&dram, &config, &err), ERR_CONFIG);
  config = default_config();
  config.burst_ticks = 3;
  assert_int_equal(dram_create(&dram, &config, &err), ERR_CONFIG);
  assert_non_null(strstr(err.text, "dram.ccd = 2"));
  config = default_config();
  config.write_queue_entries = 8;
  config.write_high = 9;
  assert_int_equal(dram_create(&dram, &config, &err), ERR_CONFIG);
  assert_non_null(strstr(err.text, "dram.write_high = 9"));
  config = default_config();
  config.bank_groups = 3;
  config.bank_group_bits = GROUP_BITS_HIGH;
  assert_int_equal(dram_create(&dram, &config, &err), ERR_CONFIG);
  assert_non_null(strstr(err.text, "16 banks do not divide into 3 equal groups"));
  config = default_config();
  strcpy(config.scheduler, "elevator");
  assert_int_equal(dram_create(&dram, &config, &err), ERR_CONFIG);
  assert_non_null(strstr(err.text, "frfcfs, fifo"));
  assert_null(dram);
}

// Random traffic, compared with the plain model.

static uint32_t random_below(uint64_t *seed, uint32_t bound) {
  *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
  return (uint32_t)((*seed >> 33) % bound);
}

static DramConfig random_config(uint64_t *seed) {
  DramConfig config = default_config();
  static const uint32_t bank_counts[] = {1, 2, 3, 8, 16, 16, 32, 64};
  config.banks = bank_counts[random_below(seed, 8)];
  config.bank_groups = 1 + random_below(seed, config.banks < 4 ? config.banks : 4);
  config.queue_entries = random_below(seed, 2) ? 64 : 1 + random_below(seed, 8);
  config.return_entries = random_below(seed, 2) ? 116 : 1 + random_below(seed, 4);
  config.dual_bus = random_below(seed, 2);
  config.scan_jumps = random_below(seed, 2) && !config.dual_bus;
  if (random_below(seed, 4) == 0) strcpy(config.scheduler, "fifo");
  if (config.banks % config.bank_groups == 0) config.bank_group_bits = random_below(seed, 2);
  if (random_below(seed, 2)) {
    config.write_queue_entries = 1 + random_below(seed, 40);
    config.write_high = 1 + random_below(seed, config.write_queue_entries);
    config.write_low = random_below(seed, config.write_high + 1);
  }
  if (random_below(seed, 2)) return config;
  config.burst_ticks = 1 + random_below(seed, 2);
  config.ccd = config.burst_ticks + random_below(seed, 3);
  config.ccdl = random_below(seed, 6);
  config.rrd = 1 + random_below(seed, 8);
  config.rcd = 1 + random_below(seed, 16);
  config.rcd_write = 1 + random_below(seed, 12);
  config.ras = random_below(seed, 40);
  config.rp = 1 + random_below(seed, 16);
  config.rc = random_below(seed, random_below(seed, 2) ? 50 : 300);
  config.wl = 1 + random_below(seed, 6);
  config.cl = config.wl + random_below(seed, 12);
  config.cdlr = random_below(seed, 8);
  config.wr = random_below(seed, 14);
  config.rtpl = random_below(seed, 5);
  return config;
}

static DramRequest random_request(uint64_t *seed, const DramConfig *config, uint32_t tag) {
  static const uint16_t sizes[] = {32, 32, 32, 64, 96, 128};
  DramRequest request = {.tag = tag, .bank = (uint8_t)random_below(seed, config->banks)};
  request.bank = (uint8_t)(request.bank / (1 + random_below(seed, 4)));
  request.row = random_below(seed, 3);
  request.bytes = sizes[random_below(seed, 6)];
  request.write = random_below(seed, 4) == 0;
  return request;
}

static void assert_same_counts(const DramStats *a, const DramStats *b) {
  assert_int_equal(a->ticks, b->ticks);
  assert_int_equal(a->reads, b->reads);
  assert_int_equal(a->read_commands, b->read_commands);
  assert_int_equal(a->writes, b->writes);
  assert_int_equal(a->activates, b->activates);
  assert_int_equal(a->precharges, b->precharges);
  assert_int_equal(a->row_hits, b->row_hits);
  assert_int_equal(a->row_misses, b->row_misses);
  assert_int_equal(a->queue_full, b->queue_full);
}

// One channel is ticked, one skips where it may (it is behind by `lag` ticks
// that it has said nothing happens in), and the plain one is ticked.
typedef struct Trio {
  Dram *ticked, *skipped;
  PlainDram *plain;
  Cycle lag, quiet, skips;
} Trio;

static void trio_catch_up(Trio *trio) {
  dram_skip(trio->skipped, trio->lag);
  trio->skips += trio->lag;
  trio->lag = trio->quiet = 0;
}

static void trio_tick(Trio *trio) {
  dram_tick(trio->ticked);
  plain_tick(trio->plain);
  if (trio->lag == 0) trio->quiet = dram_next_event(trio->skipped);
  if (trio->lag < trio->quiet) {
    trio->lag++;
    return;
  }
  trio_catch_up(trio);
  dram_tick(trio->skipped);
}

static void trio_accept(Trio *trio, DramRequest request) {
  trio_catch_up(trio);
  dram_accept(trio->ticked, request);
  dram_accept(trio->skipped, request);
  trio->plain->queue[trio->plain->queued++] = request;
  plain_note(trio->plain);
}

static void trio_pop(Trio *trio) {
  assert_int_equal(dram_front(trio->ticked) != NULL, trio->plain->answered > 0);
  if (!trio->plain->answered) return;
  uint32_t tag = trio->plain->answers[0].tag;
  plain_remove(trio->plain->answers, &trio->plain->answered, 0);
  assert_int_equal(dram_pop(trio->ticked).tag, tag);
  trio_catch_up(trio);
  assert_non_null(dram_front(trio->skipped));
  assert_int_equal(dram_pop(trio->skipped).tag, tag);
}

static Cycle run_traffic(uint64_t *seed) {
  DramConfig config = random_config(seed);
  Trio trio = {create(&config), create(&config), calloc(1, sizeof(PlainDram)), 0, 0, 0};
  plain_init(trio.plain, &config);
  uint32_t tag = 0, chance = 1 + random_below(seed, 30), slow = random_below(seed, 3);
  for (uint32_t tick = 0; tick < 2000; tick++) {
    if (!slow || random_below(seed, slow * 3) == 0) trio_pop(&trio);
    trio_tick(&trio);
    for (int write = 0; write < 2; write++)
      assert_int_equal(dram_can_accept(trio.ticked, write), plain_has_room(trio.plain, write));
    DramRequest request = random_request(seed, &config, tag);
    if (random_below(seed, chance) == 0 && dram_can_accept(trio.ticked, request.write)) {
      trio_accept(&trio, request);
      tag++;
    }
    if (tick % 512 == 511) chance = 1 + random_below(seed, 60);
  }
  for (uint32_t tick = 0; tick < 12000 && !dram_is_idle(trio.ticked); tick++) {
    trio_pop(&trio);
    trio_tick(&trio);
  }
  trio_catch_up(&trio);
  assert_true(dram_is_idle(trio.ticked) && dram_is_idle(trio.skipped));
  const DramStats *stats = dram_stats_of(trio.ticked);
  assert_int_equal(stats->row_hits + stats->row_misses, tag);
  assert_same_counts(stats, &trio.plain->stats);
  assert_same_counts(stats, dram_stats_of(trio.skipped));
  assert_int_equal(stats->busy_ticks, (stats->read_commands + stats->writes) * config.burst_ticks);
  dram_destroy(trio.ticked);
  dram_destroy(trio.skipped);
  free(trio.plain);
  return trio.skips;
}

static void random_traffic_goes_as_in_the_plain_model_skipped_or_not(void **state) {
  (void)state;
  uint64_t seed = 480;
  Cycle skips = 0;
  for (int i = 0; i < 200; i++) skips += run_traffic(&seed);
  assert_true(skips > 50000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_read_takes_14_ticks_open_26_closed_38_in_conflict),
      cmocka_unit_test(sectors_of_one_row_come_every_third_tick),
      cmocka_unit_test(open_rows_of_two_groups_share_the_bus_at_two_ticks),
      cmocka_unit_test(openings_of_banks_are_rrd_apart),
      cmocka_unit_test(a_row_stays_open_for_ras_and_its_bank_opens_once_in_rc),
      cmocka_unit_test(a_write_of_128_bytes_is_two_commands),
      cmocka_unit_test(reads_and_writes_keep_their_distance),
      cmocka_unit_test(a_written_row_is_closed_18_ticks_later),
      cmocka_unit_test(the_open_row_is_served_before_older_requests),
      cmocka_unit_test(fifo_lets_nobody_pass),
      cmocka_unit_test(a_full_queue_refuses_and_counts),
      cmocka_unit_test(answers_that_nobody_takes_stop_the_bus),
      cmocka_unit_test(an_idle_channel_has_no_event_and_a_waiting_one_says_when),
      cmocka_unit_test(writes_wait_for_the_mark_and_then_go_in_a_batch),
      cmocka_unit_test(a_write_waits_for_an_idle_channel),
      cmocka_unit_test(groups_follow_the_bits_that_are_asked_for),
      cmocka_unit_test(impossible_configurations_are_refused),
      cmocka_unit_test(random_traffic_goes_as_in_the_plain_model_skipped_or_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
