// SPDX-License-Identifier: MIT
// Bulk copies, bulk reductions and tiles of tensors, with random shapes, places and values, against
// what the manual's text says, written out for the host.
#include <stdio.h>

#include "exec/memory/tensor_map.h"
#include "unit/host_reduction.h"
#include "unit/text_kernel.h"

enum { ROUNDS = 12 };

// ---- cp.async.bulk, cp.reduce.async.bulk

#define INIT_BARRIER                                                                    \
  "setp.eq.u32 %%p1, %%r0, 0;\n@%%p1 mbarrier.init.shared.b64 [bar], 1;\nbar.sync 0;\n" \
  "@%%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], %%r6;\n"

// `word` is the instruction's beginning. From global to shared memory, from there to global memory,
// or within shared memory; %r6 bytes, %r7 the place in shared and %rd6 that in global memory.
typedef enum BulkWay { TO_SHARED, TO_GLOBAL, WITHIN } BulkWay;

static const char *const bulk_operands[] = {
    [TO_SHARED] = "[%r8], [%rd7], %r6, [bar]",
    [TO_GLOBAL] = "[%rd7], [%r8], %r6",
    [WITHIN] = "[%r9], [%r8], %r6, [bar]",
};

static void run_bulk(BulkWay way, const char *word, uint8_t *box, uint8_t *global,
                     const uint32_t places[4]) {
  char text[TEXT];
  snprintf(text, sizeof text,
           HEAD(P(0) "," P(1) "," P(2)) GET(0) GET(1) GET(2) FILL("%%rd0")
           "ld.global.v4.u32 {%%r6, %%r7, %%r10, %%r11}, [%%rd2];\nmov.u32 %%r12, s;\n"
           "add.u32 %%r8, %%r12, %%r7;\nadd.u32 %%r9, %%r12, %%r11;\ncvt.u64.u32 %%rd7, %%r10;\n"
           "add.u64 %%rd7, %%rd7, %%rd1;\n" INIT_BARRIER "@%%p1 %s %s;\n%s" SHOW("%%rd0") TAIL,
           word, bulk_operands[way],
           way == TO_GLOBAL ? "@%p1 cp.async.bulk.commit_group;\n@%p1 cp.async.bulk.wait_group 0;\n"
                              "bar.sync 0;\n"
                            : "WAIT:\nmbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n"
                              "@!%p2 bra WAIT;\nbar.sync 0;\n");
  uint32_t kept[4];
  memcpy(kept, places, sizeof kept);
  text_kernel_run(&(TextKernel){
      .text = text, .buffers = {{box, BOX}, {global, BOX}, {kept, sizeof kept}}, .threads = LANES});
}

// Bytes, the place in shared memory, that in global memory, another one in shared memory that does
// not overlap the first.
static void draw_spans(uint32_t places[4]) {
  places[0] = 16 * (1 + below(BOX / 64));
  places[1] = 16 * below((BOX / 2 - places[0]) / 16 + 1);
  places[2] = 16 * below((BOX - places[0]) / 16 + 1);
  places[3] = BOX / 2 + 16 * below((BOX / 2 - places[0]) / 16 + 1);
}

static void bulk_copies_move_their_bytes_only(void **state) {
  (void)state;
  static const char *const words[] = {
      [TO_SHARED] = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes",
      [TO_GLOBAL] = "cp.async.bulk.global.shared::cta.bulk_group",
      [WITHIN] = "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes",
  };
  static uint8_t box[BOX], global[BOX], wanted_box[BOX], wanted[BOX];
  for (int round = 0; round < 3 * ROUNDS; round++) {
    uint32_t at[4];
    BulkWay way = (BulkWay)(round % 3);
    draw_bytes(box, BOX);
    draw_bytes(global, BOX);
    draw_spans(at);
    memcpy(wanted_box, box, BOX);
    memcpy(wanted, global, BOX);
    if (way == TO_SHARED) memcpy(wanted_box + at[1], global + at[2], at[0]);
    if (way == TO_GLOBAL) memcpy(wanted + at[2], box + at[1], at[0]);
    if (way == WITHIN) memcpy(wanted_box + at[3], box + at[1], at[0]);
    run_bulk(way, words[way], box, global, at);
    assert_memory_equal(box, wanted_box, BOX);
    assert_memory_equal(global, wanted, BOX);
  }
}

// Half of the integers are small: equal ones meet.
static void draw_elements(uint8_t *bytes, const char *type) {
  draw_bytes(bytes, BOX);
  for (uint32_t i = 0; i < BOX; i += size_of(type)) {
    uint64_t bits = is_real(type) ? real_bits((int)below(41) - 20, type) : below(4);
    if (is_real(type) || below(2)) memcpy(bytes + i, &bits, size_of(type));
  }
}

