// SPDX-License-Identifier: MIT
// Address maps: GPGPU-Sim's layout, coverage of L2 sets, any number of channels.
#include "policies/address_map/address_map.h"

#include <stdlib.h>
#include <string.h>

#include "unit/cmocka_all.h"

static const AddressMapView gtx480 = {.channels = 6,
                                      .slices_per_channel = 2,
                                      .banks = 16,
                                      .bank_groups = 4,
                                      .row_bytes = 4096,
                                      .line_bytes = 128};
static const char gtx480_spec[] = "interleave:layout=RRRRRRRRRRRRBBBCCCCBCCCCCCCC";

static AddressMap make(const char *spec, const AddressMapView *view) {
  AddressMap map;
  Error err = {0};
  if (address_map_init(&map, NULL, spec, view, &err) != OK) fail_msg("%s", err.text);
  return map;
}

static MemLocation locate(const AddressMap *map, uint64_t address) {
  MemLocation location;
  memset(&location, 0xff, sizeof location);
  address_map_locate(map, address, &location);
  return location;
}

static void assert_location(const AddressMap *map, uint64_t address, MemLocation expected) {
  MemLocation got = locate(map, address);
  assert_int_equal(got.channel, expected.channel);
  assert_int_equal(got.slice, expected.slice);
  assert_int_equal(got.bank, expected.bank);
  assert_int_equal(got.row, expected.row);
  assert_int_equal(got.column, expected.column);
  assert_int_equal(got.local, expected.local);
}

// 0xC0000000 / 256 = 6 * 0x200000, so it is where the channels' addresses are
// 0x20000000, whose bit 29 is above the layout; without bit 8 it is 0x10000000.
static void the_gtx480_takes_its_digits_from_where_gpgpusim_does(void **state) {
  (void)state;
  AddressMap map = make(gtx480_spec, &gtx480);
  // channel, slice, bank, row, column, local
  assert_location(&map, 0, (MemLocation){0, 0, 0, 0, 0, 0});
  assert_location(&map, 0xC0000000, (MemLocation){0, 0, 0, 0, 0, 0x10000000});
  assert_location(&map, 0xC00001E4, (MemLocation){1, 2, 0, 0, 0xE4, 0x100000E4});
  assert_location(&map, 0xC0000500, (MemLocation){5, 10, 0, 0, 0, 0x10000000});
  // Six blocks on, l8 is set: bank and slice 1, and nothing else moves.
  assert_location(&map, 0xC0000600, (MemLocation){0, 1, 1, 0, 0, 0x10000000});
  // Twelve blocks on, l9 is set: column 0x100. Here l7 as well.
  assert_location(&map, 0xC0000C80, (MemLocation){0, 0, 0, 0, 0x180, 0x10000180});
  // l13, l14, l15, l16
  assert_location(&map, 0xC0000000 + 6 * 0x2000,
                  (MemLocation){0, 0, 2, 0, 0, 0x10000000 + 0x1000});
  assert_location(&map, 0xC0000000 + 6 * 0x4000,
                  (MemLocation){0, 0, 4, 0, 0, 0x10000000 + 0x2000});
  assert_location(&map, 0xC0000000 + 6 * 0x8000,
                  (MemLocation){0, 0, 8, 0, 0, 0x10000000 + 0x4000});
  assert_location(&map, 0xC0000000 + 6 * 0x10000,
                  (MemLocation){0, 0, 0, 1, 0, 0x10000000 + 0x8000});
  // The code: 0xF0000000 / 6 = 0x28000000, l27 is the row's highest bit.
  assert_location(&map, 0xF0000000, (MemLocation){0, 0, 0, 0x800, 0, 0x14000000});
  address_map_clear(&map);
}

