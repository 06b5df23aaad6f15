// SPDX-License-Identifier: MIT
// Chunks of steps in a temporary file. A step that follows its predecessor in the code, with the
// same lanes and no access, is one byte before compression.
#include "trace/steps.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/memory.h"

// First byte of a step.
enum { STEP_JUMPS = 1, STEP_HAS_MASK = 2, STEP_HAS_ACCESS = 4, STEP_HAS_STRIDE = 8 };

enum {
  MAX_STEP_BYTES = 1 + 5 + 5 + WARP_LANES * 10,
  CHUNK_BYTES = STEPS_PER_CHUNK * MAX_STEP_BYTES,
  COMPRESSION_LEVEL = 1
};

typedef struct Chunk {
  uint64_t offset;
  uint32_t packed_bytes, plain_bytes, steps;
} Chunk;

// What differences are relative to.
typedef struct Previous {
  uint32_t instruction, mask;
  uint64_t address;
} Previous;

struct Steps {
  int file;
  uint64_t warp_count, total, file_bytes;
  uint64_t *first;  // chunk of each warp, plus one; 0: no steps
  uint32_t *chunks_of;
  Chunk *chunks;
  uint64_t chunk_count, chunk_capacity;
  atomic_bool has_failed;
  // of the warp that is being written
  uint64_t warp;
  Previous previous;
  uint32_t count;
  size_t used_bytes;
  uint8_t *plain, *packed;
};

// ---- numbers

static uint8_t *put(uint8_t *to, uint64_t value) {
  for (; value >= 0x80; value >>= 7) *to++ = (uint8_t)(value | 0x80);
  *to++ = (uint8_t)value;
  return to;
}

static uint8_t *put_signed(uint8_t *to, uint64_t difference) {
  return put(to, difference << 1 ^ (0 - (difference >> 63)));
}

// Never past the end; a number that is cut off reads as what there is of it.
static uint64_t get(const uint8_t **at, const uint8_t *end) {
  uint64_t value = 0;
  for (uint32_t shift = 0; *at < end && shift < 64; shift += 7) {
    uint8_t byte = *(*at)++;
    value |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80)) break;
  }
  return value;
}

static uint64_t get_signed(const uint8_t **at, const uint8_t *end) {
  uint64_t value = get(at, end);
  return value >> 1 ^ (0 - (value & 1));
}

// ---- one step

// Whether all differences between neighbouring lanes' addresses are the same.
static bool has_stride(const TraceStep *step, uint64_t *stride) {
  uint32_t left = step->mask & (step->mask - 1);
  uint64_t previous = step->address[__builtin_ctz(step->mask)];
  *stride = left ? step->address[__builtin_ctz(left)] - previous : 0;
  for (; left; left &= left - 1) {
    uint64_t address = step->address[__builtin_ctz(left)];
    if (address - previous != *stride) return false;
    previous = address;
  }
  return true;
}

static uint8_t *put_addresses(uint8_t *to, const TraceStep *step, Previous *previous,
                              bool is_regular, uint64_t stride) {
  uint32_t left = step->mask;
  uint64_t last = step->address[__builtin_ctz(left)];
  to = put_signed(to, last - previous->address);
  previous->address = last;
  if (is_regular) return put_signed(to, stride);
  for (left &= left - 1; left; left &= left - 1) {
    uint64_t address = step->address[__builtin_ctz(left)];
    to = put_signed(to, address - last);
    last = address;
  }
  return to;
}

