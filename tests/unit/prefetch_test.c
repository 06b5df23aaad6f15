// SPDX-License-Identifier: MIT
// What the prefetchers ask for after given sequences of loads. Those of sap
// are in apres_test.c.
#include "policies/prefetch/prefetch.h"

#include <string.h>

#include "policies/shared/prefetch_group.h"
#include "unit/policy_support.h"

enum { LINE = 128 };

typedef struct Bench {
  const PrefetchType *type;
  void *state;
  PrefetchGroup *group;  // that it shares, if it does
  Cycle now;
  PrefetchList list;
} Bench;

static uint64_t warp_numbers[64];

static void bench_init(Bench *bench, const char *spec) {
  memset(bench, 0, sizeof *bench);
  policy_bench_forget_shared();
  bench->type = (const PrefetchType *)policy_bench_make(&prefetch_family, spec, &bench->state);
  if (policy_bench.shared_count) bench->group = policy_bench.shared[0].states[0];
}

static void ask(Bench *bench, L1dAccess access) {
  access.now = ++bench->now;
  access.line = access.lane_address / LINE * LINE;
  access.line_bytes = LINE;
  access.warp_numbers = warp_numbers;
  if (!access.cta_warps) access.cta_warps = UINT64_MAX;
  prefetch_ask(bench->type, bench->state, &access, &bench->list);
}

static void load(Bench *bench, uint32_t pc, uint32_t warp, uint64_t address) {
  ask(bench, (L1dAccess){.requester = {.pc = pc, .warp = (uint8_t)warp},
                         .lane_address = address,
                         .is_lowest = true,
                         .outcome = OUTCOME_MISS});
}

static void str_fetches_for_the_next_warps_once_a_stride_is_kept(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, "str");
  load(&bench, 40, 0, 10000);
  load(&bench, 40, 1, 10512);
  assert_int_equal(bench.list.count, 0);  // one stride may be chance
  load(&bench, 40, 4, 12048);             // 512 again, from warp to warp
  assert_int_equal(bench.list.count, 2);
  assert_int_equal(bench.list.candidates[0].address, 12560);
  assert_int_equal(bench.list.candidates[1].address, 13072);
  assert_int_equal(bench.list.candidates[0].warp, 5);
  load(&bench, 40, 5, 20000);
  assert_int_equal(bench.list.count, 0);
}

// Slots 0 to 5 hold a CTA, the next another.
static void str_stays_within_the_cta_unless_told_otherwise(void **state) {
  (void)state;
  for (int anywhere = 0; anywhere < 2; anywhere++) {
    Bench bench;
    bench_init(&bench, anywhere ? "str:scope=sm" : "str");
    for (uint32_t w = 0; w < 5; w++)
      ask(&bench, (L1dAccess){.requester = {.pc = 40, .warp = (uint8_t)w},
                              .lane_address = 10240 + 512 * w,
                              .cta_warps = 0x3f,
                              .is_lowest = true,
                              .outcome = OUTCOME_MISS});
    assert_int_equal(bench.list.count, anywhere ? 2 : 1);
    assert_int_equal(bench.list.candidates[0].warp, 5);
    assert_int_equal(bench.list.candidates[0].address, 10240 + 512 * 5);
  }
}

static void str_keeps_loads_apart_and_looks_as_far_as_told(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, "str:distance=4,degree=1");
  for (uint32_t w = 0; w < 3; w++) {
    load(&bench, 40, w, 10000 + 512 * w);
    assert_int_equal(bench.list.count, w == 2);
    if (w == 2) assert_int_equal(bench.list.candidates[0].address, 10000 + 512 * 6);
    load(&bench, 50, 20 - w, 90000 + 256 * w);  // a stride of -256
    assert_int_equal(bench.list.count, w == 2);
    if (w == 2) assert_int_equal(bench.list.candidates[0].address, 90512 - 256 * 4);
  }
}

static void str_sees_no_stride_in_one_warp_or_in_one_address(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, "str");
  for (uint32_t i = 0; i < 6; i++) {
    load(&bench, 40, 3, 10000 + 512 * i);
    assert_int_equal(bench.list.count, 0);
    load(&bench, 50, i, 4096);
    assert_int_equal(bench.list.count, 0);
  }
}

