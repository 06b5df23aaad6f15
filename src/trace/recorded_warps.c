// SPDX-License-Identifier: MIT
// The steps of warps: the kernel's table finds the segments of a CTA, a segment has a part per
// warp. A warp copies its part, so that no group stays in memory for the sake of one slow warp.
#include <string.h>

#include "base/memory.h"
#include "isa/launch.h"
#include "trace/recording_state.h"
#include "trace/varint.h"

// A segment is added to a group that is not full: together they have less than this.
enum { MAX_GROUP_BYTES = 1 << 28, MAX_TABLE_BYTES = 1 << 30 };

typedef struct Segment {
  uint64_t group;
  uint64_t offset;  // in the group
} Segment;

struct RecordedSteps {
  Recording *recording;
  const RecordedKernel *kernel;
  uint32_t code_count, warps_per_cta;
  uint64_t cta_count;
  uint64_t *first;    // segment of each CTA, and one behind the last
  Segment *segments;  // by CTA, in the order of its steps
};

struct RecordedWarp {
  RecordedSteps *steps;
  uint32_t warp;
  uint64_t segment, end;
  uint8_t *bytes;
  size_t capacity;
  StepDecoder decoder;
};

// ---- the table of a kernel

static Status refuse_table(const Recording *recording, const RecordedKernel *kernel, Error *err) {
  return error_set(err, ERR_SYNTAX, "%s: damaged at byte %llu: invalid table of kernel %s",
                   recording->path, (unsigned long long)kernel->segments.offset, kernel->name);
}

static uint64_t count_ctas(const RecordedKernel *kernel) {
  uint64_t plane = (uint64_t)kernel->grid[0] * kernel->grid[1];
  return plane > UINT32_MAX ? UINT64_MAX : plane * kernel->grid[2];
}

typedef struct TableRow {
  uint64_t cta;
  Segment segment;
} TableRow;

static bool get_row(const uint8_t **at, const uint8_t *end, TableRow *row) {
  uint64_t cta, group;
  if (!varint_get_signed(at, end, &cta) || !varint_get(at, end, &group) ||
      !varint_get(at, end, &row->segment.offset))
    return false;
  row->cta += cta;
  row->segment.group += group;
  return true;
}

// Twice over the rows: how many a CTA has, then where they go.
static bool sort_rows(RecordedSteps *steps, const uint8_t *bytes, const uint8_t *end) {
  uint64_t groups = steps->recording->contents.group_count;
  TableRow row = {0};
  const uint8_t *at = bytes;
  for (uint64_t i = 0; i < steps->kernel->segment_count; i++) {
    if (!get_row(&at, end, &row) || row.cta >= steps->cta_count || row.segment.group >= groups)
      return false;
    steps->first[row.cta + 1]++;
  }
  if (at != end) return false;
  for (uint64_t c = 0; c < steps->cta_count; c++) {
    if (!steps->first[c + 1]) return false;  // a CTA that did not run
    steps->first[c + 1] += steps->first[c];
  }
  // first[c] moves to the end of the CTA's rows, which is first[c + 1]: shifted back below.
  row = (TableRow){0};
  at = bytes;
  for (uint64_t i = 0; i < steps->kernel->segment_count; i++) {
    get_row(&at, end, &row);
    steps->segments[steps->first[row.cta]++] = row.segment;
  }
  memmove(steps->first + 1, steps->first, sizeof *steps->first * steps->cta_count);
  steps->first[0] = 0;
  return true;
}

static Status read_table(RecordedSteps *steps, Error *err) {
  const RecordedKernel *kernel = steps->kernel;
  const Recording *recording = steps->recording;
  uint8_t *bytes;
  // A row has at least three bytes, and every CTA has a row.
  if (kernel->segment_count > kernel->segments.plain_bytes / 3 ||
      steps->cta_count > kernel->segment_count)
    return refuse_table(recording, kernel, err);
  TRY(recording_block_read(recording, &kernel->segments, MAX_TABLE_BYTES, &bytes, err));
  steps->first = memory_alloc(sizeof *steps->first * (steps->cta_count + 1));
  steps->segments = memory_alloc(sizeof *steps->segments * (kernel->segment_count + 1));
  bool is_good = sort_rows(steps, bytes, bytes + kernel->segments.plain_bytes);
  memory_free(bytes);
  return is_good ? OK : refuse_table(recording, kernel, err);
}

