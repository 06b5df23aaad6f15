// SPDX-License-Identifier: MIT
// Reads the index of a .tracez file once, then one compressed piece at a time.
#include "frontends/accelsim/tracez.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/memory.h"

enum {
  HEADER_BYTES = 1 << 16,
  MOST_DICTIONARY_BYTES = 16 << 20,
  MOST_PIECE_BYTES = 256 << 20,
  INDEX_WORDS_BEFORE_WARPS = 11,  // CTA, cluster, CTA in cluster, rank, number of warps
};

struct Tracez {
  FILE *file;
  const char *path;  // the caller's
  const TraceHeader *header;
  uint64_t size_bytes, index_at, at;  // at: in the index
  uint8_t *dictionary;
  uint32_t dictionary_bytes;
  ZSTD_DCtx *context;
  // position in the index
  uint32_t ctas_left, warps_left, warp;
  uint32_t cta[3];
  // of the current warp
  uint64_t piece_at;
  uint32_t pieces_left;
  uint64_t steps_left, number;
  char *text, *next;
};

static Status damaged(const Tracez *trace, const char *what, Error *err) {
  return error_set(err, ERR_SYNTAX, "%s: damaged .tracez file: %s", trace->path, what);
}

Status tracez_is(const char *path, bool *is_one, Error *err) {
  char bytes[HEADER_BYTES];
  FILE *file = fopen(path, "rb");
  if (!file) return error_set(err, ERR_IO, "%s: cannot open: %s", path, strerror(errno));
  size_t got = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  *is_one = got && *bytes == '-' && memchr(bytes, 0, got);
  return OK;
}

static Status read_at(Tracez *trace, uint64_t offset, void *to, uint64_t count, Error *err) {
  if (offset > trace->size_bytes || count > trace->size_bytes - offset)
    return damaged(trace, "it points behind its end", err);
  if (fseeko(trace->file, (off_t)offset, SEEK_SET) || fread(to, 1, count, trace->file) != count)
    return error_set(err, ERR_IO, "%s: cannot read", trace->path);
  return OK;
}

static Status read_u32(Tracez *trace, uint64_t *offset, uint32_t *value, Error *err) {
  uint8_t bytes[4];
  TRY(read_at(trace, *offset, bytes, sizeof bytes, err));
  *value = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
  *offset += sizeof bytes;
  return OK;
}

static Status read_u64(Tracez *trace, uint64_t *offset, uint64_t *value, Error *err) {
  uint32_t low, high;
  TRY(read_u32(trace, offset, &low, err));
  TRY(read_u32(trace, offset, &high, err));
  *value = (uint64_t)high << 32 | low;
  return OK;
}

// The lines of the header, and where the binary part begins.
static Status read_header(Tracez *trace, TraceHeader *header, Arena *arena, uint64_t *end,
                          Error *err) {
  LineSource *place = memory_alloc(sizeof *place);  // for messages only
  char *text = memory_alloc(HEADER_BYTES + 1);
  place->path = trace->path;
  uint64_t bytes = trace->size_bytes < HEADER_BYTES ? trace->size_bytes : HEADER_BYTES;
  Status status = read_at(trace, 0, text, bytes, err);
  *end = strlen(text) + 1;
  for (char *line = strtok(text, "\n"); status == OK && line; line = strtok(NULL, "\n")) {
    place->number++;
    line[strcspn(line, "\r")] = 0;
    for (size_t n = strlen(line); n && line[n - 1] == ' ';) line[--n] = 0;
    if (*line == '-') status = trace_header_line(header, place, line, arena, err);
  }
  if (status == OK) status = trace_header_check(header, place, err);
  memory_free(text);
  memory_free(place);
  return status;
}

static Status read_front(Tracez *trace, TraceHeader *header, Arena *arena, Error *err) {
  uint64_t at;
  uint32_t piece_steps;
  TRY(read_header(trace, header, arena, &at, err));
  TRY(read_u32(trace, &at, &trace->dictionary_bytes, err));
  TRY(read_u32(trace, &at, &piece_steps, err));
  if (trace->dictionary_bytes > MOST_DICTIONARY_BYTES)
    return damaged(trace, "its dictionary is too large", err);
  trace->dictionary = memory_alloc(trace->dictionary_bytes + 1u);
  TRY(read_at(trace, at, trace->dictionary, trace->dictionary_bytes, err));
  at = trace->size_bytes - 8;
  TRY(read_u64(trace, &at, &trace->index_at, err));
  trace->at = trace->index_at;
  return read_u32(trace, &trace->at, &trace->ctas_left, err);
}

Status tracez_open(Tracez **opened, const char *path, TraceHeader *header, Arena *arena,
                   Error *err) {
  FILE *file = fopen(path, "rb");
  if (!file) return error_set(err, ERR_IO, "%s: cannot open: %s", path, strerror(errno));
  Tracez *trace = memory_alloc(sizeof *trace);
  *opened = trace;  // the caller closes it
  *trace = (Tracez){.file = file, .path = path, .header = header, .context = ZSTD_createDCtx()};
  fseeko(file, 0, SEEK_END);
  trace->size_bytes = (uint64_t)ftello(file);
  if (trace->size_bytes < 16) return damaged(trace, "it is too short", err);
  return read_front(trace, header, arena, err);
}