static void str_looks_at_first_transactions_of_global_loads(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, "str");
  for (uint32_t w = 0; w < 6; w++) {
    L1dAccess access = {.requester = {.pc = 40, .warp = (uint8_t)w},
                        .lane_address = 10000 + 512 * w,
                        .outcome = OUTCOME_HIT};
    ask(&bench, access);
    assert_int_equal(bench.list.count, 0);
    access.is_lowest = access.is_local = true;
    ask(&bench, access);
    assert_int_equal(bench.list.count, 0);
  }
}

static void sld_fetches_the_other_half_of_a_macro_block(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, "sld");
  load(&bench, 40, 0, 512 * 7 + 128 + 60);
  assert_int_equal(bench.list.count, 0);
  load(&bench, 50, 9, 512 * 7 + 128);  // the same line again
  assert_int_equal(bench.list.count, 0);
  load(&bench, 60, 1, 512 * 8);  // another block
  assert_int_equal(bench.list.count, 0);
  load(&bench, 40, 2, 512 * 7 + 384);
  assert_int_equal(bench.list.count, 2);
  assert_int_equal(bench.list.candidates[0].address, 512 * 7);
  assert_int_equal(bench.list.candidates[1].address, 512 * 7 + 256);
  load(&bench, 40, 3, 512 * 7);  // begins anew
  assert_int_equal(bench.list.count, 0);
}

static void sld_counts_misses_and_forgets_the_oldest_block(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, "sld:blocks=2");
  load(&bench, 40, 0, 0);
  ask(&bench, (L1dAccess){.lane_address = 128, .is_lowest = true, .outcome = OUTCOME_HIT});
  assert_int_equal(bench.list.count, 0);
  load(&bench, 40, 0, 512);
  load(&bench, 40, 0, 1024);  // block 0 is the oldest
  load(&bench, 40, 0, 128);   // ... and has been forgotten; now 512 is
  assert_int_equal(bench.list.count, 0);
  load(&bench, 40, 0, 1152);
  assert_int_equal(bench.list.count, 2);
}

// Slots 4 to 7 have CTA 15, whose addresses are 15 CTAs away.
static void sap_may_number_warps_as_the_grid_does(void **state) {
  (void)state;
  for (uint64_t w = 0; w < 8; w++) warp_numbers[w] = w < 4 ? w : 15 * 4 + w - 4;
  for (int by_grid = 0; by_grid < 2; by_grid++) {
    Bench bench;
    bench_init(&bench, by_grid ? "sap:warp_ids=grid" : "sap");
    bench.group->missed = 0xff;
    for (uint32_t w = 0; w < 3; w++)
      ask(&bench, (L1dAccess){.requester = {.pc = 9, .warp = (uint8_t)w},
                              .lane_address = 10240 + 128 * w,
                              .is_lowest = true,
                              .outcome = OUTCOME_MISS});
    assert_int_equal(bench.list.count, 7);
    assert_int_equal(bench.list.candidates[2].address, 10240 + 128 * 3);
    assert_int_equal(bench.list.candidates[3].warp, 4);
    assert_int_equal(bench.list.candidates[3].address, 10240 + 128 * (by_grid ? 60 : 4));
  }
}

// ---- caps

// CTA c lies in slots 4 c to 4 c + 3; a warp's place in it is its slot's.
static L1dAccess of_cta(uint32_t slot, uint64_t address) {
  return (L1dAccess){.requester = {.pc = 9,
                                   .warp = (uint8_t)slot,
                                   .warp_in_cta = (uint8_t)(slot % 4),
                                   .cta = slot / 4,
                                   .cta_slot = (uint8_t)(slot / 4)},
                     .lane_address = address,
                     .cta_warps = UINT64_C(0xf) << slot / 4 * 4,
                     .mshrs_free = 64,
                     .is_lowest = true,
                     .outcome = OUTCOME_MISS};
}

