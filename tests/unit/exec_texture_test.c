// SPDX-License-Identifier: MIT
// Texture reads: sampling, filtering, boundaries, formats.
#include "exec/texture/texture.h"

#include <math.h>

#include "unit/memory_support.h"

// A rig with a table of textures, and an image of 8 x 4 floats (or other
// texels) whose value at x, y is 10 * y + x.
static TextureTable *with_table(Rig *rig) {
  return rig->context.textures = texture_table_create();
}

static Texture float_image(Rig *rig) {
  Texture texture = {.width = 8,
                     .height = 4,
                     .pitch_bytes = 64,
                     .channel_bits = {32},
                     .channel = CHANNEL_FLOAT,
                     .addressing = {ADDRESS_CLAMP, ADDRESS_CLAMP, ADDRESS_CLAMP}};
  texture.address = rig_alloc(rig, 64 * 4);
  for (int y = 0; y < 4; y++)
    for (int x = 0; x < 8; x++) {
      float value = (float)(10 * y + x);
      memcpy(rig_host(rig, texture.address) + y * 64 + x * 4, &value, 4);
    }
  return texture;
}

static uint64_t handle_of(Rig *rig, const Texture *texture) {
  uint64_t handle = 0;
  assert_int_equal(texture_table_add(rig->context.textures, texture, &handle, NULL), OK);
  return handle;
}

static bool tex(Rig *rig, uint64_t handle, Mode mode, DataType type, DataType coordinate,
                const uint32_t *coordinates, int count) {
  Instruction *in = rig_form(rig, (Form){.op = OP_TEX,
                                         .mode = (uint8_t)mode,
                                         .type = (uint8_t)type,
                                         .type2 = (uint8_t)coordinate,
                                         .vector = 4});
  rig_ramp_64(rig, D(0), handle, 0);
  in->src[0] = D(0);
  for (int k = 0; k < count; k++) {
    in->src[1 + k] = R(k);
    rig_ramp_32(rig, R(k), coordinates[k], 0);
  }
  for (int c = 0; c < 4; c++) in->dst[c] = R(8 + c);
  return rig_run(rig, exec_find_texture, 1 << 3);
}

static float at_2d(Rig *rig, uint64_t handle, float x, float y) {
  const uint32_t coordinates[2] = {bits_of_float(x), bits_of_float(y)};
  assert_true(tex(rig, handle, MODE_TEX_2D, TYPE_F32, TYPE_F32, coordinates, 2));
  return float_of_bits(rig_32(rig, R(8))[3]);
}

static void point_sampling_takes_the_texel_that_holds_the_point(void **state) {
  Rig *rig = *state;
  TextureTable *table = with_table(rig);
  Texture image = float_image(rig);
  uint64_t handle = handle_of(rig, &image);
  assert_true(at_2d(rig, handle, 3.0f, 2.0f) == 23);
  assert_true(at_2d(rig, handle, 3.99f, 2.99f) == 23);
  assert_int_equal(rig->context.access.space, SPACE_TEXTURE);
  assert_int_equal(rig->context.access.mask, 1 << 3);
  assert_int_equal(rig->context.access.bytes, 4);
  assert_int_equal(rig->context.access.address[3], image.address + 2 * 64 + 3 * 4);
  assert_true(at_2d(rig, handle, -5.0f, 9.0f) == 30);  // clamped
  assert_true(at_2d(rig, handle, 1e30f, -INFINITY) == 7);
  assert_true(at_2d(rig, handle, NAN, 0) == 0);
  assert_int_equal(rig_32(rig, R(9))[3], 0);
  texture_table_destroy(table);
}

static void linear_filtering_weighs_neighbours_with_eight_bits(void **state) {
  Rig *rig = *state;
  TextureTable *table = with_table(rig);
  Texture image = float_image(rig);
  image.filter = FILTER_LINEAR;
  uint64_t handle = handle_of(rig, &image);
  assert_true(at_2d(rig, handle, 3.5f, 2.5f) == 23);
  assert_true(at_2d(rig, handle, 4.0f, 2.5f) == 23.5f);
  assert_true(at_2d(rig, handle, 4.0f, 2.0f) == 18.5f);
  assert_true(at_2d(rig, handle, 0.0f, 0.5f) == 0);  // both neighbours clamp to texel 0
  // A fraction of 0.3 becomes 77/256.
  assert_true(at_2d(rig, handle, 3.8f, 0.5f) == 3 + 77.0f / 256);
  assert_int_equal(rig->context.access.address[3], image.address + 3 * 4);
  texture_table_destroy(table);
}