static void reduce_span(const Reduction *x, uint8_t *to, const uint8_t *from, uint32_t bytes) {
  for (uint32_t i = 0; i < bytes; i += size_of(x->type)) {
    uint64_t old = 0, given = 0;
    memcpy(&old, to + i, size_of(x->type));
    memcpy(&given, from + i, size_of(x->type));
    old = reduce(x, old, given);
    memcpy(to + i, &old, size_of(x->type));
  }
}

static void try_reduction(const Reduction *x, BulkWay way) {
  static uint8_t box[BOX], global[BOX], wanted_box[BOX], wanted[BOX];
  char word[160];
  uint32_t at[4];
  bool is_half = is_real(x->type) && size_of(x->type) == 2;
  draw_elements(box, x->type);
  draw_elements(global, x->type);
  draw_spans(at);
  memcpy(wanted_box, box, BOX);
  memcpy(wanted, global, BOX);
  if (way == TO_GLOBAL)
    reduce_span(x, wanted + at[2], box + at[1], at[0]);
  else
    reduce_span(x, wanted_box + at[3], box + at[1], at[0]);
  snprintf(word, sizeof word, "cp.reduce.async.bulk.%s.%s%s.%s",
           way == TO_GLOBAL ? "global.shared::cta.bulk_group"
                            : "shared::cluster.shared::cta.mbarrier::complete_tx::bytes",
           x->operation, is_half && is(x->operation, "add") ? ".noftz" : "", x->type);
  run_bulk(way, word, box, global, at);
  if (memcmp(box, wanted_box, BOX) != 0 || memcmp(global, wanted, BOX) != 0)
    fail_msg("%s: other results", word);
}

static void bulk_reductions_are_those_of_the_elements(void **state) {
  (void)state;
  static const Reduction to_global[] = {
      {"and", "b32"}, {"or", "b32"},   {"xor", "b32"},  {"and", "b64"}, {"or", "b64"},
      {"xor", "b64"}, {"add", "u32"},  {"add", "s32"},  {"add", "u64"}, {"add", "f32"},
      {"add", "f64"}, {"add", "f16"},  {"add", "bf16"}, {"inc", "u32"}, {"dec", "u32"},
      {"min", "u32"}, {"min", "s32"},  {"min", "u64"},  {"min", "s64"}, {"min", "f16"},
      {"max", "u32"}, {"min", "bf16"}, {"max", "s32"},  {"max", "u64"}, {"max", "s64"},
      {"max", "f16"}, {"max", "bf16"},
  };
  static const Reduction within[] = {
      {"and", "b32"}, {"or", "b32"},  {"xor", "b32"}, {"add", "u32"},
      {"add", "s32"}, {"add", "u64"}, {"inc", "u32"}, {"dec", "u32"},
      {"min", "u32"}, {"min", "s32"}, {"max", "u32"}, {"max", "s32"},
  };
  for (int round = 0; round < 3; round++) {
    for (size_t i = 0; i < sizeof to_global / sizeof *to_global; i++)
      try_reduction(&to_global[i], TO_GLOBAL);
    for (size_t i = 0; i < sizeof within / sizeof *within; i++) try_reduction(&within[i], WITHIN);
  }
}

// ---- cp.async.bulk.tensor

enum { IMAGE = 1 << 16 };

typedef struct Tile {
  TensorMap map;
  uint32_t bytes;  // of an element
  int32_t at[TENSOR_MAX_RANK];
} Tile;

static uint32_t elements_of(const Tile *tile) {
  uint32_t count = 1;
  for (int d = 0; d < tile->map.rank; d++) count *= tile->map.box[d];
  return count;
}

// Rows of the box have multiples of 16 bytes, swizzled ones one row of chunks at most.
static Tile draw_tile(uint32_t rank) {
  static const uint8_t elements[] = {0, 1, 2, 8}, sizes[] = {1, 2, 4, 8};
  Tile tile = {0};
  uint32_t e = below(4), inner = 16 << below(4), room = BOX / inner;
  tile.bytes = sizes[e];
  tile.map = (TensorMap){.magic = TENSOR_MAP_MAGIC, .element = elements[e], .rank = (uint8_t)rank};
  while (inner >= 32 && tile.map.swizzle < 3 && 16u << tile.map.swizzle < inner) tile.map.swizzle++;
  if (below(2)) tile.map.swizzle = 0;
  tile.map.box[0] = inner / tile.bytes;
  tile.map.size[0] = tile.map.box[0] + below(32);
  uint64_t stride = (tile.map.size[0] * tile.bytes + 15) / 16 * 16;
  for (uint32_t d = 1; d < rank; d++) {
    tile.map.stride[d - 1] = stride;
    tile.map.size[d] = 1 + below(4);
    stride *= tile.map.size[d];
    tile.map.box[d] = 1 + below(room < 4 ? room : 4);
    room /= tile.map.box[d];
  }
  assert_true(stride <= IMAGE);
  for (uint32_t d = 0; d < rank; d++)
    tile.at[d] = (int32_t)below((uint32_t)tile.map.size[d] + 4) - 2;
  return tile;
}

