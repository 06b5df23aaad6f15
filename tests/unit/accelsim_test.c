// SPDX-License-Identifier: MIT
// Whole traces of Accel-Sim: compressed in each way, as a container, truncated and damaged; and the
// program that is made of their instructions.
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/memory.h"
#include "frontends/accelsim/kernels_list.h"
#include "frontends/accelsim/trace_kernel.h"
#include "unit/cmocka_all.h"

static char folder[] = "/tmp/heddle-accelsim-XXXXXX";
static char path[256];

static const char header[] =
    "-kernel name = _Z3addPfS_\n-kernel id = 1\n-grid dim = (2,1,1)\n-block dim = (64,1,1)\n"
    "-shmem = 128\n-nregs = 16\n-binary version = 80\n-cuda stream id = 7\n"
    "-shmem base_addr = 0x00007fb139000000\n-local mem base_addr = 0x00007fb137000000\n"
    "-nvbit version = 1.5.3\n-accelsim tracer version = 3\n\n#traces format = whatever\n";
// The second CTA is missing; the second warp has no instructions.
static const char body[] =
    "\n#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = 4\n"
    "0000 ffffffff 1 R2 IMAD.WIDE 3 R4 R5 R6 0 \n"
    "0010 ffffffff 1 R8 LDG.E.128.SYS 1 R2 16 1 0x7f0000000000 16 \n"
    "0020 0000ffff 0 STS 2 R1 R8 4 1 0x10 4 \n"
    "0040 ffffffff 0 EXIT 0 0 \n"
    "\nwarp = 1\ninsts = 0\n\n#END_TB\n";

static const char *write_file(const char *name, const void *bytes, size_t count) {
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, count, file), count);
  fclose(file);
  return path;
}

static char *whole_text(void) {
  static char text[4096];
  snprintf(text, sizeof text, "%s%s", header, body);
  return text;
}

static void assert_is_the_kernel(const char *name) {
  TraceKernel kernel = {0};
  Error err = {0};
  if (trace_kernel_load(&kernel, name, NULL, &err) != OK) fail_msg("%s", err.text);
  assert_string_equal(kernel.made.program->functions->title, "add");
  assert_int_equal(kernel.header.stream, 7);
  assert_int_equal(kernel.instructions, 4);
  assert_int_equal(kernel.empty_warps, 3);
  assert_int_equal(kernel.made.unknown_count, 0);
  void *steps = kernel.replay.open(kernel.replay.self, 0, 0);
  ReplayStep step;
  assert_true(kernel.replay.next(steps, &step));
  assert_true(kernel.replay.next(steps, &step));
  assert_int_equal(step.pc, 1);
  assert_int_equal(step.access.address[3], 0x7f0000000030);
  assert_true(kernel.replay.next(steps, &step));
  assert_int_equal(step.mask, 0xffff);
  assert_int_equal(step.access.address[15], 0x10 + 4 * 15);
  assert_true(kernel.replay.next(steps, &step));
  assert_int_equal(step.pc, 3);
  assert_false(kernel.replay.next(steps, &step));
  kernel.replay.close(steps);
  steps = kernel.replay.open(kernel.replay.self, 1, 1);
  assert_false(kernel.replay.next(steps, &step));
  kernel.replay.close(steps);
  trace_kernel_clear(&kernel);
}

static void a_trace_may_be_plain_or_compressed(void **state) {
  (void)state;
  const char *text = whole_text();
  size_t length = strlen(text), got = 0;
  static uint8_t packed[8192];
  assert_is_the_kernel(write_file("a.traceg", text, length));

  got = ZSTD_compress(packed, sizeof packed, text, length, 3);
  assert_is_the_kernel(write_file("a.traceg.zst", packed, got));

  size_t at = 0;
  assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, (const uint8_t *)text, length,
                                           packed, &at, sizeof packed),
                   LZMA_OK);
  assert_is_the_kernel(write_file("a.traceg.xz", packed, at));

  snprintf(path, sizeof path, "%s/a.traceg.gz", folder);
  gzFile file = gzopen(path, "wb");
  gzwrite(file, text, (unsigned)length);
  gzclose(file);
  assert_is_the_kernel(path);
}

static void put_u32(uint8_t **to, uint32_t value) {
  for (int i = 0; i < 4; i++) *(*to)++ = (uint8_t)(value >> 8 * i);
}

static void put_u64(uint8_t **to, uint64_t value) {
  put_u32(to, (uint32_t)value);
  put_u32(to, (uint32_t)(value >> 32));
}