// Koo et al.: the first warp of each of three CTAs gives a base, at addresses that
// have nothing to do with one another. A second warp of the first CTA gives the
// stride: what is left of the first CTA, and all other warps of the two that
// wait, are prefetched for. A CTA that comes later is, with its first warp.
static void caps_joins_the_base_of_a_cta_with_the_stride_of_the_load(void **state) {
  (void)state;
  for (uint64_t w = 0; w < 64; w++) warp_numbers[w] = w;
  Bench bench;
  bench_init(&bench, "caps");
  ask(&bench, of_cta(0, 0x10000));
  ask(&bench, of_cta(4, 0x70000));
  ask(&bench, of_cta(9, 0x30000));  // the second warp of its CTA leads it
  assert_int_equal(bench.list.count, 0);
  ask(&bench, of_cta(1, 0x10000 + 512));
  static const struct {
    int warp;
    uint64_t address;
  } wanted[] = {{2, 0x10000 + 2 * 512}, {3, 0x10000 + 3 * 512}, {5, 0x70000 + 512},
                {6, 0x70000 + 2 * 512}, {7, 0x70000 + 3 * 512}, {8, 0x30000 - 512},
                {10, 0x30000 + 512},    {11, 0x30000 + 2 * 512}};
  assert_int_equal(bench.list.count, 8);
  for (uint32_t i = 0; i < 8; i++) {
    assert_int_equal(bench.list.candidates[i].warp, wanted[i].warp);
    assert_int_equal(bench.list.candidates[i].address, wanted[i].address);
  }
  ask(&bench, of_cta(12, 0x90000));
  assert_int_equal(bench.list.count, 3);
  assert_int_equal(bench.list.candidates[2].address, 0x90000 + 3 * 512);
}

static void caps_leaves_a_load_alone_after_its_mistakes(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, "caps:mistakes=1");
  ask(&bench, of_cta(0, 1 << 16));
  ask(&bench, of_cta(1, (1 << 16) + 512));
  ask(&bench, of_cta(2, 0));  // wrong
  ask(&bench, of_cta(4, 1 << 20));
  assert_int_equal(bench.list.count, 3);
  ask(&bench, of_cta(5, 0));  // wrong again
  ask(&bench, of_cta(8, 1 << 21));
  assert_int_equal(bench.list.count, 0);
}

// Its base would be joined with a stride that is learned later.
static void caps_forgets_a_cta_that_has_ended(void **state) {
  (void)state;
  for (int ends = 0; ends < 2; ends++) {
    Bench bench;
    bench_init(&bench, "caps");
    ask(&bench, of_cta(0, 0x10000));
    KernelView kernel = {.id = 0};
    CtaView cta = {.kernel = &kernel, .cta = 0};
    if (ends) bench.type->policy.on_cta_end(bench.state, &cta);
    ask(&bench, of_cta(4, 0x70000));
    ask(&bench, of_cta(5, 0x70000 + 512));
    assert_int_equal(bench.list.count, ends ? 2 : 5);
  }
}

static L1dAccess of_load(uint32_t pc, Cycle now, uint32_t slot, uint64_t address) {
  L1dAccess access = of_cta(slot, address);
  access.requester.pc = pc;
  access.now = now;
  return access;
}

static void caps_replaces_the_load_that_was_not_executed_for_longest(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, "caps:loads=2");
  for (uint32_t pc = 1; pc <= 2; pc++) {
    ask(&bench, of_load(pc, pc, 0, 0x10000));
    ask(&bench, of_load(pc, pc, 1, 0x10000 + 512));
  }
  ask(&bench, of_load(1, 10, 2, 0x10000 + 1024));
  ask(&bench, of_load(3, 11, 0, 0x10000));  // takes the place of 2
  ask(&bench, of_load(1, 12, 4, 0x70000));
  assert_int_equal(bench.list.count, 3);
  ask(&bench, of_load(2, 13, 4, 0x70000));
  assert_int_equal(bench.list.count, 0);
}

// ---- early