static void the_border_is_zero_and_blends_in(void **state) {
  Rig *rig = *state;
  TextureTable *table = with_table(rig);
  Texture image = float_image(rig);
  image.addressing[0] = ADDRESS_BORDER;
  uint64_t point = handle_of(rig, &image);
  assert_true(at_2d(rig, point, 8.0f, 1.0f) == 0);
  assert_int_equal(rig->context.access.mask, 0);
  assert_true(at_2d(rig, point, 7.9f, 1.0f) == 17);
  image.filter = FILTER_LINEAR;
  uint64_t linear = handle_of(rig, &image);
  assert_true(at_2d(rig, linear, 8.0f, 1.5f) == 8.5f);
  texture_table_destroy(table);
}

static void normalized_coordinates_wrap_and_mirror(void **state) {
  Rig *rig = *state;
  TextureTable *table = with_table(rig);
  Texture image = float_image(rig);
  image.normalized_coordinates = true;
  image.addressing[0] = ADDRESS_WRAP;
  image.addressing[1] = ADDRESS_MIRROR;
  uint64_t handle = handle_of(rig, &image);
  assert_true(at_2d(rig, handle, 3.5f / 8, 0.6f) == 23);
  assert_true(at_2d(rig, handle, 1 + 3.5f / 8, 0.6f) == 23);
  assert_true(at_2d(rig, handle, -1 + 3.5f / 8, 0.6f) == 23);
  assert_true(at_2d(rig, handle, -0.01f, 0.1f) == 7);
  assert_true(at_2d(rig, handle, 0, 1.1f) == 30);  // 1.1 is 0.9
  assert_true(at_2d(rig, handle, 0, 1.9f) == 0);   // 1.9 is 0.1
  assert_true(at_2d(rig, handle, 0, 2.3f) == 10);  // and 2.3 is 0.3
  assert_true(at_2d(rig, handle, 0, -0.3f) == 10);
  image.filter = FILTER_LINEAR;
  uint64_t linear = handle_of(rig, &image);
  assert_true(at_2d(rig, linear, 0, 0.125f) == 3.5f);  // between texels 7 and 0
  assert_true(at_2d(rig, linear, 1.0f / 16, 1.0f) == 30);
  texture_table_destroy(table);
}

static void texels_of_each_kind_are_decoded(void **state) {
  Rig *rig = *state;
  TextureTable *table = with_table(rig);
  Texture image = {.width = 4,
                   .channel_bits = {8, 8, 8, 8},
                   .channel = CHANNEL_UNSIGNED,
                   .addressing = {ADDRESS_CLAMP}};
  image.address = rig_alloc(rig, 64);
  static const uint8_t bytes[8] = {0, 51, 128, 255, 0x00, 0x3c, 0x00, 0xc0};
  memcpy(rig_host(rig, image.address), bytes, 8);
  const uint32_t zero = 0;

  assert_true(tex(rig, handle_of(rig, &image), MODE_TEX_1D, TYPE_U32, TYPE_S32, &zero, 1));
  for (int c = 0; c < 4; c++) assert_int_equal(rig_32(rig, R(8 + c))[3], bytes[c]);
  assert_int_equal(rig->context.access.bytes, 4);

  image.normalized_values = true;
  assert_true(tex(rig, handle_of(rig, &image), MODE_TEX_1D, TYPE_F32, TYPE_S32, &zero, 1));
  assert_true(float_of_bits(rig_32(rig, R(9))[3]) == 0.2f);
  assert_true(float_of_bits(rig_32(rig, R(11))[3]) == 1);

  image.channel = CHANNEL_SIGNED;
  assert_true(tex(rig, handle_of(rig, &image), MODE_TEX_1D, TYPE_F32, TYPE_S32, &zero, 1));
  assert_true(float_of_bits(rig_32(rig, R(10))[3]) == -1);
  assert_true(float_of_bits(rig_32(rig, R(11))[3]) == -1.0f / 127);

  image.normalized_values = false;
  assert_true(tex(rig, handle_of(rig, &image), MODE_TEX_1D, TYPE_S32, TYPE_S32, &zero, 1));
  assert_int_equal(rig_32(rig, R(10))[3], (uint32_t)-128);

  const Texture halves = {.address = image.address + 4,
                          .width = 1,
                          .channel_bits = {16, 16},
                          .channel = CHANNEL_FLOAT,
                          .addressing = {ADDRESS_CLAMP}};
  assert_true(tex(rig, handle_of(rig, &halves), MODE_TEX_1D, TYPE_F32, TYPE_S32, &zero, 1));
  assert_true(float_of_bits(rig_32(rig, R(8))[3]) == 1);
  assert_true(float_of_bits(rig_32(rig, R(9))[3]) == -2);
  assert_int_equal(rig_32(rig, R(10))[3], 0);
  texture_table_destroy(table);
}