static uint8_t *put_step(uint8_t *to, const TraceStep *step, Previous *previous) {
  uint64_t stride = 0;
  bool has_access = step->has_access && step->mask;
  bool is_regular = has_access && has_stride(step, &stride);
  bool jumps = step->instruction != previous->instruction + 1;
  bool has_mask = step->mask != previous->mask;
  *to++ = (uint8_t)((jumps ? STEP_JUMPS : 0) | (has_mask ? STEP_HAS_MASK : 0) |
                    (has_access ? STEP_HAS_ACCESS : 0) | (is_regular ? STEP_HAS_STRIDE : 0));
  if (jumps) to = put_signed(to, (uint64_t)step->instruction - previous->instruction);
  if (has_mask) to = put(to, step->mask);
  if (has_access) to = put_addresses(to, step, previous, is_regular, stride);
  previous->instruction = step->instruction;
  previous->mask = step->mask;
  return to;
}

static void get_addresses(const uint8_t **at, const uint8_t *end, TraceStep *step,
                          Previous *previous, bool is_regular) {
  uint64_t address = previous->address + get_signed(at, end);
  uint64_t stride = is_regular ? get_signed(at, end) : 0;
  previous->address = address;
  for (uint32_t left = step->mask; left; left &= left - 1) {
    step->address[__builtin_ctz(left)] = address;
    if (left & (left - 1)) address += is_regular ? stride : get_signed(at, end);
  }
}

static const uint8_t *get_step(const uint8_t *at, const uint8_t *end, TraceStep *step,
                               Previous *previous) {
  uint8_t flags = *at++;
  step->instruction = flags & STEP_JUMPS ? (uint32_t)(previous->instruction + get_signed(&at, end))
                                         : previous->instruction + 1;
  step->mask = flags & STEP_HAS_MASK ? (uint32_t)get(&at, end) : previous->mask;
  step->has_access = flags & STEP_HAS_ACCESS;
  if (step->has_access) get_addresses(&at, end, step, previous, flags & STEP_HAS_STRIDE);
  previous->instruction = step->instruction;
  previous->mask = step->mask;
  return at;
}

// ---- writing

Status steps_create(Steps **created, uint64_t warp_count, Error *err) {
  const char *folder = getenv("TMPDIR");
  char path[4096];
  snprintf(path, sizeof path, "%s/heddle-steps-XXXXXX", folder && *folder ? folder : "/var/tmp");
  int file = mkstemp(path);
  if (file < 0)
    return error_set(err, ERR_IO, "cannot create a temporary file for the trace's steps: %s: %s",
                     path, strerror(errno));
  unlink(path);
  Steps *steps = memory_alloc(sizeof *steps);
  steps->file = file;
  steps->warp_count = warp_count;
  steps->first = memory_alloc(sizeof *steps->first * (warp_count + 1));
  steps->chunks_of = memory_alloc(sizeof *steps->chunks_of * (warp_count + 1));
  steps->plain = memory_alloc(CHUNK_BYTES);
  steps->packed = memory_alloc(ZSTD_compressBound(CHUNK_BYTES));
  *created = steps;
  return OK;
}

void steps_destroy(Steps *steps) {
  if (!steps) return;
  close(steps->file);
  memory_free(steps->first);
  memory_free(steps->chunks_of);
  memory_free(steps->chunks);
  memory_free(steps->plain);
  memory_free(steps->packed);
  memory_free(steps);
}

Status steps_begin(Steps *steps, uint64_t warp, Error *err) {
  if (warp >= steps->warp_count || steps->first[warp])
    return error_set(err, ERR_SYNTAX, "a warp occurs twice, or is outside its grid");
  steps->warp = warp;
  return OK;
}

static Status write_all(const Steps *steps, size_t count, Error *err) {
  for (size_t done = 0; done < count;) {
    ssize_t wrote =
        pwrite(steps->file, steps->packed + done, count - done, (off_t)(steps->file_bytes + done));
    if (wrote <= 0)
      return error_set(err, ERR_IO, "cannot write the trace's steps to a temporary file: %s",
                       wrote ? strerror(errno) : "no space");
    done += (size_t)wrote;
  }
  return OK;
}

