// SPDX-License-Identifier: MIT
// Transactions of a warp under each coalescing rule.
#include "sm/lsu/coalescer.h"

#include "base/memory.h"
#include "unit/cmocka_all.h"

static const AccessUnits units = {.constant = 64, .texture = 128};
static const LocalLayout layout = {.base = 0x1000000, .thread = 64, .thread_count = 1024};

typedef struct Setup {
  Instruction in;
  MemoryAccess access;
  SmConfig config;
  Inflight out;
} Setup;

// A load of `bytes` a lane; lane i at base + stride * i.
static void set_up(Setup *setup, uint64_t base, uint32_t stride, uint8_t bytes, uint32_t mask) {
  *setup = (Setup){.in.form = {.op = OP_LD, .space = SPACE_GLOBAL}};
  setup->in.form.type = bytes == 1 ? TYPE_U8 : bytes == 2 ? TYPE_U16 : TYPE_U32;
  setup->config.shared_banks = 32;
  setup->config.shared_bank_bytes = 4;
  setup->config.l1_caches_global = true;
  setup->access = (MemoryAccess){.mask = mask, .space = SPACE_GLOBAL, .bytes = bytes};
  for (uint32_t i = 0; i < WARP_LANES; i++) setup->access.address[i] = base + (uint64_t)stride * i;
}

static void run(Setup *setup) {
  coalesce(&setup->out, &setup->in, &setup->access, &setup->config, &layout, 32, &units);
}

static void clear(Setup *setup) {
  memory_free(setup->out.accesses);
}

static void assert_access(const Setup *setup, uint32_t i, uint64_t address, uint32_t bytes,
                          uint32_t touched) {
  assert_true(i < setup->out.access_count);
  assert_int_equal(setup->out.accesses[i].address, address);
  assert_int_equal(setup->out.accesses[i].bytes, bytes);
  assert_int_equal(setup->out.accesses[i].touched, touched);
}

static void a_warp_of_neighbouring_words_is_one_line(void **state) {
  (void)state;
  Setup setup;
  set_up(&setup, 0x1000, 4, 4, FULL_MASK);
  run(&setup);
  assert_int_equal(setup.out.path, PATH_L1D);
  assert_int_equal(setup.out.access_count, 1);
  assert_access(&setup, 0, 0x1000, 128, 0xf);
  assert_int_equal(setup.out.accesses[0].full, 0xf);
  clear(&setup);
}

// A transaction that uses one half of itself is halved, and again.
static void unused_halves_are_left_out(void **state) {
  (void)state;
  static const struct {
    uint32_t mask;
    uint64_t address;
    uint32_t bytes, touched;
  } wanted[] = {{0x0000ffff, 0x1000, 64, 3},
                {0xffff0000, 0x1040, 64, 3},
                {0x000000ff, 0x1000, 32, 1},
                {0xff000000, 0x1060, 32, 1},
                {0x00ffff00, 0x1000, 128, 6}};
  for (int i = 0; i < 5; i++) {
    Setup setup;
    set_up(&setup, 0x1000, 4, 4, wanted[i].mask);
    run(&setup);
    assert_int_equal(setup.out.access_count, 1);
    assert_access(&setup, 0, wanted[i].address, wanted[i].bytes, wanted[i].touched);
    clear(&setup);
  }
}

static void transactions_leave_by_descending_address(void **state) {
  (void)state;
  Setup setup;
  set_up(&setup, 0x1040, 4, 4, FULL_MASK);
  run(&setup);
  assert_int_equal(setup.out.access_count, 2);
  assert_access(&setup, 0, 0x1080, 64, 3);
  assert_access(&setup, 1, 0x1040, 64, 3);
  clear(&setup);
  set_up(&setup, 0x1000, 256, 4, FULL_MASK);
  run(&setup);
  assert_int_equal(setup.out.access_count, 32);
  for (uint32_t i = 0; i < 32; i++) assert_access(&setup, i, 0x1000 + 256 * (31 - i), 32, 1);
  clear(&setup);
}

// Segments are 32 bytes for bytes, 64 for halves.
static void narrow_types_have_narrow_segments(void **state) {
  (void)state;
  Setup setup;
  set_up(&setup, 0x1010, 1, 1, FULL_MASK);
  run(&setup);
  assert_int_equal(setup.out.access_count, 2);
  assert_access(&setup, 0, 0x1020, 32, 1);
  assert_access(&setup, 1, 0x1000, 32, 1);
  assert_int_equal(setup.out.accesses[0].full, 0);
  clear(&setup);
  set_up(&setup, 0x1020, 2, 2, FULL_MASK);
  run(&setup);
  assert_int_equal(setup.out.access_count, 2);
  assert_access(&setup, 0, 0x1040, 32, 1);
  assert_access(&setup, 1, 0x1020, 32, 1);
  clear(&setup);
}

