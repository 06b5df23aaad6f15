// SPDX-License-Identifier: MIT
// Expands the abbreviations of a microbenchmark's PTX, runs it and returns its clock readings.
#include "support/microbenchmark.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/files/file.h"
#include "base/memory.h"
#include "exec/memory/device_memory.h"
#include "exec/program_image.h"
#include "frontends/ptx/link/load.h"

// ---- text

enum { MOST_LINE_BYTES = 1024, OUT_BYTES = 4096 };

typedef struct Text {
  char *bytes;
  size_t length, capacity;
} Text;

static void add_bytes(Text *text, const char *bytes, size_t length) {
  if (text->length + length + 1 > text->capacity) {
    text->capacity = (text->length + length + 1) * 2;
    text->bytes = memory_resize(text->bytes, text->capacity);
  }
  memcpy(text->bytes + text->length, bytes, length);
  text->length += length;
  text->bytes[text->length] = '\0';
}

// One line for one chain: `#` becomes its number, OFFSET# its offset.
static void add_chain(Text *text, const char *line, uint32_t chain, uint32_t step) {
  static const char offset[] = "OFFSET#";
  char number[16];
  for (; *line; line++) {
    bool is_offset = strncmp(line, offset, sizeof offset - 1) == 0;
    if (is_offset)
      line += sizeof offset - 2;
    else if (*line != '#') {
      add_bytes(text, line, 1);
      continue;
    }
    int length = snprintf(number, sizeof number, "%u", is_offset ? (chain - 1) * step : chain);
    add_bytes(text, number, (size_t)length);
  }
  add_bytes(text, "\n", 1);
}

static void add_line(Text *text, const char *line, uint32_t step) {
  bool has_chains = strchr(line, '#') && !strstr(line, "//");
  for (uint32_t chain = 1; chain <= (has_chains ? MICRO_CHAINS : 1u); chain++)
    add_chain(text, line, chain, step);
}

static const char *place_of(const char *line, size_t *length) {
  static const char *const places[] = {"INSTRUCTION", "LOAD", "ACCESS"};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    const char *at = strstr(line, places[i]);
    *length = strlen(places[i]);
    if (at && !strstr(line, "// SPDX") && (at == line || at[-1] == '\t')) return at;
  }
  return NULL;
}

// What is measured may have several lines.
static void add_measured(Text *text, const char *measured, uint32_t times, uint32_t step) {
  char line[MOST_LINE_BYTES];
  for (uint32_t i = 0; i < times; i++)
    for (const char *at = measured; *at;) {
      size_t length = strcspn(at, "\n");
      snprintf(line, sizeof line, "%.*s", (int)length, at);
      add_line(text, line, step);
      at += length + (at[length] == '\n');
    }
}

static void expand_line(Text *text, char *line, const MicroRun *run) {
  uint32_t times = 1;
  size_t length;
  char *repeat = strstr(line, "// x");
  if (repeat && repeat[4] >= '1' && repeat[4] <= '9') {
    times = (uint32_t)strtoul(repeat + 4, NULL, 10);
    *repeat = '\0';
  }
  if (line[0] == '/') return;
  if (place_of(line, &length)) {
    add_measured(text, run->measured, times, run->step);
    return;
  }
  for (uint32_t i = 0; i < times; i++) add_line(text, line, run->step);
}

static Status expand(Text *text, const char *folder, const MicroRun *run, Error *err) {
  char path[512], line[MOST_LINE_BYTES];
  snprintf(path, sizeof path, "%s/%s.ptx", folder, run->kernel);
  FILE *file = fopen(path, "r");
  if (!file) return error_set(err, ERR_IO, "%s: cannot be opened", path);
  while (fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = '\0';
    expand_line(text, line, run);
  }
  fclose(file);
  return OK;
}

// ---- the machine

typedef struct Machine {
  Gpu *gpu;
  Program *program;
  TextureTable *textures;
  uint64_t out, data;
} Machine;

static uint64_t ring_offset(const MicroRun *run, uint32_t i) {
  if (run->ring_stride) return (uint64_t)(i % run->ring_count) * run->ring_stride;
  uint64_t lines = run->data_bytes / 128,
           mixed = (i % run->ring_count) * UINT64_C(0x9e3779b97f4a7c15);
  return (mixed >> 20) % lines * 128;
}