static Status flush(Steps *steps, Error *err) {
  if (!steps->count) return OK;
  size_t packed = ZSTD_compress(steps->packed, ZSTD_compressBound(CHUNK_BYTES), steps->plain,
                                steps->used_bytes, COMPRESSION_LEVEL);
  TRY(write_all(steps, packed, err));
  GROW(steps->chunks, steps->chunk_count, steps->chunk_capacity);
  steps->chunks[steps->chunk_count++] = (Chunk){.offset = steps->file_bytes,
                                                .packed_bytes = (uint32_t)packed,
                                                .plain_bytes = (uint32_t)steps->used_bytes,
                                                .steps = steps->count};
  if (!steps->first[steps->warp]) steps->first[steps->warp] = steps->chunk_count;
  steps->chunks_of[steps->warp]++;
  steps->file_bytes += packed;
  steps->total += steps->count;
  steps->count = 0;
  steps->used_bytes = 0;
  steps->previous = (Previous){0};
  return OK;
}

Status steps_add(Steps *steps, const TraceStep *step, Error *err) {
  if (steps->count == STEPS_PER_CHUNK) TRY(flush(steps, err));
  uint8_t *end = put_step(steps->plain + steps->used_bytes, step, &steps->previous);
  steps->used_bytes = (size_t)(end - steps->plain);
  steps->count++;
  return OK;
}

Status steps_end(Steps *steps, Error *err) {
  return flush(steps, err);
}

uint64_t steps_count(const Steps *steps) {
  return steps->total;
}

uint64_t steps_file_bytes(const Steps *steps) {
  return steps->file_bytes;
}

bool steps_have_failed(const Steps *steps) {
  return steps->has_failed;
}

// ---- reading

struct StepCursor {
  Steps *steps;
  uint64_t chunk, end;  // numbers of chunks
  uint32_t left;        // steps of this one
  const uint8_t *at, *stop;
  Previous previous;
  uint8_t *plain;
  size_t capacity;
};

StepCursor *step_cursor_open(Steps *steps, uint64_t warp) {
  StepCursor *cursor = memory_alloc(sizeof *cursor);
  cursor->steps = steps;
  if (warp >= steps->warp_count || !steps->first[warp]) return cursor;
  cursor->chunk = steps->first[warp] - 1;
  cursor->end = cursor->chunk + steps->chunks_of[warp];
  return cursor;
}

void step_cursor_close(StepCursor *cursor) {
  memory_free(cursor->plain);
  memory_free(cursor);
}

static bool read_all(int file, uint8_t *to, size_t count, uint64_t offset) {
  for (size_t done = 0; done < count;) {
    ssize_t got = pread(file, to + done, count - done, (off_t)(offset + done));
    if (got <= 0) return false;
    done += (size_t)got;
  }
  return true;
}

static bool load_chunk(StepCursor *cursor) {
  const Chunk *chunk = &cursor->steps->chunks[cursor->chunk++];
  uint8_t *packed = memory_alloc(chunk->packed_bytes);
  if (cursor->capacity < chunk->plain_bytes) {
    cursor->plain = memory_resize(cursor->plain, chunk->plain_bytes);
    cursor->capacity = chunk->plain_bytes;
  }
  bool is_good = read_all(cursor->steps->file, packed, chunk->packed_bytes, chunk->offset) &&
                 ZSTD_decompress(cursor->plain, cursor->capacity, packed, chunk->packed_bytes) ==
                     chunk->plain_bytes;
  memory_free(packed);
  if (!is_good) cursor->steps->has_failed = true;
  cursor->at = cursor->plain;
  cursor->stop = cursor->plain + chunk->plain_bytes;
  cursor->left = is_good ? chunk->steps : 0;
  cursor->previous = (Previous){0};
  return is_good;
}

bool step_cursor_next(StepCursor *cursor, TraceStep *step) {
  if (!cursor->left) {
    if (cursor->chunk == cursor->end || !load_chunk(cursor)) return false;
  }
  cursor->left--;
  cursor->at = get_step(cursor->at, cursor->stop, step, &cursor->previous);
  return true;
}