static void what_passes_the_l1_goes_by_sector(void **state) {
  (void)state;
  Setup setup;
  set_up(&setup, 0x1000, 4, 4, FULL_MASK);
  setup.in.form.cache = CACHE_GLOBAL;
  run(&setup);
  assert_int_equal(setup.out.path, PATH_BYPASS);
  assert_int_equal(setup.out.access_count, 4);
  for (uint32_t i = 0; i < 4; i++) assert_access(&setup, i, 0x1060 - 32 * i, 32, 1);
  clear(&setup);
}

static void maxwell_looks_every_sector_up(void **state) {
  (void)state;
  Setup setup;
  set_up(&setup, 0x1000, 4, 4, FULL_MASK);
  setup.config.coalesce = COALESCE_SECTOR;
  run(&setup);
  assert_int_equal(setup.out.path, PATH_L1D);
  assert_int_equal(setup.out.access_count, 4);
  clear(&setup);
}

// Lanes that change different words of a sector share a transaction, lanes
// that change the same word do not.
static void atomics_on_the_same_word_are_kept_apart(void **state) {
  (void)state;
  Setup setup;
  set_up(&setup, 0x1000, 4, 4, 0xff);
  setup.in.form.op = OP_ATOM;
  setup.access.atomic = true;
  run(&setup);
  assert_int_equal(setup.out.path, PATH_BYPASS);
  assert_int_equal(setup.out.access_count, 1);
  clear(&setup);
  set_up(&setup, 0x1000, 0, 4, 0xff);
  setup.in.form.op = OP_ATOM;
  setup.access.atomic = true;
  run(&setup);
  assert_int_equal(setup.out.access_count, 8);
  clear(&setup);
}

static void one_lane_performs_an_aggregated_atomic(void **state) {
  (void)state;
  static const struct {
    Aggregation aggregation;
    uint32_t mask, count;
  } tries[] = {{BY_WARP, 0xf0, 1}, {BY_FULL_WARP, FULL_MASK, 1}, {BY_FULL_WARP, 0xf0, 4}};
  for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
    Setup setup;
    set_up(&setup, 0x1000, 0, 4, tries[i].mask);
    setup.in.form.op = OP_RED;
    setup.in.aggregation = (uint8_t)tries[i].aggregation;
    setup.access.atomic = true;
    run(&setup);
    assert_int_equal(setup.out.access_count, tries[i].count);
    clear(&setup);
  }
}

static void constants_cost_a_lookup_for_every_block(void **state) {
  (void)state;
  Setup setup;
  set_up(&setup, 0x20, 8, 4, FULL_MASK);  // 0x20 .. 0x11c: blocks 0 .. 4 of 64 bytes
  setup.access.space = SPACE_CONST;
  run(&setup);
  assert_int_equal(setup.out.path, PATH_CONSTANT);
  assert_int_equal(setup.out.access_count, 5);
  clear(&setup);
}

// Word w of thread t lies at base + 4 * (w * threads + t): one word of 32
// threads is a line, two words are two lines, the upper first.
// 32 words in two blocks: a lookup each per word, two cycles apart: 32 cycles besides.
static void constants_come_word_by_word_at_an_interval(void **state) {
  (void)state;
  Setup setup;
  set_up(&setup, 0x1000, 4, 4, FULL_MASK);
  setup.access.space = SPACE_CONST;
  setup.config.constant_by_word = true;
  setup.config.constant_interval_cycles = 2;
  run(&setup);
  assert_int_equal(setup.out.access_count, 32);
  assert_int_equal(setup.out.conflict_cycles, 33);
  clear(&setup);
}

// Words 8 apart are in 4 banks: 8 passes. The first takes the interval of the unit, each further
// one shared_replay_cycles; words of 8 bytes need two passes, and no more.
static void passes_of_bank_conflicts_take_longer(void **state) {
  (void)state;
  static const struct {
    uint32_t stride;
    uint8_t bytes;
    uint32_t replay, cycles;
  } wanted[] = {{4, 4, 2, 1}, {8, 4, 2, 4}, {32, 4, 2, 16}, {32, 4, 1, 8}, {8, 8, 2, 2}};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    Setup setup;
    set_up(&setup, 0, wanted[i].stride, wanted[i].bytes, FULL_MASK);
    setup.access.space = SPACE_SHARED;
    setup.config.lsu_interval_cycles = 2;
    setup.config.shared_replay_cycles = wanted[i].replay;
    run(&setup);
    assert_int_equal(setup.out.conflict_cycles, wanted[i].cycles);
    clear(&setup);
  }
}