static bool asks_for(const Bench *bench, uint64_t address) {
  for (uint32_t i = 0; i < bench->list.count; i++)
    if (bench->list.candidates[i].address / LINE == address / LINE) return true;
  return false;
}

static void early_fetches_the_next_iteration_of_a_loop(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, "early:level=2");
  for (uint64_t i = 0; i < 3; i++) {
    ask(&bench, of_cta(0, (1 << 20) + 4096 * i));
    assert_int_equal(asks_for(&bench, (1 << 20) + 4096 * (i + 1)), i >= 2);
  }
}

// Two warps and two CTAs give both strides; a third CTA is fetched for, all warps of
// it and both lines of each, as soon as any load is looked up after its start.
static void early_fetches_for_a_cta_that_begins(void **state) {
  (void)state;
  Bench bench;
  Launch launch = {.grid = {64, 1, 1}};
  KernelView kernel = {.launch = &launch, .warps_per_cta = 4, .cta_count = 64};
  for (uint64_t w = 0; w < 64; w++) warp_numbers[w] = w;
  bench_init(&bench, "early:level=2");
  bench.type->policy.on_kernel_start(bench.state, &kernel);
  for (uint32_t slot = 0; slot < 12; slot++) {  // CTAs 0 to 2, 64 KB apart; warps, 1 KB
    uint64_t address = (1 << 20) + 65536 * (slot / 4) + 1024 * (slot % 4);
    L1dAccess upper = of_cta(slot, address);
    upper.is_lowest = false;
    upper.lane_address += 256;  // sets the line that is looked up
    ask(&bench, upper);
    ask(&bench, of_cta(slot, address));
  }
  CtaView begins = {.kernel = &kernel, .cta = 3};
  bench.type->policy.on_cta_start(bench.state, &begins);
  ask(&bench, of_cta(3, 1 << 19));
  for (uint64_t w = 0; w < 4; w++) {
    assert_true(asks_for(&bench, (1 << 20) + 3 * 65536 + 1024 * w));
    assert_true(asks_for(&bench, (1 << 20) + 3 * 65536 + 1024 * w + 256));
  }
}

static void early_asks_for_nothing_while_mshrs_are_scarce(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, "early:level=1");
  for (uint64_t i = 0; i < 6; i++) {
    L1dAccess access = of_cta(0, (1 << 20) + 4096 * i);
    access.mshrs_free = i == 5 ? 38 : 64;  // 60 % of 64 have to be free
    ask(&bench, access);
    assert_int_equal(bench.list.count, i >= 2 && i < 5);
  }
}

// Executions of a loop, of which prefetches are asked for, over many rounds of trials: one
// of the levels that are tried is none at all.
static uint32_t asking_executions(bool limit_is_tried) {
  Bench bench;
  uint32_t asking = 0;
  bench_init(&bench, "early:epoch_cycles=64");
  bench.group->limit_is_tried = limit_is_tried;
  for (uint64_t i = 0; i < 4096; i++) {
    ask(&bench, of_cta(0, (1 << 20) + 4096 * i));
    asking += bench.list.count > 0;
  }
  return asking;
}

static void early_keeps_its_level_while_limits_are_tried(void **state) {
  (void)state;
  assert_int_equal(asking_executions(true), 4096 - 2);  // the stride is known from the third on
  assert_in_range(asking_executions(false), 1, 4096 - 64);
}

// Lines that leave the L1D unused, over and over: the load pauses.
static void early_gives_up_strides_that_lose(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, "early:level=2");
  for (uint64_t i = 0; i < 16; i++) {
    ask(&bench, of_cta(0, (1 << 20) + 4096 * i));
    if (bench.list.count)
      bench.type->on_outcome(bench.state, (1 << 20) + 4096 * (i + 1), false, bench.now);
  }
  assert_int_equal(bench.list.count, 0);
}

// ---- gathers

enum { INDEX = 10, GATHER = 12, STATE = 1 << 24, TARGETS = 1 << 20 };

// Lane l reads targets[64 * l + i], which is 1000 * l + 40 * i: every lane goes through a list of
// its own, of 64 elements in two lines.
static uint64_t target_of(uint32_t lane, uint32_t i) {
  return 1000 * lane + 40 * i;
}