// The same kernel as a container: header, no dictionary, one warp in two pieces, one empty.
static size_t make_tracez(uint8_t *file) {
  static const char *const pieces[] = {
      "0000 ffffffff 1 R2 IMAD.WIDE 3 R4 R5 R6 0\n"
      "0010 ffffffff 1 R8 LDG.E.128.SYS 1 R2 16 1 0x7f0000000000 16",
      "0020 0000ffff 0 STS 2 R1 R8 4 1 0x10 4\n0040 ffffffff 0 EXIT 0 0"};
  uint8_t *at = file;
  memcpy(at, header, sizeof header);
  at += sizeof header;
  put_u32(&at, 0);
  put_u32(&at, 2);
  uint64_t warp[2];
  warp[0] = (uint64_t)(at - file);
  put_u32(&at, 4);
  put_u32(&at, 2);
  for (int i = 0; i < 2; i++) {
    uint8_t packed[512];
    size_t got = ZSTD_compress(packed, sizeof packed, pieces[i], strlen(pieces[i]), 3);
    put_u32(&at, (uint32_t)got);
    memcpy(at, packed, got);
    at += got;
  }
  warp[1] = (uint64_t)(at - file);
  put_u32(&at, 0);
  put_u32(&at, 0);
  uint64_t index = (uint64_t)(at - file);
  put_u32(&at, 1);
  for (int i = 0; i < 10; i++) put_u32(&at, 0);
  put_u32(&at, 2);
  for (int w = 0; w < 2; w++) {
    put_u32(&at, w ? 0 : 4);
    put_u32(&at, w ? 0 : 2);
    put_u64(&at, warp[w]);
    for (int i = 0; i < (w ? 0 : 2); i++) put_u32(&at, 2);
  }
  put_u64(&at, index);
  return (size_t)(at - file);
}

static void a_container_has_the_same_kernel(void **state) {
  (void)state;
  static uint8_t file[4096];
  size_t size = make_tracez(file);
  assert_is_the_kernel(write_file("a.tracez", file, size));
}

static Status load(const char *name, Error *err) {
  TraceKernel kernel = {0};
  Status status = trace_kernel_load(&kernel, name, NULL, err);
  trace_kernel_clear(&kernel);
  return status;
}

static void a_truncated_trace_is_refused(void **state) {
  (void)state;
  const char *text = whole_text();
  size_t length = strlen(text) - 1;
  Error err;
  for (size_t cut = 1; cut < length - 7; cut += 3) {
    err.text[0] = 0;
    if (load(write_file("cut.traceg", text, cut), &err) == OK &&
        strstr(text, "#BEGIN_TB") - text + 9 < (long)cut)
      fail_msg("accepted the first %zu bytes", cut);
  }
  uint8_t packed[4096];
  size_t got = ZSTD_compress(packed, sizeof packed, text, strlen(text), 3);
  assert_int_equal(load(write_file("cut.traceg.zst", packed, got / 2), &err), ERR_SYNTAX);
  size_t at = 0;
  lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, (const uint8_t *)text, strlen(text), packed,
                          &at, sizeof packed);
  assert_int_equal(load(write_file("cut.traceg.xz", packed, at - 20), &err), ERR_SYNTAX);
}

// No byte of a container may crash the reader.
static void a_damaged_container_is_refused_or_read(void **state) {
  (void)state;
  static uint8_t file[4096], damaged[4096];
  size_t size = make_tracez(file);
  Error err;
  uint32_t refused = 0;
  for (size_t i = 0; i < size; i++) {
    memcpy(damaged, file, size);
    damaged[i] ^= 0x85;
    refused += load(write_file("bad.tracez", damaged, size), &err) != OK;
  }
  assert_true(refused > size / 3);
  for (size_t cut = 0; cut < size; cut += 5)
    assert_int_not_equal(load(write_file("bad.tracez", file, cut), &err), OK);
}

static void errors_name_the_line(void **state) {
  (void)state;
  Error err;
  char text[4096];
  snprintf(text, sizeof text, "%s%s", header,
           "#BEGIN_TB\nthread block = 2,0,0\nwarp = 0\ninsts = 0\n#END_TB\n");
  assert_int_equal(load(write_file("b.traceg", text, strlen(text)), &err), ERR_SYNTAX);
  assert_non_null(strstr(err.text, "b.traceg:16: thread block 2,0,0 is outside the grid"));
  snprintf(text, sizeof text, "%s%s", header,
           "#BEGIN_TB\nthread block = 1,0,0\nwarp = 2\ninsts = 0\n#END_TB\n");
  assert_int_equal(load(write_file("b.traceg", text, strlen(text)), &err), ERR_SYNTAX);
  assert_non_null(strstr(err.text, "warp 2 is outside the thread block"));
  snprintf(text, sizeof text, "%s%s%s", header, body, body);
  assert_int_equal(load(write_file("b.traceg", text, strlen(text)), &err), ERR_SYNTAX);
  assert_non_null(strstr(err.text, "twice"));
}

