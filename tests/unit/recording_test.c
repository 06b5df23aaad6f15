// SPDX-License-Identifier: MIT
// Recordings as files: what is written is read, warp by warp and CTA by CTA in any order; a file of
// which any byte has changed, or which ends early, is refused.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/version.h"
#include "trace/recording_reader.h"
#include "trace/recording_writer.h"
#include "unit/cmocka_all.h"

enum { CTAS = 6, WARPS = 3, CODE = 64, SEGMENTS = 2 };

static char path[64];

// Each warp has steps of its own.
static uint32_t steps_of(uint32_t cta, uint32_t warp, uint32_t segment) {
  return (cta * 7 + warp * 3 + segment) % 23;
}

static Step step_of(uint32_t cta, uint32_t warp, uint32_t i, uint64_t *address) {
  Step step = {.pc = (cta + warp * 5 + i) % CODE, .mask = FULL_MASK >> (i % 5)};
  if (i % 3) return step;
  step.access = (StepAccess){.mask = step.mask, .space = SPACE_GLOBAL, .bytes = 4};
  for (uint32_t l = 0; l < WARP_LANES; l++)
    address[l] = 0x1000u * cta + 0x100u * warp + l * (i % 7) * 4 + (l * l * cta) % 64;
  return step;
}

static void write_ctas(RecordingWriter *writer, SegmentList *list) {
  uint64_t address[WARP_LANES];
  StepEncoder encoders[WARPS] = {{0}};
  const uint8_t *parts[WARPS];
  size_t counts[WARPS];
  for (uint32_t s = 0; s < SEGMENTS; s++)
    for (uint32_t n = 0; n < CTAS; n++) {
      uint32_t cta = n * 5 % CTAS;  // as they complete
      for (uint32_t w = 0; w < WARPS; w++) {
        step_encoder_restart(&encoders[w]);
        for (uint32_t i = 0; i < steps_of(cta, w, s); i++) {
          Step step = step_of(cta, w, i, address);
          step_encoder_add(&encoders[w], &step, address);
        }
        step_encoder_flush(&encoders[w]);
        parts[w] = encoders[w].bytes;
        counts[w] = encoders[w].used;
      }
      recording_writer_segment(writer, list, cta, parts, counts, WARPS);
    }
  for (uint32_t w = 0; w < WARPS; w++) memory_free(encoders[w].bytes);
}

static void write_recording(void) {
  RecordingWriter *writer;
  Error err;
  static const char text[] = "// PTX\n";
  assert_int_equal(recording_writer_create(&writer, path, &err), OK);
  RecordedText texts = {.path = "a.ptx",
                        .block = recording_writer_block(writer, text, sizeof text - 1)};
  RecordedModule module = {
      .base_address = 4096, .compiler = {true, 70}, .digest = 77, .texts = &texts, .text_count = 1};
  RecordedKernel kernel = {.name = "kernel",
                           .grid = {CTAS, 1, 1},
                           .block = {WARPS * WARP_LANES, 1, 1},
                           .registers = 20,
                           .stream = 3,
                           .priority = -2,
                           .start = {.is_first = true}};
  SegmentList *list = recording_writer_kernel(writer);
  write_ctas(writer, list);
  recording_writer_kernel_end(writer, list, &kernel);
  RecordingContents contents = {.heddle = "1",
                                .input = "program",
                                .gpu = "v100",
                                .scheme = "gto",
                                .causes = CAUSE_CLOCK | CAUSE_RACE,
                                .modules = &module,
                                .module_count = 1,
                                .kernels = &kernel,
                                .kernel_count = 1};
  assert_int_equal(recording_writer_finish(writer, &contents, &err), OK);
}

static void check_warp(RecordedSteps *steps, uint32_t cta, uint32_t w) {
  uint64_t expected[WARP_LANES], address[WARP_LANES];
  Step step;
  RecordedWarp *warp = recorded_warp_open(steps, cta, w);
  for (uint32_t s = 0; s < SEGMENTS; s++)
    for (uint32_t i = 0; i < steps_of(cta, w, s); i++) {
      Step own = step_of(cta, w, i, expected);
      assert_true(recorded_warp_next(warp, &step, address));
      assert_int_equal(step.pc, own.pc);
      assert_int_equal(step.mask, own.mask);
      assert_int_equal(step.access.mask, own.access.mask);
      for (uint32_t l = 0; l < WARP_LANES; l++)
        if (own.access.mask >> l & 1) assert_int_equal(address[l], expected[l]);
    }
  assert_false(recorded_warp_next(warp, &step, address));
  recorded_warp_close(warp);
}