// Element i of the box: its place in the image, or -1 outside; and in shared memory.
static int64_t image_place(const Tile *tile, uint32_t i) {
  int64_t place = 0;
  for (int d = 0; d < tile->map.rank; i /= tile->map.box[d], d++) {
    int64_t at = tile->at[d] + (int64_t)(i % tile->map.box[d]);
    if (at < 0 || at >= (int64_t)tile->map.size[d]) return -1;
    place += at * (d ? (int64_t)tile->map.stride[d - 1] : (int64_t)tile->bytes);
  }
  return place;
}

// The manual's figures: the chunk of 16 bytes of a row, xor the number of the line of 128 bytes.
static uint32_t box_place(const Tile *tile, uint32_t i) {
  uint32_t at = i * tile->bytes, chunks = 1u << tile->map.swizzle;
  return at ^ (at / 128 % chunks) * 16;
}

static void run_tile(const Tile *tile, bool is_load, uint8_t *box, uint8_t *image) {
  char text[TEXT], where[96] = "";
  uint8_t map[TENSOR_MAP_BYTES];
  memcpy(map, &tile->map, sizeof map);
  for (int d = 0; d < tile->map.rank; d++)
    snprintf(where + strlen(where), sizeof where - strlen(where), "%s%d", d ? ", " : "",
             (int)tile->at[d]);
  char word[320];
  if (is_load)
    snprintf(word, sizeof word,
             "cp.async.bulk.tensor.%ud.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
             "[s], [%%rd2, {%s}], [bar]",
             tile->map.rank, where);
  else
    snprintf(word, sizeof word,
             "cp.async.bulk.tensor.%ud.global.shared::cta.tile.bulk_group [%%rd2, {%s}], [s]",
             tile->map.rank, where);
  snprintf(text, sizeof text,
           HEAD(P(0) "," P(1) "," P(2)) GET(0) GET(1) GET(2)
           // The image lies where the device has put it.
           "st.global.u64 [%%rd2+8], %%rd1;\n" FILL("%%rd0") "mov.u32 %%r6, %u;\n" INIT_BARRIER
                                                             "@%%p1 %s;\n%s" SHOW("%%rd0") TAIL,
           is_load ? elements_of(tile) * tile->bytes : 0, word,
           is_load ? "WAIT:\nmbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n@!%p2 bra WAIT;\n"
                     "bar.sync 0;\n"
                   : "@%p1 cp.async.bulk.commit_group;\n@%p1 cp.async.bulk.wait_group 0;\n"
                     "bar.sync 0;\n");
  text_kernel_run(&(TextKernel){
      .text = text, .buffers = {{box, BOX}, {image, IMAGE}, {map, sizeof map}}, .threads = LANES});
}

static void tiles_are_cut_at_the_edges_of_their_tensor(void **state) {
  (void)state;
  static uint8_t box[BOX], image[IMAGE], wanted_box[BOX], wanted[IMAGE];
  for (uint32_t round = 0; round < 40; round++) {
    Tile tile = draw_tile(1 + round % TENSOR_MAX_RANK);
    bool is_load = round / TENSOR_MAX_RANK % 2;
    draw_bytes(box, BOX);
    draw_bytes(image, IMAGE);
    memcpy(wanted_box, box, BOX);
    memcpy(wanted, image, IMAGE);
    for (uint32_t i = 0; i < elements_of(&tile); i++) {
      int64_t place = image_place(&tile, i);
      uint8_t *near = wanted_box + box_place(&tile, i);
      if (is_load) memset(near, 0, tile.bytes);
      if (place < 0) continue;
      memcpy(is_load ? near : wanted + place, is_load ? wanted + place : near, tile.bytes);
    }
    run_tile(&tile, is_load, box, image);
    if (memcmp(box, wanted_box, BOX) != 0 || memcmp(image, wanted, IMAGE) != 0)
      fail_msg("round %u, rank %d, %u bytes, swizzle %d: other results", round, tile.map.rank,
               tile.bytes, tile.map.swizzle);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bulk_copies_move_their_bytes_only),
      cmocka_unit_test(bulk_reductions_are_those_of_the_elements),
      cmocka_unit_test(tiles_are_cut_at_the_edges_of_their_tensor),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