// Four lanes per cycle: 32 lanes take 8 cycles, of which the lookup of one line is one; as
// many lines as lanes, four at a time, take no longer.
static void textures_are_filtered_some_lanes_a_cycle(void **state) {
  (void)state;
  static const struct {
    uint32_t stride, mask, cycles;
  } wanted[] = {{4, FULL_MASK, 8}, {128, FULL_MASK, 1}, {4, 0xff, 2}, {4, 1, 1}};
  for (int i = 0; i < 4; i++) {
    Setup setup;
    set_up(&setup, 0x1000, wanted[i].stride, 4, wanted[i].mask);
    setup.access.space = SPACE_TEXTURE;
    setup.config.texture_accesses_per_cycle = setup.config.texture_lanes_per_cycle = 4;
    run(&setup);
    assert_int_equal(setup.out.conflict_cycles, wanted[i].cycles);
    clear(&setup);
  }
}

// Of the four lanes of a group, those whose lines are in one set wait for each other: lines
// 0, 1, 2, 3 are in different sets; 0, 2, 4, 6 in two; 0, 4, 8, 12 in one; with 8 sets in two.
// Only lanes of one group conflict, and a group without lanes takes no time.
static void texture_lines_of_one_set_are_looked_up_in_turn(void **state) {
  (void)state;
  static const struct {
    uint32_t stride, mask, sets, cycles;
  } wanted[] = {{4, FULL_MASK, 4, 8},    {128, FULL_MASK, 4, 8},  {256, FULL_MASK, 4, 16},
                {512, FULL_MASK, 4, 32}, {512, FULL_MASK, 8, 16}, {512, 0x11111111, 4, 8},
                {512, 0xff, 4, 8},       {512, 0x80000003, 4, 3}};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    Setup setup;
    set_up(&setup, 0x1000, wanted[i].stride, 4, wanted[i].mask);
    setup.access.space = SPACE_TEXTURE;
    setup.config.texture_accesses_per_cycle = 32;  // the lookups themselves take one cycle
    setup.config.texture_lanes_per_cycle = 4;
    setup.config.texture_sets = wanted[i].sets;
    run(&setup);
    assert_int_equal(setup.out.conflict_cycles, wanted[i].cycles);
    clear(&setup);
  }
}

// With 16 banks a word is 8 bytes: the same 8 of other lines wait, others of any line do not. A
// texel of two words takes two cycles even alone. The patterns of sebbbi/perftest on a block
// row, 32 bytes of each line: texels of 8 bytes, 32 bytes apart, take two cycles.
static void texture_words_of_one_bank_are_read_in_turn(void **state) {
  (void)state;
  static const struct {
    uint32_t stride;
    uint8_t bytes;
    uint32_t mask, banks, cycles;
  } wanted[] = {
      {4, 4, FULL_MASK, 16, 8},    {8, 8, FULL_MASK, 16, 8},   {16, 16, FULL_MASK, 16, 16},
      {128, 4, FULL_MASK, 16, 32}, {136, 4, FULL_MASK, 16, 8}, {132, 4, FULL_MASK, 16, 16},
      {132, 4, FULL_MASK, 32, 8},  {256, 8, 0x3, 16, 2},       {256, 8, 0x11, 16, 2},
      {16, 16, 1, 16, 2},          {16, 16, 1, 8, 1}};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    Setup setup;
    set_up(&setup, 0x1000, wanted[i].stride, wanted[i].bytes, wanted[i].mask);
    setup.access.space = SPACE_TEXTURE;
    setup.config.texture_accesses_per_cycle = 32;  // the lookups themselves take one cycle
    setup.config.texture_lanes_per_cycle = 4;
    setup.config.texture_banks = wanted[i].banks;
    run(&setup);
    assert_int_equal(setup.out.conflict_cycles, wanted[i].cycles);
    clear(&setup);
  }
}

static void local_words_of_neighbours_are_neighbours(void **state) {
  (void)state;
  Setup setup;
  set_up(&setup, 8, 0, 8, FULL_MASK);  // words 2 and 3 of every thread
  setup.access.space = SPACE_LOCAL;
  run(&setup);
  assert_int_equal(setup.out.path, PATH_L1D);
  assert_true(setup.out.is_local);
  assert_int_equal(setup.out.access_count, 2);
  uint64_t first_thread = layout.thread + 32;
  assert_access(&setup, 0, layout.base + 4 * (3 * layout.thread_count + first_thread), 128, 0xf);
  assert_access(&setup, 1, layout.base + 4 * (2 * layout.thread_count + first_thread), 128, 0xf);
  clear(&setup);
}