static void check_recording(void) {
  Recording *recording;
  RecordedSteps *steps;
  Error err;
  char *text;
  size_t length;
  assert_true(recording_is(path));
  assert_int_equal(recording_open(&recording, path, &err), OK);
  const RecordingContents *contents = recording_contents(recording);
  assert_string_equal(contents->gpu, "v100");
  assert_string_equal(contents->input, "program");
  assert_int_equal(contents->causes, CAUSE_CLOCK | CAUSE_RACE);
  assert_int_equal(contents->modules[0].digest, 77);
  assert_true(contents->modules[0].compiler.optimise);
  assert_int_equal(recording_text(recording, contents->modules[0].texts, &text, &length, &err), OK);
  assert_string_equal(text, "// PTX\n");
  memory_free(text);
  const RecordedKernel *kernel = contents->kernels;
  assert_string_equal(kernel->name, "kernel");
  assert_int_equal(kernel->priority, -2);
  assert_int_equal(kernel->stream, 3);
  assert_int_equal(recorded_steps_open(&steps, recording, kernel, CODE, &err), OK);
  for (uint32_t n = 0; n < CTAS * WARPS; n++) {
    uint32_t at = n * 77 % (CTAS * WARPS);
    check_warp(steps, at / WARPS, at % WARPS);
  }
  assert_int_equal(recording_check(recording, &err), OK);
  recorded_steps_close(steps);
  recording_close(recording);
}

static void a_recording_is_read_as_it_was_written(void **state) {
  (void)state;
  write_recording();
  check_recording();
}

// Whether anything of the file is refused when all of it is read.
static bool is_refused(Error *err) {
  Recording *recording;
  RecordedSteps *steps = NULL;
  uint64_t address[WARP_LANES];
  char *text = NULL;
  size_t length;
  Step step;
  if (recording_open(&recording, path, err) != OK) return true;
  const RecordingContents *contents = recording_contents(recording);
  Status status = recording_text(recording, contents->modules[0].texts, &text, &length, err);
  memory_free(text);
  if (status == OK) status = recorded_steps_open(&steps, recording, contents->kernels, CODE, err);
  for (uint32_t n = 0; status == OK && n < CTAS * WARPS; n++) {
    RecordedWarp *warp = recorded_warp_open(steps, n / WARPS, n % WARPS);
    while (recorded_warp_next(warp, &step, address)) assert_in_range(step.pc, 0, CODE - 1);
    recorded_warp_close(warp);
    status = recording_check(recording, err);
  }
  recorded_steps_close(steps);
  recording_close(recording);
  return status != OK;
}

static uint8_t *read_file(size_t *count) {
  FILE *file = fopen(path, "rb");
  uint8_t *bytes = memory_alloc(1 << 20);
  *count = fread(bytes, 1, 1 << 20, file);
  fclose(file);
  return bytes;
}

static void write_file(const uint8_t *bytes, size_t count) {
  FILE *file = fopen(path, "wb");
  assert_int_equal(fwrite(bytes, 1, count, file), count);
  fclose(file);
}

// Zstandard's frames have a bit without a meaning.
static void a_changed_byte_is_noticed_or_changes_nothing(void **state) {
  (void)state;
  Error err;
  size_t count;
  write_recording();
  uint8_t *bytes = read_file(&count);
  size_t noticed = 0;
  for (size_t i = 0; i < count; i++) {
    bytes[i] ^= (uint8_t)(1u << i % 8);
    write_file(bytes, count);
    memset(&err, 0, sizeof err);
    bool is_noticed = is_refused(&err);
    noticed += is_noticed;
    if (is_noticed)
      assert_non_null(strstr(err.text, path));
    else
      check_recording();
    bytes[i] ^= (uint8_t)(1u << i % 8);
  }
  assert_in_range(noticed, count - 8, count);
  memory_free(bytes);
}

static void a_file_that_ends_early_is_refused(void **state) {
  (void)state;
  Error err;
  size_t count;
  write_recording();
  uint8_t *bytes = read_file(&count);
  for (size_t end = 0; end < count; end += 7) {
    write_file(bytes, end);
    assert_true(is_refused(&err));
  }
  memory_free(bytes);
}

static void another_version_is_named(void **state) {
  (void)state;
  Error err;
  size_t count;
  write_recording();
  uint8_t *bytes = read_file(&count);
  bytes[8] = 9;
  write_file(bytes, count);
  assert_true(is_refused(&err));
  assert_non_null(strstr(err.text, "version 9"));
  memory_free(bytes);
}

static void an_unfinished_recording_leaves_no_file(void **state) {
  (void)state;
  RecordingWriter *writer;
  Error err;
  unlink(path);
  assert_int_equal(recording_writer_create(&writer, path, &err), OK);
  recording_writer_block(writer, "x", 1);
  recording_writer_discard(writer);
  assert_int_not_equal(access(path, F_OK), 0);
}

static int make_path(void **state) {
  (void)state;
  snprintf(path, sizeof path, "/tmp/recording_test_%ld.htrace", (long)getpid());
  return 0;
}

static int remove_path(void **state) {
  (void)state;
  unlink(path);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_recording_is_read_as_it_was_written),
      cmocka_unit_test(a_changed_byte_is_noticed_or_changes_nothing),
      cmocka_unit_test(a_file_that_ends_early_is_refused),
      cmocka_unit_test(another_version_is_named),
      cmocka_unit_test(an_unfinished_recording_leaves_no_file),
  };
  return cmocka_run_group_tests(tests, make_path, remove_path);
}