static void gpgpusims_own_spelling_and_none_at_all_mean_the_same(void **state) {
  (void)state;
  AddressMap map = make(gtx480_spec, &gtx480);
  AddressMap dotted = make(
      "interleave:layout=00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS",
      &gtx480);
  AddressMap plain = make("interleave", &gtx480);
  for (uint64_t address = 0; address < 1u << 28; address += 99991) {
    MemLocation a = locate(&map, address), b = locate(&dotted, address),
                c = locate(&plain, address);
    assert_memory_equal(&a, &b, sizeof a);
    assert_memory_equal(&a, &c, sizeof a);  // as long as 12 bits of row are enough
  }
  address_map_clear(&map);
  address_map_clear(&dotted);
  address_map_clear(&plain);
}

static void a_stretch_as_large_as_the_l2_fills_every_set_of_every_slice(void **state) {
  (void)state;
  AddressMap map = make(gtx480_spec, &gtx480);
  static uint32_t lines[12][64];
  memset(lines, 0, sizeof lines);
  for (uint64_t address = 0xC0000000; address < 0xC0000000 + 768 * 1024; address += 128) {
    MemLocation at = locate(&map, address);
    assert_in_range(at.slice, 0, 11);
    lines[at.slice][at.local / 128 % 64]++;
  }
  for (int slice = 0; slice < 12; slice++)
    for (int set = 0; set < 64; set++) assert_int_equal(lines[slice][set], 8);
  address_map_clear(&map);
}

static void any_number_of_channels_divides_any_address(void **state) {
  (void)state;
  static const uint32_t channel_counts[] = {1, 2, 3, 5, 6, 7, 12, 24, 32, 1000};
  uint64_t seed = 6;
  for (size_t i = 0; i < sizeof channel_counts / sizeof *channel_counts; i++) {
    AddressMapView view = gtx480;
    uint64_t channels = view.channels = channel_counts[i];
    view.slices_per_channel = 1;
    AddressMap map = make("interleave", &view);
    for (int j = 0; j < 2000; j++) {
      seed = seed * 6364136223846793005ull + 1442695040888963407ull;
      uint64_t address = seed >> (seed >> 6 & 63);
      if (j < 4) address = (uint64_t[]){UINT64_MAX, 0xffffffffff, 0x10000000000, 0xff}[j];
      MemLocation at = locate(&map, address);
      assert_int_equal(at.channel, (address >> 8) % channels);
      assert_int_equal(at.local, ((address >> 8) / channels) << 8 | (address & 255));
    }
    address_map_clear(&map);
  }
}

// What must hold of every map on every machine that it accepts. Two maps draw
// slices without looking at who is there: then only addresses' tags differ.
static bool shares_places(const char *name, const AddressMapView *view) {
  bool power_of_two = (view->channels & (view->channels - 1)) == 0;
  return strcmp(name, "random") == 0 || (strcmp(name, "ipoly") == 0 && !power_of_two);
}