static uint32_t lowest_of(Setup *setup) {
  run(setup);
  uint32_t lowest = setup->out.lowest_access;
  clear(setup);
  return lowest;
}

// Descending addresses: a lane's place in the warp is not its transaction's.
static void the_lowest_active_lane_has_its_transaction(void **state) {
  (void)state;
  Setup setup;
  set_up(&setup, 0x1000, 256, 4, FULL_MASK);
  assert_int_equal(lowest_of(&setup), 31);
  set_up(&setup, 0x1000, 256, 4, FULL_MASK << 5);
  assert_int_equal(lowest_of(&setup), 26);
  set_up(&setup, 0x1000, 256, 4, FULL_MASK);
  for (uint32_t i = 0; i < 32; i++) setup.access.address[i] = 0x9000 - 256 * i;
  assert_int_equal(lowest_of(&setup), 0);
  set_up(&setup, 8, 0, 8, FULL_MASK);  // two words, the upper first
  setup.access.space = SPACE_LOCAL;
  assert_int_equal(lowest_of(&setup), 1);
  set_up(&setup, 0x1000, 0, 4, 0xff);
  setup.in.form.op = OP_ATOM;
  setup.access.atomic = true;
  assert_int_equal(lowest_of(&setup), 0);
}

static void no_lanes_no_access(void **state) {
  (void)state;
  Setup setup;
  set_up(&setup, 0x1000, 4, 4, 0);
  run(&setup);
  assert_int_equal(setup.out.path, PATH_NONE);
  assert_int_equal(setup.out.access_count, 0);
  clear(&setup);
}

static uint32_t cycles_of_stride(uint32_t stride, uint32_t banks, uint32_t bank_bytes) {
  uint64_t address[WARP_LANES];
  for (uint32_t i = 0; i < WARP_LANES; i++) address[i] = (uint64_t)stride * i;
  return shared_conflict_cycles(address, FULL_MASK, banks, bank_bytes);
}

static void a_bank_gives_one_word_a_cycle(void **state) {
  (void)state;
  assert_int_equal(cycles_of_stride(0, 32, 4), 1);  // one word for all
  assert_int_equal(cycles_of_stride(4, 32, 4), 1);
  assert_int_equal(cycles_of_stride(1, 32, 4), 1);  // four lanes share a word
  assert_int_equal(cycles_of_stride(8, 32, 4), 2);
  assert_int_equal(cycles_of_stride(12, 32, 4), 1);  // odd strides meet all banks
  assert_int_equal(cycles_of_stride(128, 32, 4), 32);
  assert_int_equal(cycles_of_stride(4, 16, 4), 2);
  assert_int_equal(cycles_of_stride(8, 32, 8), 1);
  assert_int_equal(cycles_of_stride(4, 5, 4), 7);  // 32 words in 5 banks
  uint64_t address[WARP_LANES] = {0, 128, 0, 128, 256};
  assert_int_equal(shared_conflict_cycles(address, 0x1f, 32, 4), 3);
  assert_int_equal(shared_conflict_cycles(address, 0x05, 32, 4), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_warp_of_neighbouring_words_is_one_line),
      cmocka_unit_test(unused_halves_are_left_out),
      cmocka_unit_test(transactions_leave_by_descending_address),
      cmocka_unit_test(narrow_types_have_narrow_segments),
      cmocka_unit_test(what_passes_the_l1_goes_by_sector),
      cmocka_unit_test(maxwell_looks_every_sector_up),
      cmocka_unit_test(atomics_on_the_same_word_are_kept_apart),
      cmocka_unit_test(one_lane_performs_an_aggregated_atomic),
      cmocka_unit_test(constants_cost_a_lookup_for_every_block),
      cmocka_unit_test(constants_come_word_by_word_at_an_interval),
      cmocka_unit_test(passes_of_bank_conflicts_take_longer),
      cmocka_unit_test(textures_are_filtered_some_lanes_a_cycle),
      cmocka_unit_test(texture_lines_of_one_set_are_looked_up_in_turn),
      cmocka_unit_test(texture_words_of_one_bank_are_read_in_turn),
      cmocka_unit_test(local_words_of_neighbours_are_neighbours),
      cmocka_unit_test(the_lowest_active_lane_has_its_transaction),
      cmocka_unit_test(no_lanes_no_access),
      cmocka_unit_test(a_bank_gives_one_word_a_cycle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