Status recorded_steps_open(RecordedSteps **opened, Recording *recording,
                           const RecordedKernel *kernel, uint32_t code_count, Error *err) {
  RecordedSteps *steps = memory_alloc(sizeof *steps);
  uint64_t threads = (uint64_t)kernel->block[0] * kernel->block[1];
  *steps = (RecordedSteps){.recording = recording,
                           .kernel = kernel,
                           .code_count = code_count,
                           .cta_count = count_ctas(kernel)};
  Status status = OK;
  if (!threads || threads > MAX_CTA_THREADS || threads * kernel->block[2] > MAX_CTA_THREADS ||
      !kernel->block[2])
    status = refuse_table(recording, kernel, err);
  steps->warps_per_cta = (uint32_t)(threads * kernel->block[2] + WARP_LANES - 1) / WARP_LANES;
  if (status == OK) status = read_table(steps, err);
  if (status == OK)
    *opened = steps;
  else
    recorded_steps_close(steps);
  return status;
}

void recorded_steps_close(RecordedSteps *steps) {
  if (!steps) return;
  memory_free(steps->first);
  memory_free(steps->segments);
  memory_free(steps);
}

// ---- warps

static void fail(Recording *recording, const Error *why) {
  if (!recording->has_failed) recording->failure = *why;
  recording->has_failed = true;
}

static void fail_at(RecordedWarp *warp, const char *what) {
  Recording *recording = warp->steps->recording;
  const Segment *segment = &warp->steps->segments[warp->segment];
  Error err;
  pthread_mutex_lock(&recording->mutex);
  error_set(&err, ERR_SYNTAX, "%s: damaged in the block at byte %llu: %s; record it again",
            recording->path, (unsigned long long)recording->contents.groups[segment->group].offset,
            what);
  fail(recording, &err);
  pthread_mutex_unlock(&recording->mutex);
}

// With the lock. NULL: it cannot be read.
static const CachedGroup *find_group(Recording *recording, uint64_t number) {
  CachedGroup *cached = &recording->cache[number % CACHED_GROUPS];
  const RecordingBlock *block = &recording->contents.groups[number];
  Error err;
  if (cached->number == number + 1) return cached;
  memory_free(cached->bytes);
  *cached = (CachedGroup){0};
  if (recording_block_read(recording, block, MAX_GROUP_BYTES, &cached->bytes, &err) != OK) {
    fail(recording, &err);
    return NULL;
  }
  cached->number = number + 1;
  cached->count = block->plain_bytes;
  return cached;
}

// Where a warp's part of a segment is; false: there is none.
static bool find_part(const CachedGroup *group, uint64_t offset, uint32_t warps, uint32_t warp,
                      const uint8_t **part, uint64_t *count) {
  if (offset > group->count) return false;
  const uint8_t *at = group->bytes + offset, *end = group->bytes + group->count;
  uint64_t before = 0, bytes;
  *count = 0;
  for (uint32_t w = 0; w < warps; w++) {
    if (!varint_get(&at, end, &bytes) || bytes > group->count) return false;
    if (w < warp) before += bytes;
    if (w == warp) *count = bytes;
  }
  uint64_t left = (uint64_t)(end - at);
  if (before > left || *count > left - before) return false;
  *part = at + before;
  return true;
}

// Copies the warp's part of its next segment.
static bool load(RecordedWarp *warp) {
  RecordedSteps *steps = warp->steps;
  Recording *recording = steps->recording;
  const Segment *segment = &steps->segments[warp->segment];
  const uint8_t *part = NULL;
  uint64_t count = 0;
  pthread_mutex_lock(&recording->mutex);
  const CachedGroup *group = find_group(recording, segment->group);
  bool is_good =
      group && find_part(group, segment->offset, steps->warps_per_cta, warp->warp, &part, &count);
  if (is_good && count > warp->capacity) {
    warp->bytes = memory_resize(warp->bytes, count);
    warp->capacity = count;
  }
  if (is_good && count) memcpy(warp->bytes, part, count);
  pthread_mutex_unlock(&recording->mutex);
  if (!is_good && group) fail_at(warp, "a segment ends behind its group");
  step_decoder_start(&warp->decoder, warp->bytes, count, steps->code_count);
  warp->segment += is_good;
  return is_good;
}

RecordedWarp *recorded_warp_open(RecordedSteps *steps, uint64_t cta, uint32_t warp) {
  RecordedWarp *opened = memory_alloc(sizeof *opened);
  opened->steps = steps;
  opened->warp = warp;
  opened->segment = steps->first[cta];
  opened->end = steps->first[cta + 1];
  return opened;
}

bool recorded_warp_next(RecordedWarp *warp, Step *step, uint64_t *addresses) {
  while (!step_decoder_next(&warp->decoder, step, addresses)) {
    if (warp->decoder.is_damaged) {
      recorded_warp_refuse(warp);
      return false;
    }
    if (warp->segment == warp->end || !load(warp)) return false;
  }
  return true;
}

void recorded_warp_refuse(RecordedWarp *warp) {
  warp->segment--;  // the one that was loaded
  fail_at(warp, "invalid steps");
  warp->segment = warp->end;
  step_decoder_start(&warp->decoder, NULL, 0, 0);
}

void recorded_warp_close(RecordedWarp *warp) {
  memory_free(warp->bytes);
  memory_free(warp);
}