static int compare_keys(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static void assert_all_different(uint64_t *keys, size_t count) {
  qsort(keys, count, sizeof *keys, compare_keys);
  for (size_t i = 1; i < count; i++) assert_true(keys[i - 1] != keys[i]);
}

static void check_map(const AddressMap *map, uint64_t base, bool shares) {
  enum { SECTORS = 1 << 14 };
  static uint64_t cells[SECTORS], lines[SECTORS];
  const AddressMapView *view = &map->view;
  for (uint32_t i = 0; i < SECTORS; i++) {
    uint64_t address = base + 32 * (uint64_t)i;
    MemLocation at = locate(map, address);
    MemLocation line = locate(map, address & ~(uint64_t)(view->line_bytes - 1));
    assert_true(at.channel < view->channels && at.bank < view->banks);
    assert_true(at.column < view->row_bytes);
    assert_int_equal(at.slice / view->slices_per_channel, at.channel);
    assert_int_equal(at.slice, line.slice);
    assert_int_equal(at.local / view->line_bytes, line.local / view->line_bytes);
    cells[i] = ((at.row * (uint64_t)view->banks + at.bank) * view->channels + at.channel) *
                   view->row_bytes +
               at.column;
    lines[i] = at.slice * (1ull << 40) + at.local;
  }
  if (shares) return;
  assert_all_different(cells, SECTORS);
  assert_all_different(lines, SECTORS);
}

static void no_two_addresses_share_a_place_in_any_map(void **state) {
  (void)state;
  uint64_t seed = 12;
  int checked = 0;
  for (int i = 0; i < 60; i++) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    static const uint32_t channel_counts[] = {1, 2, 3, 4, 6, 8, 24, 32};
    AddressMapView view = {.channels = channel_counts[seed >> 33 & 7],
                           .slices_per_channel = 1u << (seed >> 36) % 3,
                           .banks = 4u << (seed >> 40) % 4,
                           .bank_groups = 1 + (uint32_t)(seed >> 44) % 4,
                           .row_bytes = 256u << (seed >> 48) % 5,
                           .line_bytes = 32u << (seed >> 52) % 4};
    for (const PolicyType *const *type = address_map_family.types; *type; type++) {
      AddressMap map;
      char spec[64];
      snprintf(spec, sizeof spec, "%s:bank_xor=%s", (*type)->name, i % 2 ? "true" : "false");
      if (address_map_init(&map, NULL, spec, &view, NULL) != OK) continue;
      check_map(&map, (seed >> 56) << 20, shares_places((*type)->name, &view));
      address_map_clear(&map);
      checked++;
    }
  }
  assert_true(checked > 200);  // all but xor, which needs a power of two, always
}

static void xor_permutes_the_channels(void **state) {
  (void)state;
  AddressMapView view = gtx480;
  view.channels = 8;
  AddressMap map = make("xor", &view), twice = make("xor:folds=2", &view);
  // Bits 8..10 channel, 11 slice, 12..14 folded into the channel, then 15..17.
  assert_int_equal(locate(&map, 0x500).channel, 5);
  assert_int_equal(locate(&map, 0x1000).channel, 1);
  assert_int_equal(locate(&map, 0x1000).slice, 2);
  assert_int_equal(locate(&map, 0x1900).channel, 0);
  assert_int_equal(locate(&map, 0x1900).slice, 1);
  assert_int_equal(locate(&map, 0xa000).channel, 2);
  assert_int_equal(locate(&twice, 0xa000).channel, 3);
  address_map_clear(&map);
  address_map_clear(&twice);
}

static AddressMapView volta(uint32_t channels, uint32_t slices) {
  return (AddressMapView){channels, slices, 16, 4, 2048, 128};
}

static void ipoly_hashes_with_the_polynomials_of_gpgpusim(void **state) {
  (void)state;
  // 64 slices: x^6 = x + 1. Bits 8..12 channel, 13 slice, 14 counts as x^6.
  AddressMapView view = volta(32, 2);
  AddressMap map = make("ipoly", &view);
  assert_int_equal(locate(&map, 1 << 12).slice, 2 * 16);
  assert_int_equal(locate(&map, 1 << 13).slice, 1);
  assert_int_equal(locate(&map, 1 << 14).slice, 2 * 3);            // x + 1
  assert_int_equal(locate(&map, 1 << 19).slice, 2 * 3 + 1);        // x^11 = x^5 + x + 1
  assert_int_equal(locate(&map, 1ull << 32).slice, 2 * (16 + 1));  // x^24 = x^4 + 1
  assert_int_equal(locate(&map, 1 << 14 | 1 << 8).slice, 2 * 2);
  address_map_clear(&map);
  // 32 slices: x^5 = x^2 + 1.
  view = volta(32, 1);
  map = make("ipoly", &view);
  assert_int_equal(locate(&map, 1 << 13).slice, 5);
  assert_int_equal(locate(&map, 1 << 27).slice, 6);  // x^19 = x^2 + x
  address_map_clear(&map);
}

