// SPDX-License-Identifier: MIT
// ldmatrix, stmatrix and cp.async with random places and values, against what the manual's text
// says, written out for the host.
#include <stdio.h>

#include "unit/text_kernel.h"

enum { ROUNDS = 12 };

// 32 different multiples of 16 below 4096.
static void draw_places(uint32_t places[LANES]) {
  uint32_t all[BOX / 16];
  for (uint32_t i = 0; i < BOX / 16; i++) all[i] = 16 * i;
  for (uint32_t i = 0; i < LANES; i++) {
    uint32_t j = i + below(BOX / 16 - i), kept = all[i];
    places[i] = all[j];
    all[j] = kept;
  }
}

// ---- ldmatrix, stmatrix

// The elements of lane `lane` in register j: where lanes 8j to 8j + 7 say rows are.
static uint16_t *matrix_element(uint8_t *box, const uint32_t *places, bool transposed, int j,
                                int lane, int half) {
  int row = lane / 4, column = lane % 4 * 2 + half;
  if (transposed) {
    int kept = row;
    row = column;
    column = kept;
  }
  return (uint16_t *)(void *)(box + places[8 * j + row] + 2 * column);
}

static const char *const register_lists[] = {
    [1] = "{%r10}", [2] = "{%r10, %r11}", [4] = "{%r10, %r11, %r12, %r13}"};

static void try_load_matrix(int count, bool transposed) {
  static _Alignas(16) uint8_t box[BOX];
  uint32_t places[LANES], out[LANES][4] = {0};
  char text[TEXT];
  draw_bytes(box, sizeof box);
  draw_places(places);
  snprintf(text, sizeof text,
           HEAD(P(0) "," P(1) "," P(2)) GET(0) GET(1) GET(2) FILL("%%rd0")
           "mul.wide.u32 %%rd3, %%r0, 4;\nadd.u64 %%rd3, %%rd3, %%rd1;\n"
           "ld.global.u32 %%r5, [%%rd3];\nmov.u32 %%r6, s;\nadd.u32 %%r5, %%r5, %%r6;\n"
           "mov.u32 %%r10, 0;\nmov.u32 %%r11, 0;\nmov.u32 %%r12, 0;\nmov.u32 %%r13, 0;\n"
           "ldmatrix.sync.aligned.m8n8.x%d%s.shared.b16 %s, [%%r5];\n"
           "mul.wide.u32 %%rd4, %%r0, 16;\nadd.u64 %%rd4, %%rd4, %%rd2;\n"
           "st.global.v4.u32 [%%rd4], {%%r10, %%r11, %%r12, %%r13};\n" TAIL,
           count, transposed ? ".trans" : "", register_lists[count]);
  text_kernel_run(&(TextKernel){.text = text,
                                .buffers = {{box, BOX}, {places, sizeof places}, {out, sizeof out}},
                                .threads = LANES});
  for (int lane = 0; lane < LANES; lane++)
    for (int j = 0; j < 4; j++) {
      uint32_t low = j < count ? *matrix_element(box, places, transposed, j, lane, 0) : 0;
      uint32_t high = j < count ? *matrix_element(box, places, transposed, j, lane, 1) : 0;
      assert_int_equal(out[lane][j], low | high << 16);
    }
}