static LoadLanes index_lanes(uint32_t i) {
  LoadLanes lanes = {.mask = 0xff, .bytes = 4, .has_data = true};
  for (uint32_t lane = 0; lane < 8; lane++) {
    lanes.address[lane] = TARGETS + 4 * (64 * lane + i);
    lanes.value[lane] = target_of(lane, i);
    for (uint32_t k = 0; k < LOAD_AHEAD && i % 32 + k + 1 < 32; k++) {
      lanes.ahead[k][lane] = target_of(lane, i + k + 1);
      lanes.ahead_mask[k] |= 1u << lane;
    }
  }
  return lanes;
}

static LoadLanes gather_lanes(uint32_t i, uint64_t scale) {
  LoadLanes lanes = {.mask = 0xff, .bytes = 4};
  for (uint32_t lane = 0; lane < 8; lane++)
    lanes.address[lane] = STATE + scale * target_of(lane, i);
  return lanes;
}

static void ask_with(Bench *bench, uint32_t pc, const LoadLanes *lanes) {
  L1dAccess access = of_load(pc, 0, 0, lanes->address[0]);
  access.lanes = lanes;
  ask(bench, access);
}

static void iterate(Bench *bench, uint32_t i, uint64_t scale) {
  LoadLanes index = index_lanes(i), gather = gather_lanes(i, scale);
  ask_with(bench, INDEX, &index);
  ask_with(bench, GATHER, &gather);
}

// One iteration teaches the pair, the second confirms it: from then on, the lines of the next
// iteration are requested, all lanes' of them. At the end of an index line, the next one is not
// known.
static void early_gather_fetches_by_the_next_indices(void **state) {
  (void)state;
  Bench bench;
  for (uint64_t scale = 4; scale <= 16; scale *= 2) {
    bench_init(&bench, "early_gather:level=2,by_loop=0");
    for (uint32_t i = 0; i < 32; i++) {
      iterate(&bench, i, scale);
      for (uint32_t lane = 0; lane < 8; lane++)
        assert_int_equal(asks_for(&bench, STATE + scale * target_of(lane, i + 1)),
                         i >= 1 && i < 31);
      assert_int_equal(bench.list.count, i >= 1 && i < 31 ? 8 : 0);
    }
  }
}

static void early_gather_looks_as_far_ahead_as_told(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, "early_gather:level=2,by_loop=0,distance=3");
  for (uint32_t i = 0; i < 4; i++) iterate(&bench, i, 4);
  assert_int_equal(bench.list.count, 8);
  assert_true(asks_for(&bench, STATE + 4 * target_of(7, 6)));
}

// Addresses that no longer follow from the indices: three such executions, and the pair is gone.
static void early_gather_forgets_a_pair_that_fails(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, "early_gather:level=2,by_loop=0");
  for (uint32_t i = 0; i < 3; i++) iterate(&bench, i, 4);
  for (uint32_t i = 3; i < 6; i++) {
    LoadLanes index = index_lanes(i), other = gather_lanes(i, 4);
    for (uint32_t lane = 0; lane < 8; lane++) other.address[lane] += 128 * ((i + 3 * lane) % 5);
    ask_with(&bench, INDEX, &index);
    ask_with(&bench, GATHER, &other);
    assert_int_equal(bench.list.count, 0);
  }
  iterate(&bench, 6, 4);
  assert_int_equal(bench.list.count, 0);  // to be learnt again
  iterate(&bench, 7, 4);
  assert_int_equal(bench.list.count, 8);
}

// All lanes read the same index: any scale would fit.
static void early_gather_learns_nothing_from_equal_indices(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, "early_gather:level=2,by_loop=0");
  for (uint32_t i = 0; i < 8; i++) {
    LoadLanes index = index_lanes(i), gather = gather_lanes(i, 4);
    for (uint32_t lane = 1; lane < 8; lane++) {
      index.value[lane] = index.value[0];
      gather.address[lane] = gather.address[0];
    }
    ask_with(&bench, INDEX, &index);
    ask_with(&bench, GATHER, &gather);
    assert_int_equal(bench.list.count, 0);
  }
}