static void a_fetch_beyond_the_end_is_zero(void **state) {
  Rig *rig = *state;
  TextureTable *table = with_table(rig);
  Texture image = float_image(rig);
  uint64_t handle = handle_of(rig, &image);
  static const int32_t indices[] = {7, 8, -1, INT32_MIN, INT32_MAX};
  static const float expected[] = {7, 0, 0, 0, 0};
  for (int k = 0; k < 5; k++) {
    uint32_t index = (uint32_t)indices[k];
    assert_true(tex(rig, handle, MODE_TEX_1D, TYPE_F32, TYPE_S32, &index, 1));
    assert_true(float_of_bits(rig_32(rig, R(8))[3]) == expected[k]);
  }
  texture_table_destroy(table);
}

static void slices_and_layers_lie_behind_each_other(void **state) {
  Rig *rig = *state;
  TextureTable *table = with_table(rig);
  Texture image = float_image(rig);
  image.height = 2;
  image.depth = 2;
  image.slice_bytes = 128;
  uint64_t volume = handle_of(rig, &image);
  const uint32_t point[3] = {bits_of_float(3.5f), bits_of_float(1.5f), bits_of_float(1.5f)};
  assert_true(tex(rig, volume, MODE_TEX_3D, TYPE_F32, TYPE_F32, point, 3));
  assert_true(float_of_bits(rig_32(rig, R(8))[3]) == 33);
  image.filter = FILTER_LINEAR;
  uint64_t smooth = handle_of(rig, &image);
  const uint32_t middle[3] = {bits_of_float(4), bits_of_float(1), bits_of_float(1)};
  assert_true(tex(rig, smooth, MODE_TEX_3D, TYPE_F32, TYPE_F32, middle, 3));
  assert_true(float_of_bits(rig_32(rig, R(8))[3]) == 3.5f + 5 + 10);

  image.layers = 2;
  image.filter = FILTER_POINT;
  uint64_t layered = handle_of(rig, &image);
  const uint32_t second[3] = {1, bits_of_float(2.5f), bits_of_float(1.5f)};
  assert_true(tex(rig, layered, MODE_TEX_A2D, TYPE_F32, TYPE_F32, second, 3));
  assert_true(float_of_bits(rig_32(rig, R(8))[3]) == 32);
  const uint32_t last[2] = {9, bits_of_float(2.5f)};  // layers clamp
  assert_true(tex(rig, layered, MODE_TEX_A1D, TYPE_F32, TYPE_F32, last, 2));
  assert_true(float_of_bits(rig_32(rig, R(8))[3]) == 22);
  texture_table_destroy(table);
}

static void a_texture_that_is_not_bound_is_a_fault(void **state) {
  Rig *rig = *state;
  const uint32_t zero = 0;
  assert_false(tex(rig, TEXTURE_WINDOW, MODE_TEX_1D, TYPE_F32, TYPE_S32, &zero, 1));
  TextureTable *table = with_table(rig);
  Texture image = float_image(rig);
  uint64_t reference = TEXTURE_WINDOW + 5 * TEXTURE_STRIDE;
  assert_false(tex(rig, reference, MODE_TEX_1D, TYPE_F32, TYPE_S32, &zero, 1));
  assert_int_equal(rig->context.fault.kind, FAULT_BAD_TEXTURE);
  assert_int_equal(rig->context.fault.lane, 3);
  assert_int_equal(rig->context.fault.address, reference);
  assert_int_equal(texture_table_bind(table, reference, &image, NULL), OK);
  assert_true(tex(rig, reference, MODE_TEX_1D, TYPE_F32, TYPE_S32, &zero, 1));
  texture_table_remove(table, reference);
  assert_null(texture_table_find(table, reference));

  // One whose memory is not there.
  image.address += 0x10000;
  assert_false(tex(rig, handle_of(rig, &image), MODE_TEX_1D, TYPE_F32, TYPE_S32, &zero, 1));
  assert_int_equal(rig->context.fault.kind, FAULT_OUT_OF_BOUNDS);
  assert_int_equal(rig->context.fault.space, SPACE_TEXTURE);
  texture_table_destroy(table);
}

static void queries_tell_the_size(void **state) {
  Rig *rig = *state;
  TextureTable *table = with_table(rig);
  Texture image = float_image(rig);
  image.depth = 3;
  rig_ramp_64(rig, D(0), handle_of(rig, &image), 0);
  static const uint8_t modes[] = {MODE_TEX_WIDTH, MODE_TEX_HEIGHT, MODE_TEX_DEPTH};
  static const uint32_t expected[] = {8, 4, 3};
  for (int k = 0; k < 3; k++) {
    Instruction *in = rig_form(rig, (Form){.op = OP_TXQ, .mode = modes[k], .type = TYPE_B32});
    in->src[0] = D(0);
    in->dst[0] = R(0);
    assert_true(rig_run(rig, exec_find_texture, FULL_MASK));
    assert_int_equal(rig_32(rig, R(0))[17], expected[k]);
  }
  texture_table_destroy(table);
}