static void ipoly_spreads_every_power_of_two_stride_over_all_slices(void **state) {
  (void)state;
  AddressMapView view = volta(32, 2);
  AddressMap map = make("ipoly", &view);
  for (uint32_t shift = 8; shift < 40; shift++) {
    uint64_t seen = 0;
    for (uint64_t i = 0; i < 64; i++) seen |= 1ull << locate(&map, i << shift).slice;
    assert_true(seen == UINT64_MAX);
  }
  address_map_clear(&map);
}

// The share of the busiest slice, in percent of an even one, for 4096 accesses.
static uint32_t busiest(const AddressMap *map, uint64_t stride) {
  uint32_t slices = map->view.channels * map->view.slices_per_channel, most = 0;
  uint32_t requests[128] = {0};
  for (uint64_t i = 0; i < 4096; i++) requests[locate(map, i * stride).slice]++;
  for (uint32_t s = 0; s < slices; s++) most = requests[s] > most ? requests[s] : most;
  return most * slices * 100 / 4096;
}

static void rotated_spreads_strides_over_any_number_of_channels(void **state) {
  (void)state;
  for (uint32_t channels = 10; channels <= 40; channels *= 2) {
    AddressMapView view = volta(channels, 2);
    AddressMap map = make("rotated", &view), plain = make("interleave", &view);
    assert_in_range(busiest(&map, 256), 100, 105);
    for (uint32_t shift = 8; shift < 24; shift++) {
      assert_in_range(busiest(&map, 1ull << shift), 100, 160);
      assert_in_range(busiest(&map, (uint64_t)channels << shift), 100, 180);
    }
    // A whole round and both slices further: always the same slice.
    assert_int_equal(busiest(&plain, (uint64_t)channels << 9), channels * 2 * 100);
    address_map_clear(&map);
    address_map_clear(&plain);
  }
}

// Channels 0..23 of two slices: 64 hashed places, of which 48..63 are 0..15 again.
static void ipoly_folds_other_numbers_of_slices_as_gpgpusim_does(void **state) {
  (void)state;
  AddressMapView view = volta(24, 2);
  AddressMap map = make("ipoly:layout=RRRRRRRRRRRRRBBBCCCBCCCCCCCC", &view);
  assert_int_equal(locate(&map, 23 << 8).slice, 46);
  assert_int_equal(locate(&map, 24 << 8).slice, 1 ^ 3);  // bit 0 above the channel: x^6 = x + 1
  assert_int_equal(locate(&map, 47 << 8).slice, 47 ^ 3);
  assert_int_equal(locate(&map, 48 << 8).slice, 6);      // x^7 = x^2 + x
  // Bit 5 above is x^11 = x^5 + x + 1 = 35: channel 8, slice 16, becomes 51, which is 3.
  assert_int_equal(locate(&map, ((uint64_t)32 * 24 + 8) << 8).slice, (16 ^ 35) % 48);
  uint32_t requests[48] = {0};
  for (uint64_t i = 0; i < 64 * 48 * 64; i++) requests[locate(&map, i << 8).slice]++;
  for (uint32_t s = 0; s < 48; s++) {
    uint32_t even = 64 * 64 * (s < 16 ? 2 : 1);
    assert_in_range(requests[s], even * 3 / 4, even * 5 / 4);
  }
  address_map_clear(&map);
}

static void random_spreads_any_stride_and_depends_on_its_seed(void **state) {
  (void)state;
  AddressMapView view = volta(12, 2);
  AddressMap map = make("random", &view), other = make("random:seed=2", &view);
  for (uint64_t stride = 128; stride < 1 << 20; stride = stride * 3 / 128 * 64) {
    uint32_t requests[24] = {0};
    for (uint64_t i = 0; i < 2400; i++) requests[locate(&map, i * stride).slice]++;
    for (uint32_t s = 0; s < 24; s++) assert_in_range(requests[s], 50, 160);
  }
  uint32_t same = 0;
  for (uint64_t i = 0; i < 2400; i++)
    same += locate(&map, i << 8).slice == locate(&other, i << 8).slice;
  assert_in_range(same, 50, 160);
  address_map_clear(&map);
  address_map_clear(&other);
}