static void hostile_addresses_do_no_harm(void **state) {
  (void)state;
  static const uint64_t addresses[] = {0, UINT64_MAX, 1ull << 63, 127, (1ull << 63) - 1};
  for (const PolicyType *const *type = prefetch_family.types; *type; type++) {
    Bench bench;
    bench_init(&bench, (*type)->name);
    if (!bench.type->on_access) continue;
    for (uint32_t i = 0; i < 200; i++) {
      if (bench.group) bench.group->missed = UINT64_MAX;
      ask(&bench, (L1dAccess){.requester = {.pc = i % 3 ? 7 : UINT32_MAX - 1,
                                            .warp = (uint8_t)(i * 7 % 64)},
                              .lane_address = addresses[i * 3 % 5],
                              .is_lowest = i % 4 != 0,
                              .outcome = (uint8_t)(i % 3)});
      assert_true(bench.list.count <= PREFETCH_MOST);
    }
  }
}

// ---- snake

// Warps execute load 10 at their own base and load 20 always 4096 bytes further.
static void run_pair(Bench *bench, uint32_t warp, uint64_t base) {
  load(bench, 10, warp, base);
  load(bench, 20, warp, base + 4096);
}

static void snake_follows_a_link_that_three_warps_have_confirmed(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, "snake:degree=0");
  run_pair(&bench, 0, 100000);
  run_pair(&bench, 1, 307200);
  load(&bench, 10, 2, 901120);
  assert_int_equal(bench.list.count, 0);  // two warps may be chance
  load(&bench, 20, 2, 905216);
  load(&bench, 10, 3, 500096);
  assert_int_equal(bench.list.count, 1);
  assert_int_equal(bench.list.candidates[0].address, 504192);
  assert_int_equal(bench.list.candidates[0].warp, 3);
}

// A chain of 10, 20, 30, 40: from its first load three links are prefetched, no more with depth=1.
static void snake_prefetches_a_chain_as_deep_as_told(void **state) {
  (void)state;
  static const uint64_t at[] = {0, 4096, 1024, 65536};
  for (uint32_t depth = 1; depth <= 3; depth += 2) {
    Bench bench;
    bench_init(&bench, depth == 1 ? "snake:degree=0,depth=1" : "snake:degree=0");
    for (uint32_t warp = 0; warp < 3; warp++)
      for (uint32_t i = 0; i < 4; i++)
        load(&bench, 10 * (i + 1), warp, 1000448 * (warp * warp + 1) + at[i]);
    load(&bench, 10, 5, 40000000);
    assert_int_equal(bench.list.count, depth);
    for (uint32_t i = 0; i < depth; i++)
      assert_int_equal(bench.list.candidates[i].address, 40000000 + at[i + 1]);
  }
}

// A load in a loop, by the same warp: its own stride once three warps have it.
static void snake_prefetches_the_next_iteration(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, "snake:degree=0");
  for (uint32_t warp = 0; warp < 3; warp++)
    for (uint64_t i = 0; i < 2; i++) load(&bench, 10, warp, 900000 * (warp * warp + 1) + 512 * i);
  load(&bench, 10, 2, 4500000 + 1024);
  assert_int_equal(bench.list.count, 1);
  assert_int_equal(bench.list.candidates[0].address, 4500000 + 1536);
  assert_true(bench.list.candidates[0].for_next);
}

static void snake_prefetches_for_the_next_warps_of_the_cta(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, "snake");
  for (uint32_t warp = 0; warp < 5; warp++)
    ask(&bench, (L1dAccess){.requester = {.pc = 10, .warp = (uint8_t)warp},
                            .lane_address = 100000 + 256 * warp,
                            .cta_warps = 0x7f,
                            .is_lowest = true});
  assert_int_equal(bench.list.count, 2);  // warps 5 and 6
  assert_int_equal(bench.list.candidates[0].address, 100000 + 256 * 5);
  assert_int_equal(bench.list.candidates[1].warp, 6);
}