static void try_store_matrix(int count, bool transposed) {
  static _Alignas(16) uint8_t box[BOX], wanted[BOX];
  uint32_t places[LANES], in[LANES][4];
  char text[TEXT];
  draw_bytes(box, sizeof box);
  draw_bytes(in, sizeof in);
  draw_places(places);
  memcpy(wanted, box, BOX);
  for (int lane = 0; lane < LANES; lane++)
    for (int i = 0; i < 2 * count; i++)
      *matrix_element(wanted, places, transposed, i / 2, lane, i % 2) =
          (uint16_t)(in[lane][i / 2] >> 16 * (i % 2));
  snprintf(text, sizeof text,
           HEAD(P(0) "," P(1) "," P(2)) GET(0) GET(1) GET(2) FILL("%%rd0")
           "mul.wide.u32 %%rd3, %%r0, 4;\nadd.u64 %%rd3, %%rd3, %%rd1;\n"
           "ld.global.u32 %%r5, [%%rd3];\nmov.u32 %%r6, s;\nadd.u32 %%r5, %%r5, %%r6;\n"
           "mul.wide.u32 %%rd4, %%r0, 16;\nadd.u64 %%rd4, %%rd4, %%rd2;\n"
           "ld.global.v4.u32 {%%r10, %%r11, %%r12, %%r13}, [%%rd4];\n"
           "stmatrix.sync.aligned.m8n8.x%d%s.shared.b16 [%%r5], %s;\nbar.sync 0;\n" SHOW(
               "%%rd0") TAIL,
           count, transposed ? ".trans" : "", register_lists[count]);
  text_kernel_run(&(TextKernel){.text = text,
                                .buffers = {{box, BOX}, {places, sizeof places}, {in, sizeof in}},
                                .threads = LANES});
  assert_memory_equal(box, wanted, BOX);
}

static void matrices_are_moved_by_rows_and_columns(void **state) {
  (void)state;
  for (int round = 0; round < ROUNDS; round++)
    for (int count = 1; count <= 4; count *= 2)
      for (int transposed = 0; transposed < 2; transposed++) {
        try_load_matrix(count, transposed);
        try_store_matrix(count, transposed);
      }
}

// ---- cp.async

// Lane i copies from[i] to to[i]; of `size` bytes, the first size_of[i] come from memory.
static void try_copy(int size, const char *cache, bool has_size) {
  static uint8_t in[BOX], box[BOX], wanted[BOX];
  uint32_t to[LANES], lanes[LANES][4];
  char text[TEXT];
  draw_bytes(in, sizeof in);
  draw_bytes(box, sizeof box);
  draw_places(to);
  memcpy(wanted, box, BOX);
  for (int i = 0; i < LANES; i++) {
    uint32_t count = has_size ? below((uint32_t)size + 1) : (uint32_t)size;
    to[i] += below(16 / (uint32_t)size) * (uint32_t)size;
    lanes[i][0] = to[i];
    lanes[i][1] = below(BOX / (uint32_t)size) * (uint32_t)size;
    lanes[i][2] = count;
    memset(wanted + to[i], 0, (size_t)size);
    memcpy(wanted + to[i], in + lanes[i][1], count);
  }
  snprintf(text, sizeof text,
           HEAD(P(0) "," P(1) "," P(2)) GET(0) GET(1) GET(2) FILL("%%rd0")
           "mul.wide.u32 %%rd3, %%r0, 16;\nadd.u64 %%rd3, %%rd3, %%rd1;\n"
           "ld.global.v4.u32 {%%r5, %%r6, %%r7, %%r8}, [%%rd3];\nmov.u32 %%r9, s;\n"
           "add.u32 %%r5, %%r5, %%r9;\ncvt.u64.u32 %%rd4, %%r6;\nadd.u64 %%rd4, %%rd4, %%rd2;\n"
           "cp.async.%s.shared.global [%%r5], [%%rd4], %d%s;\n%sbar.sync 0;\n" SHOW("%%rd0") TAIL,
           cache, size, has_size ? ", %r7" : "",
           below(2) ? "cp.async.commit_group;\ncp.async.wait_group 0;\n" : "cp.async.wait_all;\n");
  text_kernel_run(&(TextKernel){
      .text = text, .buffers = {{box, BOX}, {lanes, sizeof lanes}, {in, BOX}}, .threads = LANES});
  assert_memory_equal(box, wanted, BOX);
}

static void copies_fill_what_their_source_lacks(void **state) {
  (void)state;
  for (int round = 0; round < ROUNDS; round++)
    for (int has_size = 0; has_size < 2; has_size++) {
      try_copy(4, "ca", has_size);
      try_copy(8, "ca", has_size);
      try_copy(16, "ca", has_size);
      try_copy(16, "cg", has_size);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(matrices_are_moved_by_rows_and_columns),
      cmocka_unit_test(copies_fill_what_their_source_lacks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
