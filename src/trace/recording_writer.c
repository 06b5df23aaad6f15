// SPDX-License-Identifier: MIT
// Encodes the steps of warps and writes them to a recording, segment by segment.
#include "trace/recording_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/digest.h"
#include "base/files/replaced_file.h"
#include "base/memory.h"
#include "trace/varint.h"

// A group is what a reader decompresses at a time, and what similar CTAs are compressed with.
enum { GROUP_BYTES = 1 << 17, COMPRESSION_LEVEL = 19 };

typedef struct ByteBuffer {
  uint8_t *bytes;
  size_t used, capacity;
} ByteBuffer;

struct RecordingWriter {
  ReplacedFile output;
  char *path;
  int failure;  // errno of the first write that failed
  uint64_t offset;
  ZSTD_CCtx *compressor;
  ByteBuffer packed, group;
  RecordingBlock *groups;
  uint64_t group_count, group_capacity;
};

struct SegmentList {
  ByteBuffer table;
  uint64_t count, last_cta, last_group;
};

// ---- bytes

static uint8_t *room(ByteBuffer *buffer, size_t count) {
  size_t needed = buffer->used + count;
  if (needed > buffer->capacity) {
    buffer->capacity = needed + needed / 2;
    buffer->bytes = memory_resize(buffer->bytes, buffer->capacity);
  }
  return buffer->bytes + buffer->used;
}

static void put_bytes(ByteBuffer *buffer, const void *bytes, size_t count) {
  if (count) memcpy(room(buffer, count), bytes, count);
  buffer->used += count;
}

static void put_number(ByteBuffer *buffer, uint64_t value) {
  uint8_t *at = room(buffer, MAX_VARINT_BYTES);
  buffer->used += (size_t)(varint_put(at, value) - at);
}

static void put_signed(ByteBuffer *buffer, uint64_t difference) {
  uint8_t *at = room(buffer, MAX_VARINT_BYTES);
  buffer->used += (size_t)(varint_put_signed(at, difference) - at);
}

static void put_text(ByteBuffer *buffer, const char *text) {
  size_t length = text ? strlen(text) : 0;
  put_number(buffer, length);
  put_bytes(buffer, text, length);
}

static void put_block(ByteBuffer *buffer, const RecordingBlock *block) {
  put_number(buffer, block->offset);
  put_number(buffer, block->packed_bytes);
  put_number(buffer, block->plain_bytes);
}

// ---- the file

static void write_bytes(RecordingWriter *writer, const void *bytes, size_t count) {
  if (writer->failure) return;
  if (fwrite(bytes, 1, count, writer->output.file) != count) writer->failure = errno ? errno : EIO;
  writer->offset += count;
}

Status recording_writer_create(RecordingWriter **created, const char *path, Error *err) {
  static const RecordingHeader empty;
  RecordingWriter *writer = memory_alloc(sizeof *writer);
  size_t length = strlen(path) + 1;
  writer->path = memcpy(memory_alloc(length), path, length);
  Status status = replaced_file_begin(&writer->output, writer->path, err);
  if (status == OK && !*writer->output.aside) {
    status = error_set(err, ERR_USAGE, "%s: a recording is written to a regular file", path);
    replaced_file_end(&writer->output, status, err);
  }
  if (status != OK) {
    memory_free(writer->path);
    memory_free(writer);
    return status;
  }
  writer->compressor = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(writer->compressor, ZSTD_c_compressionLevel, COMPRESSION_LEVEL);
  ZSTD_CCtx_setParameter(writer->compressor, ZSTD_c_checksumFlag, 1);
  write_bytes(writer, &empty, sizeof empty);
  *created = writer;
  return OK;
}

RecordingBlock recording_writer_block(RecordingWriter *writer, const void *bytes, size_t count) {
  writer->packed.used = 0;
  size_t bound = ZSTD_compressBound(count);
  uint8_t *to = room(&writer->packed, bound);
  size_t packed = ZSTD_compress2(writer->compressor, to, bound, bytes, count);
  if (ZSTD_isError(packed)) abort();  // only for lack of memory: the room suffices
  RecordingBlock block = {writer->offset, packed, count};
  write_bytes(writer, to, packed);
  return block;
}

// ---- segments

static void end_group(RecordingWriter *writer) {
  if (!writer->group.used) return;
  GROW(writer->groups, writer->group_count, writer->group_capacity);
  writer->groups[writer->group_count++] =
      recording_writer_block(writer, writer->group.bytes, writer->group.used);
  writer->group.used = 0;
}

SegmentList *recording_writer_kernel(RecordingWriter *writer) {
  (void)writer;
  return memory_alloc(sizeof(SegmentList));
}

void recording_writer_segment(RecordingWriter *writer, SegmentList *list, uint64_t cta,
                              const uint8_t *const *parts, const size_t *counts, uint32_t warps) {
  size_t start = writer->group.used;
  for (uint32_t w = 0; w < warps; w++) put_number(&writer->group, counts[w]);
  for (uint32_t w = 0; w < warps; w++) put_bytes(&writer->group, parts[w], counts[w]);
  put_signed(&list->table, cta - list->last_cta);
  put_number(&list->table, writer->group_count - list->last_group);
  put_number(&list->table, start);
  list->last_cta = cta;
  list->last_group = writer->group_count;
  list->count++;
  if (writer->group.used >= GROUP_BYTES) end_group(writer);
}