// A link that three of its eight warps contradict is learnt anew.
static void snake_forgets_a_link_that_no_longer_holds(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, "snake:degree=0");
  for (uint32_t warp = 0; warp < 8; warp++) run_pair(&bench, warp, 100000 * (warp * warp + 1));
  for (uint32_t warp = 0; warp < 3; warp++) {
    load(&bench, 10, warp, 7000000 * (warp * warp + 1));
    load(&bench, 20, warp, 7000000 * (warp * warp + 1) + 8192);
  }
  load(&bench, 10, 9, 99000000);
  assert_int_equal(bench.list.count, 0);
}

// All of 32 MSHRs were free; none is: halted, and for 50 cycles, and until fewer than half are
// used.
static void snake_halts_while_memory_is_busy(void **state) {
  (void)state;
  Bench bench;
  bench_init(&bench, "snake:degree=0");
  L1dAccess access = {.requester = {.pc = 10}, .is_lowest = true, .mshrs_free = 32};
  for (uint32_t warp = 0; warp < 3; warp++)
    for (uint64_t i = 0; i < 2; i++) {
      access.requester.warp = (uint8_t)warp;
      access.lane_address = 900000 * (warp * warp + 1) + 512 * i;
      ask(&bench, access);
    }
  static const struct {
    uint32_t free;
    Cycle later;
    uint32_t count;
  } steps[] = {{32, 1, 1}, {12, 1, 1}, {8, 1, 0},   {12, 1, 0},
               {17, 1, 1}, {0, 1, 0},  {32, 40, 0}, {32, 20, 1}};
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    bench.now += steps[i].later - 1;
    access.lane_address += 512;
    access.mshrs_free = steps[i].free;
    ask(&bench, access);
    assert_int_equal(bench.list.count, steps[i].count);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(str_fetches_for_the_next_warps_once_a_stride_is_kept),
      cmocka_unit_test(str_stays_within_the_cta_unless_told_otherwise),
      cmocka_unit_test(str_keeps_loads_apart_and_looks_as_far_as_told),
      cmocka_unit_test(str_sees_no_stride_in_one_warp_or_in_one_address),
      cmocka_unit_test(str_looks_at_first_transactions_of_global_loads),
      cmocka_unit_test(sld_fetches_the_other_half_of_a_macro_block),
      cmocka_unit_test(sld_counts_misses_and_forgets_the_oldest_block),
      cmocka_unit_test(sap_may_number_warps_as_the_grid_does),
      cmocka_unit_test(caps_joins_the_base_of_a_cta_with_the_stride_of_the_load),
      cmocka_unit_test(caps_leaves_a_load_alone_after_its_mistakes),
      cmocka_unit_test(caps_forgets_a_cta_that_has_ended),
      cmocka_unit_test(caps_replaces_the_load_that_was_not_executed_for_longest),
      cmocka_unit_test(early_fetches_the_next_iteration_of_a_loop),
      cmocka_unit_test(early_fetches_for_a_cta_that_begins),
      cmocka_unit_test(early_asks_for_nothing_while_mshrs_are_scarce),
      cmocka_unit_test(early_keeps_its_level_while_limits_are_tried),
      cmocka_unit_test(early_gives_up_strides_that_lose),
      cmocka_unit_test(early_gather_fetches_by_the_next_indices),
      cmocka_unit_test(early_gather_looks_as_far_ahead_as_told),
      cmocka_unit_test(early_gather_forgets_a_pair_that_fails),
      cmocka_unit_test(early_gather_learns_nothing_from_equal_indices),
      cmocka_unit_test(hostile_addresses_do_no_harm),
      cmocka_unit_test(snake_follows_a_link_that_three_warps_have_confirmed),
      cmocka_unit_test(snake_prefetches_a_chain_as_deep_as_told),
      cmocka_unit_test(snake_prefetches_the_next_iteration),
      cmocka_unit_test(snake_prefetches_for_the_next_warps_of_the_cta),
      cmocka_unit_test(snake_forgets_a_link_that_no_longer_holds),
      cmocka_unit_test(snake_halts_while_memory_is_busy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