static Status write_ring(const Machine *machine, const MicroRun *run, Error *err) {
  for (uint32_t i = 0; i < run->ring_count; i++) {
    uint64_t next = machine->data + ring_offset(run, i + 1);
    TRY(device_memory_write(gpu_memory(machine->gpu), machine->data + ring_offset(run, i), &next,
                            sizeof next, err));
  }
  return OK;
}

static Status make(Machine *machine, const Text *text, const GpuConfig *config, const MicroRun *run,
                   Error *err) {
  PtxText source = {run->kernel, text->bytes, text->length};
  CompilerConfig compiler = gpu_compiler(config);
  TRY(ptx_compile_texts(&machine->program, &source, 1, PROGRAM_BASE, &compiler, err));
  TRY(gpu_create(&machine->gpu, config, NULL, err));
  DeviceMemory *memory = gpu_memory(machine->gpu);
  TRY(program_place_variables(machine->program, memory, err));
  TRY(device_memory_alloc(memory, OUT_BYTES, ALLOCATION_HEAP, "out", &machine->out, err));
  uint64_t bytes = run->data_bytes ? run->data_bytes : 256;
  TRY(device_memory_alloc(memory, bytes, ALLOCATION_HEAP, "data", &machine->data, err));
  return write_ring(machine, run, err);
}

static Texture array_of(const Machine *machine, const MicroRun *run, const GpuConfig *config) {
  uint32_t row_bytes = 32 * run->channels * (uint32_t)sizeof(uint32_t);
  Texture array = {.address = machine->data,
                   .width = 32,
                   .height = 32,
                   .pitch_bytes = row_bytes,
                   .slice_bytes = 32 * row_bytes,
                   .in_blocks = config->gpu.arrays_in_blocks,
                   .addressing = {ADDRESS_CLAMP, ADDRESS_CLAMP, ADDRESS_CLAMP}};
  for (uint32_t c = 0; c < run->channels; c++) array.channel_bits[c] = 32;
  return array;
}

static Texture words_of(const Machine *machine, const MicroRun *run) {
  return (Texture){.address = machine->data,
                   .width = (uint32_t)(run->data_bytes / sizeof(uint32_t)),
                   .channel_bits = {32},
                   .addressing = {ADDRESS_CLAMP, ADDRESS_CLAMP, ADDRESS_CLAMP}};
}

static Status make_texture(Machine *machine, const MicroRun *run, const GpuConfig *config,
                           uint64_t *handle, Error *err) {
  Texture texture = run->channels ? array_of(machine, run, config) : words_of(machine, run);
  machine->textures = texture_table_create();
  gpu_set_textures(machine->gpu, machine->textures);
  return texture_table_add(machine->textures, &texture, handle, err);
}

static Status launch(Machine *machine, const MicroRun *run, const GpuConfig *config,
                     MicroResult *result, Error *err) {
  struct {
    uint64_t out, data;
    uint32_t count, step, bytes, shift;
  } params = {machine->out, machine->data, run->count, run->step, run->bytes, run->shift};
  if (run->is_texture || run->channels) TRY(make_texture(machine, run, config, &params.data, err));
  Launch launch;
  const Function *kernel = program_find_kernel(machine->program, "k");
  const uint32_t grid[3] = {run->ctas, 1, 1}, block[3] = {run->threads, 1, 1};
  TRY(launch_init(&launch, machine->program, kernel, grid, block, (const uint8_t *)&params, 0, 1024,
                  err));
  TRY(gpu_submit(machine->gpu, &launch, err));
  TRY(gpu_run(machine->gpu, err));
  result->cycles = launch.stats->cycles;
  return device_memory_read(gpu_memory(machine->gpu), machine->out, &result->clocks,
                            sizeof result->clocks, err);
}

Status micro_run(const char *folder, const GpuConfig *config, const MicroRun *run,
                 MicroResult *result, Error *err) {
  Text text = {0};
  Machine machine = {0};
  Status status = expand(&text, folder, run, err);
  if (status == OK) status = make(&machine, &text, config, run, err);
  if (status == OK) status = launch(&machine, run, config, result, err);
  gpu_destroy(machine.gpu);
  if (machine.textures) texture_table_destroy(machine.textures);
  if (machine.program) program_destroy(machine.program);
  memory_free(text.bytes);
  return status;
}