static void operands_have_the_width_of_their_opcode(void **state) {
  (void)state;
  static const struct {
    const char *line;
    uint8_t destinations, sources;
  } rows[] = {
      {"0000 ffffffff 1 R2 IMAD.WIDE 3 R4 R5 R6 0", 2, 4},
      {"0000 ffffffff 1 R2 IMAD 3 R4 R5 R6 0", 1, 3},
      {"0000 ffffffff 1 R8 LDG.E.128.SYS 1 R2 16 1 0x0 16", 4, 2},
      {"0000 ffffffff 1 R8 LDS.64 1 R2 8 1 0x0 8", 2, 1},
      {"0000 ffffffff 0 STG.E.64 2 R2 R4 8 1 0x0 8", 0, 4},
      {"0000 ffffffff 0 STG.E.64 2 R2 R255 8 1 0x0 8", 0, 2},
      {"0000 ffffffff 1 R8 DFMA 3 R2 R4 R6 0", 2, 6},
      {"0000 ffffffff 1 R8 HMMA.16816.F32 3 R2 R4 R6 0", 4, 10},
      {"0000 ffffffff 1 R8 HMMA.16816.F16 3 R2 R4 R6 0", 2, 8},
      {"0000 ffffffff 1 R8 LDSM.16.M88.4 1 R2 16 1 0x0 16", 4, 1},
      {"0000 ffffffff 1 R254 LDG.E.64 1 R2 8 1 0x0 8", 1, 2},
      {"0000 ffffffff 1 P0 ISETP.GE.AND 2 R2 R3 0", 1, 2},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    SassCode code = {0};
    SassProgram made;
    SassLine line = {0};
    TraceHeader of = {.name = "f", .registers = 32};
    assert_null(sass_line_parse(&line, rows[i].line, 3, false));
    sass_code_add(&code, &line);
    sass_program_make(&made, &code, &of);
    assert_int_equal(made.program->register_uses[0].destination_count, rows[i].destinations);
    assert_int_equal(made.program->register_uses[0].source_count, rows[i].sources);
    program_destroy(made.program);
    sass_code_clear(&code);
  }
}

static void instructions_with_the_same_offset_are_told_apart(void **state) {
  (void)state;
  SassCode code = {0};
  SassLine line = {0};
  assert_null(sass_line_parse(&line, "0010 ffffffff 1 R2 IADD3 3 R4 R5 R6 0", 3, false));
  assert_int_equal(sass_code_add(&code, &line), 0);
  assert_int_equal(sass_code_add(&code, &line), 0);
  assert_null(sass_line_parse(&line, "0010 ffffffff 1 R2 FADD 2 R4 R5 0", 3, false));
  assert_int_equal(sass_code_add(&code, &line), 1);
  assert_null(sass_line_parse(&line, "0000 ffffffff 1 R2 FROBNICATE.X 2 R4 R5 0", 3, false));
  assert_int_equal(sass_code_add(&code, &line), 2);
  SassProgram made;
  sass_program_make(&made, &code, &(TraceHeader){.name = "f"});
  assert_int_equal(made.places[2], 0);
  assert_int_equal(made.places[0], 1);
  assert_int_equal(made.unknown_count, 1);
  assert_string_equal(made.unknown[0].mnemonic, "FROBNICATE");
  program_destroy(made.program);
  sass_code_clear(&code);
}

static void a_list_has_kernels_and_copies(void **state) {
  (void)state;
  static const char text[] =
      "MemcpyHtoD,0x00007fb0fc400000,200000\ncudaMalloc,1\n\nkernel-1.traceg\n"
      "kernel-2-ctx_0x55.traceg.xz\nMemcpyDtoH,0x0,1\n";
  Arena arena = {0};
  KernelsList list;
  Error err;
  assert_int_equal(
      kernels_list_read(&list, write_file("kernelslist.g", text, strlen(text)), &arena, &err), OK);
  assert_int_equal(list.count, 3);
  assert_int_equal(list.kernel_count, 2);
  assert_int_equal(list.commands[0].size_bytes, 200000);
  assert_non_null(strstr(list.commands[2].kernel, "/kernel-2-ctx_0x55.traceg.xz"));
  assert_int_equal(kernels_list_read(&list, write_file("kernelslist.g", "x\n", 2), &arena, &err),
                   ERR_SYNTAX);
  assert_true(kernels_list_is_name("a/kernelslist_ctx_0x5.g"));
  assert_true(kernels_list_is_name("kernel-1.traceg.xz"));
  assert_false(kernels_list_is_name("matrixMul"));
  assert_false(kernels_list_is_name("./program"));
  arena_clear(&arena);
}

static int make_folder(void **state) {
  (void)state;
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
  (void)state;
  char command[300];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_trace_may_be_plain_or_compressed),
      cmocka_unit_test(a_container_has_the_same_kernel),
      cmocka_unit_test(a_truncated_trace_is_refused),
      cmocka_unit_test(a_damaged_container_is_refused_or_read),
      cmocka_unit_test(errors_name_the_line),
      cmocka_unit_test(operands_have_the_width_of_their_opcode),
      cmocka_unit_test(instructions_with_the_same_offset_are_told_apart),
      cmocka_unit_test(a_list_has_kernels_and_copies),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