void tracez_close(Tracez *trace) {
  if (!trace) return;
  fclose(trace->file);
  ZSTD_freeDCtx(trace->context);
  memory_free(trace->dictionary);
  memory_free(trace->text);
  memory_free(trace);
}

static Status next_cta(Tracez *trace, Error *err) {
  uint32_t words[INDEX_WORDS_BEFORE_WARPS];
  for (int i = 0; i < INDEX_WORDS_BEFORE_WARPS; i++)
    TRY(read_u32(trace, &trace->at, &words[i], err));
  trace->ctas_left--;
  trace->warp = 0;
  trace->warps_left = words[INDEX_WORDS_BEFORE_WARPS - 1];
  for (int i = 0; i < 3; i++) {
    trace->cta[i] = words[i];
    if (words[i] >= trace->header->grid[i])
      return damaged(trace, "a thread block is outside the grid", err);
  }
  const uint32_t *block = trace->header->block;
  uint32_t warps = (block[0] * block[1] * block[2] + WARP_LANES - 1) / WARP_LANES;
  return trace->warps_left > warps ? damaged(trace, "a thread block has too many warps", err) : OK;
}

Status tracez_warp(Tracez *trace, uint32_t cta[3], uint32_t *warp, uint64_t *count, bool *found,
                   Error *err) {
  uint32_t steps, pieces, again;
  *found = false;
  while (!trace->warps_left) {
    if (!trace->ctas_left) return OK;
    TRY(next_cta(trace, err));
  }
  TRY(read_u32(trace, &trace->at, &steps, err));
  TRY(read_u32(trace, &trace->at, &pieces, err));
  TRY(read_u64(trace, &trace->at, &trace->piece_at, err));
  if (pieces > steps) return damaged(trace, "a warp has more pieces than instructions", err);
  trace->at += 4u * (uint64_t)pieces;
  // The warp's own head repeats the two numbers.
  TRY(read_u32(trace, &trace->piece_at, &again, err));
  if (again != steps) return damaged(trace, "a warp's number of instructions differs", err);
  TRY(read_u32(trace, &trace->piece_at, &again, err));
  if (again != pieces) return damaged(trace, "a warp's number of pieces differs", err);
  memcpy(cta, trace->cta, sizeof trace->cta);
  *warp = trace->warp++;
  *count = trace->steps_left = steps;
  trace->warps_left--;
  trace->pieces_left = pieces;
  trace->next = NULL;
  trace->number = 0;
  *found = true;
  return OK;
}

static Status unpack(Tracez *trace, const uint8_t *packed, uint32_t packed_bytes, Error *err) {
  unsigned long long size = ZSTD_getFrameContentSize(packed, packed_bytes);
  if (size > MOST_PIECE_BYTES) return damaged(trace, "a piece without a valid size", err);
  memory_free(trace->text);
  trace->text = memory_alloc(size + 1);
  size_t got = ZSTD_decompress_usingDict(trace->context, trace->text, size, packed, packed_bytes,
                                         trace->dictionary, trace->dictionary_bytes);
  if (ZSTD_isError(got) || got != size || memchr(trace->text, 0, size))
    return damaged(trace, "a piece cannot be decompressed", err);
  trace->next = trace->text;
  return OK;
}

static Status next_piece(Tracez *trace, Error *err) {
  uint32_t packed_bytes;
  if (!trace->pieces_left) return damaged(trace, "a warp has fewer instructions than it says", err);
  trace->pieces_left--;
  TRY(read_u32(trace, &trace->piece_at, &packed_bytes, err));
  if (packed_bytes > trace->size_bytes) return damaged(trace, "it points behind its end", err);
  uint8_t *packed = memory_alloc(packed_bytes + 1u);
  Status status = read_at(trace, trace->piece_at, packed, packed_bytes, err);
  if (status == OK) status = unpack(trace, packed, packed_bytes, err);
  memory_free(packed);
  trace->piece_at += packed_bytes;
  return status;
}

Status tracez_step(Tracez *trace, SassLine *out, Error *err) {
  while (!trace->next || !*trace->next) TRY(next_piece(trace, err));
  char *line = trace->next, *end = strchr(line, '\n');
  trace->next = end ? end + 1 : line + strlen(line);
  if (end) *end = 0;
  for (size_t n = strlen(line); n && line[n - 1] == ' ';) line[--n] = 0;
  trace->number++;
  const char *problem =
      sass_line_parse(out, line, trace->header->version, trace->header->has_lines);
  if (!problem) return OK;
  return error_set(err, ERR_SYNTAX,
                   "%s: thread block %u,%u,%u, warp %u, instruction %llu: %s: %.120s", trace->path,
                   trace->cta[0], trace->cta[1], trace->cta[2], trace->warp - 1,
                   (unsigned long long)trace->number, problem, line);
}