static void bank_xor_moves_rows_to_other_banks_and_no_slice(void **state) {
  (void)state;
  AddressMap plain = make(gtx480_spec, &gtx480);
  AddressMap hashed = make("interleave:bank_xor=true,layout=RRRRRRRRRRRRBBBCCCCBCCCCCCCC", &gtx480);
  for (uint64_t row = 0; row < 40; row++) {
    MemLocation a = locate(&plain, row * 6 << 16), b = locate(&hashed, row * 6 << 16);
    assert_int_equal(a.row, row);
    assert_int_equal(b.row, row);
    assert_int_equal(a.bank, 0);
    assert_int_equal(b.bank, row % 16);
    assert_int_equal(b.slice, a.slice);
    assert_int_equal(b.local, a.local);
  }
  address_map_clear(&plain);
  address_map_clear(&hashed);
}

static void refuses(const char *spec, const AddressMapView *view, const char *reason) {
  AddressMap map;
  Error err = {0};
  assert_int_equal(address_map_init(&map, NULL, spec, view, &err), ERR_CONFIG);
  if (!strstr(err.text, reason)) fail_msg("'%s' does not say '%s'", err.text, reason);
  assert_null(map.state);
}

static void what_cannot_work_is_refused_with_the_reason(void **state) {
  (void)state;
  refuses("scatter", &gtx480, "interleave, xor, ipoly, rotated, random");
  refuses("interleave:layout=RRBBBBXCC", &gtx480, "invalid character 'X'");
  refuses("interleave:layout=RRRRBBBCCCCCCCCCCCC", &gtx480, "3 bank bits for 16 banks");
  refuses("interleave:layout=RRRRBBBBCCCCCCCCCC", &gtx480, "10 column bits");
  refuses("interleave:layout=RRRRRRRRBBBBCCCCCBCCCCCC", &gtx480, "bank bits");
  refuses("interleave:layout=RRRRRRRRBBBCCCCCCBCCCCCC", &gtx480, "would split lines of 128 bytes");
  refuses("interleave:layout=RRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRBBBBCCCCCCCCCCCC", &gtx480,
          "32 row bits");
  refuses("interleave:channel_shift=6", &gtx480, "would split lines of 128 bytes");
  refuses("xor", &gtx480, "6 channels: must be a power of two");
  AddressMapView view = gtx480;
  view.channels = 600;
  refuses("ipoly", &view, "1200 slices; at most 1024");
  view.channels = 6;
  view.slices_per_channel = 3;
  refuses("interleave", &view, "powers of two");
  view.slices_per_channel = 32;
  refuses("interleave", &view, "32 slices cannot share the 16 banks");
  view = gtx480;
  view.channels = 0;
  refuses("interleave", &view, "channels and bank groups must not be 0");
  refuses("xor", &view, "0 channels");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_gtx480_takes_its_digits_from_where_gpgpusim_does),
      cmocka_unit_test(gpgpusims_own_spelling_and_none_at_all_mean_the_same),
      cmocka_unit_test(a_stretch_as_large_as_the_l2_fills_every_set_of_every_slice),
      cmocka_unit_test(any_number_of_channels_divides_any_address),
      cmocka_unit_test(no_two_addresses_share_a_place_in_any_map),
      cmocka_unit_test(xor_permutes_the_channels),
      cmocka_unit_test(ipoly_hashes_with_the_polynomials_of_gpgpusim),
      cmocka_unit_test(ipoly_spreads_every_power_of_two_stride_over_all_slices),
      cmocka_unit_test(rotated_spreads_strides_over_any_number_of_channels),
      cmocka_unit_test(ipoly_folds_other_numbers_of_slices_as_gpgpusim_does),
      cmocka_unit_test(random_spreads_any_stride_and_depends_on_its_seed),
      cmocka_unit_test(bank_xor_moves_rows_to_other_banks_and_no_slice),
      cmocka_unit_test(what_cannot_work_is_refused_with_the_reason),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