void recording_writer_kernel_end(RecordingWriter *writer, SegmentList *list,
                                 RecordedKernel *kernel) {
  kernel->segment_count = list->count;
  kernel->segments = recording_writer_block(writer, list->table.bytes, list->table.used);
  memory_free(list->table.bytes);
  memory_free(list);
}

// ---- the contents

static void put_module(ByteBuffer *buffer, const RecordedModule *module) {
  put_number(buffer, module->is_sass);
  put_number(buffer, module->base_address);
  put_number(buffer, module->compiler.optimise);
  put_number(buffer, module->compiler.architecture);
  put_number(buffer, module->digest);
  put_number(buffer, module->text_count);
  for (uint32_t i = 0; i < module->text_count; i++) {
    put_text(buffer, module->texts[i].path);
    put_block(buffer, &module->texts[i].block);
  }
}

static void put_buffers(ByteBuffer *buffer, const RecordedBuffers *buffers) {
  put_number(buffer, buffers->gone_count);
  for (uint32_t i = 0; i < buffers->gone_count; i++) put_number(buffer, buffers->gone[i]);
  put_number(buffer, buffers->added_count);
  for (uint32_t i = 0; i < buffers->added_count; i++) {
    put_number(buffer, buffers->added[i].address);
    put_number(buffer, buffers->added[i].size_bytes);
  }
}

static void put_kernel(ByteBuffer *buffer, const RecordedKernel *kernel) {
  put_number(buffer, kernel->module);
  put_text(buffer, kernel->name);
  for (int i = 0; i < 3; i++) put_number(buffer, kernel->grid[i]);
  for (int i = 0; i < 3; i++) put_number(buffer, kernel->block[i]);
  put_number(buffer, kernel->dynamic_shared_bytes);
  put_number(buffer, kernel->local_bytes);
  put_number(buffer, kernel->registers);
  put_number(buffer, kernel->stream);
  put_signed(buffer, (uint64_t)(int64_t)kernel->priority);
  put_number(buffer, kernel->start.is_first);
  put_number(buffer, kernel->start.after);
  put_number(buffer, kernel->start.is_timed);
  put_number(buffer, kernel->start.cycles);
  put_buffers(buffer, &kernel->buffers);
  put_number(buffer, kernel->warp_instructions);
  put_number(buffer, kernel->thread_instructions);
  put_number(buffer, kernel->pages);
  put_number(buffer, kernel->segment_count);
  put_block(buffer, &kernel->segments);
}

static void put_contents(ByteBuffer *buffer, const RecordingContents *contents) {
  put_text(buffer, contents->heddle);
  put_text(buffer, contents->input);
  put_text(buffer, contents->gpu);
  put_text(buffer, contents->scheme);
  put_number(buffer, contents->causes);
  put_number(buffer, contents->module_count);
  for (uint32_t i = 0; i < contents->module_count; i++) put_module(buffer, &contents->modules[i]);
  put_number(buffer, contents->kernel_count);
  for (uint32_t i = 0; i < contents->kernel_count; i++) put_kernel(buffer, &contents->kernels[i]);
  put_number(buffer, contents->group_count);
  for (uint64_t i = 0; i < contents->group_count; i++) put_block(buffer, &contents->groups[i]);
}

static void write_header(RecordingWriter *writer, RecordingBlock contents) {
  RecordingHeader header = {.version = RECORDING_VERSION, .contents = contents};
  memcpy(header.magic, RECORDING_MAGIC, sizeof header.magic);
  header.digest = digest_add(digest_start(), &header, offsetof(RecordingHeader, digest));
  if (!writer->failure && fseek(writer->output.file, 0, SEEK_SET) != 0) writer->failure = errno;
  write_bytes(writer, &header, sizeof header);
}

static Status destroy(RecordingWriter *writer, Status status, Error *err) {
  status = replaced_file_end(&writer->output, status, err);
  ZSTD_freeCCtx(writer->compressor);
  memory_free(writer->packed.bytes);
  memory_free(writer->group.bytes);
  memory_free(writer->groups);
  memory_free(writer->path);
  memory_free(writer);
  return status;
}

Status recording_writer_finish(RecordingWriter *writer, RecordingContents *contents, Error *err) {
  ByteBuffer buffer = {0};
  Status status = OK;
  end_group(writer);
  contents->groups = writer->groups;
  contents->group_count = writer->group_count;
  put_contents(&buffer, contents);
  write_header(writer, recording_writer_block(writer, buffer.bytes, buffer.used));
  memory_free(buffer.bytes);
  if (writer->failure)
    status = error_set(err, ERR_IO, "cannot write %s: %s", writer->path, strerror(writer->failure));
  return destroy(writer, status, err);
}

void recording_writer_discard(RecordingWriter *writer) {
  Error ignored;
  destroy(writer, ERR_INCOMPLETE, &ignored);
}
