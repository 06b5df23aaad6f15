// SPDX-License-Identifier: MIT
// Random recordings: one whose warps can be read to their end, or a clear error.
//
// Checksums would stop almost every change of a file. An input that begins as a file does is read
// as one; any other is the steps of a warp, and the second half of it the table of a kernel, which
// are packed as a file packs them.
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "fuzz_file.h"
#include "trace/recording_reader.h"
#include "trace/recording_writer.h"
#include "trace/step_codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_CTAS = 256, MOST_STEPS = 1 << 16, CODE = 200 };

static void read_warps(Recording *recording, const RecordedKernel *kernel) {
  RecordedSteps *steps;
  Error err = {0};
  uint64_t address[WARP_LANES], count = 0;
  Step step;
  if (recorded_steps_open(&steps, recording, kernel, CODE, &err) != OK) {
    if (!err.text[0]) abort();
    return;
  }
  uint64_t ctas = (uint64_t)kernel->grid[0] * kernel->grid[1] * kernel->grid[2];
  for (uint64_t cta = 0; cta < ctas && cta < MOST_CTAS; cta++) {
    RecordedWarp *warp = recorded_warp_open(steps, cta, 0);
    while (count++ < MOST_STEPS && recorded_warp_next(warp, &step, address))
      if (step.pc >= CODE || step.access.mask & ~step.mask) abort();
    recorded_warp_close(warp);
  }
  recorded_steps_close(steps);
}

static void read_file(const char *path) {
  Recording *recording;
  Error err = {0};
  char *text;
  size_t length;
  if (recording_open(&recording, path, &err) != OK) {
    if (!err.text[0]) abort();
    return;
  }
  const RecordingContents *contents = recording_contents(recording);
  for (uint32_t m = 0; m < contents->module_count; m++)
    for (uint32_t t = 0; t < contents->modules[m].text_count; t++)
      if (recording_text(recording, &contents->modules[m].texts[t], &text, &length, &err) == OK)
        memory_free(text);
  for (uint32_t k = 0; k < contents->kernel_count; k++)
    read_warps(recording, &contents->kernels[k]);
  recording_close(recording);
}

// The steps of one warp.
static void decode(const uint8_t *data, size_t size) {
  StepDecoder decoder;
  Step step;
  uint64_t address[WARP_LANES];
  step_decoder_start(&decoder, data, size, CODE);
  for (uint32_t i = 0; i < MOST_STEPS && step_decoder_next(&decoder, &step, address); i++) {
    if (step.pc >= CODE || step.access.mask & ~step.mask) abort();
    if (step.access.mask && !step_shape_is_valid(step.access.space, step.access.bytes)) abort();
  }
}

// A whole file around contents that are the input's.
static void read_contents(const uint8_t *data, size_t size) {
  size_t group = size / 2, table = size - group;
  char path[64];
  snprintf(path, sizeof path, "/tmp/record_fuzz_%ld.htrace", (long)getpid());
  RecordingWriter *writer;
  Error err;
  if (recording_writer_create(&writer, path, &err) != OK) abort();
  RecordedModule module = {0};
  RecordedKernel kernel = {.name = "k",
                           .grid = {1 + (uint32_t)(size % 5), 1, 1},
                           .block = {32, 1, 1},
                           .start = {.is_first = true}};
  SegmentList *list = recording_writer_kernel(writer);
  const uint8_t *parts[] = {data};
  for (uint32_t cta = 0; cta < kernel.grid[0]; cta++)
    recording_writer_segment(writer, list, cta, parts, &group, 1);
  recording_writer_kernel_end(writer, list, &kernel);
  // The table is the input's, too.
  if (size % 3 == 0) kernel.segments = recording_writer_block(writer, data + group, table);
  if (size % 3 == 0) kernel.segment_count = table / 3;
  RecordingContents contents = {
      .heddle = "", .modules = &module, .module_count = 1, .kernels = &kernel, .kernel_count = 1};
  if (recording_writer_finish(writer, &contents, &err) != OK) abort();
  read_file(path);
  unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size >= 8 && memcmp(data, RECORDING_MAGIC, 8) == 0) {
    read_file(fuzz_file(data, size));
    return 0;
  }
  decode(data, size);
  if (size) read_contents(data, size);
  return 0;
}