// 64 bytes by 8 rows to a block: sectors of 16 bytes by 2 rows, four of them, two by two, to a
// line of 128 bytes; then down, then right.
static void an_array_in_blocks_has_its_neighbours_in_one_line(void **state) {
  (void)state;
  static const struct {
    uint32_t x, y, slice, place;
  } wanted[] = {{0, 0, 0, 0},    {15, 0, 0, 15},   {0, 1, 0, 16},   {16, 0, 0, 32},
                {0, 2, 0, 64},   {31, 3, 0, 127},  {0, 4, 0, 128},  {32, 0, 0, 256},
                {63, 7, 0, 511}, {64, 0, 0, 512},  {0, 8, 0, 4096}, {511, 15, 0, 8191},
                {0, 0, 1, 8192}, {64, 9, 1, 12816}};
  Texture texture = {
      .address = 0x10000, .pitch_bytes = 512, .slice_bytes = 8192, .in_blocks = true};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    uint64_t row = 0x10000 + wanted[i].slice * 8192u + wanted[i].y * 512u + wanted[i].x;
    assert_int_equal(texture_machine_address(&texture, row), 0x10000 + wanted[i].place);
    texture.in_blocks = false;
    assert_int_equal(texture_machine_address(&texture, row), row);
    texture.in_blocks = true;
  }
}

// The values stay where they were; the machine sees the place in the block.
static void a_read_of_blocks_shows_the_machine_their_addresses(void **state) {
  Rig *rig = *state;
  TextureTable *table = with_table(rig);
  Texture image = float_image(rig);
  image.in_blocks = true;
  uint64_t handle = handle_of(rig, &image);
  assert_float_equal(at_2d(rig, handle, 5.5f, 3.5f), 35, 0);
  // Byte 20 of row 3: the second sector from the left, in the second pair of rows, its second row.
  assert_int_equal(rig->context.access.address[3], image.address + 64 + 32 + 16 + 4);
  texture_table_destroy(table);
}

static void the_table_refuses_what_no_texture_can_be(void **state) {
  (void)state;
  TextureTable *table = texture_table_create();
  Texture good = {.width = 4, .channel_bits = {32}, .channel = CHANNEL_FLOAT};
  uint64_t handle, first;
  assert_int_equal(texture_table_add(table, &good, &first, NULL), OK);
  Texture bad = good;
  bad.channel_bits[0] = 24;
  assert_int_equal(texture_table_add(table, &bad, &handle, NULL), ERR_UNSUPPORTED);
  bad = good;
  bad.channel_bits[1] = 16;
  assert_int_equal(texture_table_add(table, &bad, &handle, NULL), ERR_UNSUPPORTED);
  bad = good;
  bad.width = 0;
  assert_int_equal(texture_table_add(table, &bad, &handle, NULL), ERR_CONFIG);
  assert_int_equal(texture_table_bind(table, TEXTURE_WINDOW + 3, &good, NULL), ERR_CONFIG);
  assert_int_equal(texture_table_bind(table, 64, &good, NULL), ERR_CONFIG);
  assert_null(texture_table_find(table, 0));
  assert_null(texture_table_find(table, UINT64_MAX));
  texture_table_remove(table, first);
  assert_int_equal(texture_table_add(table, &good, &handle, NULL), OK);
  assert_int_equal(handle, first);
  texture_table_destroy(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      RIG_TEST(point_sampling_takes_the_texel_that_holds_the_point),
      RIG_TEST(linear_filtering_weighs_neighbours_with_eight_bits),
      RIG_TEST(the_border_is_zero_and_blends_in),
      RIG_TEST(normalized_coordinates_wrap_and_mirror),
      RIG_TEST(texels_of_each_kind_are_decoded),
      RIG_TEST(a_fetch_beyond_the_end_is_zero),
      RIG_TEST(slices_and_layers_lie_behind_each_other),
      RIG_TEST(a_texture_that_is_not_bound_is_a_fault),
      RIG_TEST(queries_tell_the_size),
      RIG_TEST(an_array_in_blocks_has_its_neighbours_in_one_line),
      RIG_TEST(a_read_of_blocks_shows_the_machine_their_addresses),
      RIG_TEST(the_table_refuses_what_no_texture_can_be),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
