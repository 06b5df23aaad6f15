// SPDX-License-Identifier: MIT
// The file, its header and its contents; recorded_warps.c reads steps.
#include "trace/recording_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/digest.h"
#include "base/memory.h"
#include "base/version.h"
#include "trace/recording_state.h"
#include "trace/varint.h"

#define X(name, text) text,
const char *const recording_causes[] = {RECORDING_CAUSES(X) NULL};
#undef X

// No program has more of these; they keep hostile numbers from allocating all memory.
enum { MAX_CONTENTS_BYTES = 1 << 30, MAX_TEXT_BYTES = 1 << 28 };

// ---- blocks

static Status refuse(const Recording *recording, uint64_t offset, const char *what, Error *err) {
  return error_set(err, ERR_SYNTAX, "%s: damaged or truncated at byte %llu: %s; record it again",
                   recording->path, (unsigned long long)offset, what);
}

static bool read_all(int file, uint8_t *to, size_t count, uint64_t offset) {
  for (size_t done = 0; done < count;) {
    ssize_t got = pread(file, to + done, count - done, (off_t)(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += (size_t)got;
  }
  return true;
}

Status recording_block_read(const Recording *recording, const RecordingBlock *block,
                            uint64_t limit_bytes, uint8_t **bytes, Error *err) {
  *bytes = NULL;
  if (block->offset > recording->file_bytes ||
      block->packed_bytes > recording->file_bytes - block->offset)
    return refuse(recording, block->offset, "a block ends behind the file", err);
  if (block->plain_bytes > limit_bytes)
    return refuse(recording, block->offset, "a block is too large", err);
  uint8_t *packed = memory_alloc(block->packed_bytes + 1);
  uint8_t *plain = memory_alloc(block->plain_bytes + 1);  // a text ends with NUL
  bool is_read = read_all(recording->file, packed, block->packed_bytes, block->offset);
  size_t got =
      is_read ? ZSTD_decompress(plain, block->plain_bytes, packed, block->packed_bytes) : 0;
  memory_free(packed);
  if (is_read && !ZSTD_isError(got) && got == block->plain_bytes) {
    *bytes = plain;
    return OK;
  }
  memory_free(plain);
  return refuse(recording, block->offset,
                is_read && ZSTD_isError(got) ? ZSTD_getErrorName(got) : "a block is incomplete",
                err);
}

// ---- contents

// A failure is remembered, and what follows reads as zero.
typedef struct Input {
  const uint8_t *at, *end;
  bool is_bad;
  Arena *arena;
} Input;

static uint64_t get(Input *input) {
  uint64_t value = 0;
  if (!input->is_bad && !varint_get(&input->at, input->end, &value)) input->is_bad = true;
  return input->is_bad ? 0 : value;
}

static uint64_t get_within(Input *input, uint64_t most) {
  uint64_t value = get(input);
  if (value > most) input->is_bad = true;
  return input->is_bad ? 0 : value;
}

static uint32_t get_32(Input *input) {
  return (uint32_t)get_within(input, UINT32_MAX);
}

// Of things that take at least so many bytes each.
static uint64_t get_count(Input *input, uint64_t bytes_each) {
  uint64_t left = (uint64_t)(input->end - input->at);
  return get_within(input, left / bytes_each);
}

static const char *get_text(Input *input) {
  uint64_t length = get_count(input, 1);
  if (length > (uint64_t)(input->end - input->at)) input->is_bad = true;
  if (input->is_bad) return "";
  const char *text = arena_strndup(input->arena, (const char *)input->at, length);
  input->at += length;
  return text;
}

static RecordingBlock get_block(Input *input) {
  RecordingBlock block;
  block.offset = get(input);
  block.packed_bytes = get(input);
  block.plain_bytes = get(input);
  return block;
}

static void get_module(Input *input, RecordedModule *module) {
  module->is_sass = get_within(input, 1);
  module->base_address = get(input);
  module->compiler.optimise = get_within(input, 1);
  module->compiler.architecture = get_32(input);
  module->digest = get(input);
  module->text_count = (uint32_t)get_count(input, 4);
  module->texts = ARENA_ARRAY(input->arena, RecordedText, module->text_count + 1);
  for (uint32_t i = 0; i < module->text_count; i++) {
    module->texts[i].path = get_text(input);
    module->texts[i].block = get_block(input);
  }
}

static void get_start(Input *input, RecordedStart *start) {
  start->is_first = get_within(input, 1);
  start->after = get(input);
  start->is_timed = get_within(input, 1);
  start->cycles = get(input);
}

static void get_buffers(Input *input, RecordedBuffers *buffers) {
  buffers->gone_count = (uint32_t)get_count(input, 1);
  buffers->gone = ARENA_ARRAY(input->arena, uint64_t, buffers->gone_count + 1u);
  for (uint32_t i = 0; i < buffers->gone_count; i++) buffers->gone[i] = get(input);
  buffers->added_count = (uint32_t)get_count(input, 2);
  buffers->added = ARENA_ARRAY(input->arena, RecordedBuffer, buffers->added_count + 1u);
  for (uint32_t i = 0; i < buffers->added_count; i++) {
    buffers->added[i].address = get(input);
    buffers->added[i].size_bytes = get(input);
  }
}

static void get_kernel(Input *input, RecordedKernel *kernel) {
  uint64_t priority;
  kernel->module = get_32(input);
  kernel->name = get_text(input);
  for (int i = 0; i < 3; i++) kernel->grid[i] = get_32(input);
  for (int i = 0; i < 3; i++) kernel->block[i] = get_32(input);
  kernel->dynamic_shared_bytes = get_32(input);
  kernel->local_bytes = get_32(input);
  kernel->registers = get_32(input);
  kernel->stream = get_within(input, UINT32_MAX);
  if (input->is_bad || !varint_get_signed(&input->at, input->end, &priority)) priority = 0;
  kernel->priority = (int)(int8_t)priority;
  get_start(input, &kernel->start);
  get_buffers(input, &kernel->buffers);
  kernel->warp_instructions = get(input);
  kernel->thread_instructions = get(input);
  kernel->pages = get(input);
  kernel->segment_count = get(input);
  kernel->segments = get_block(input);
}

static void get_modules(Input *input, RecordingContents *contents) {
  contents->module_count = (uint32_t)get_count(input, 6);
  contents->modules = ARENA_ARRAY(input->arena, RecordedModule, contents->module_count + 1);
  for (uint32_t i = 0; i < contents->module_count && !input->is_bad; i++)
    get_module(input, &contents->modules[i]);
}

static void get_kernels(Input *input, RecordingContents *contents) {
  contents->kernel_count = (uint32_t)get_count(input, 25);
  contents->kernels = ARENA_ARRAY(input->arena, RecordedKernel, contents->kernel_count + 1);
  for (uint32_t i = 0; i < contents->kernel_count && !input->is_bad; i++) {
    get_kernel(input, &contents->kernels[i]);
    if (contents->kernels[i].module >= contents->module_count) input->is_bad = true;
  }
  // The first one waits for no other.
  if (contents->kernel_count && !contents->kernels[0].start.is_first) input->is_bad = true;
}

static bool get_contents(Input *input, RecordingContents *contents) {
  contents->heddle = get_text(input);
  contents->input = get_text(input);
  contents->gpu = get_text(input);
  contents->scheme = get_text(input);
  contents->causes = (uint32_t)get_within(input, (1u << CAUSE_COUNT) - 1);
  get_modules(input, contents);
  get_kernels(input, contents);
  contents->group_count = get_count(input, 3);
  contents->groups = ARENA_ARRAY(input->arena, RecordingBlock, contents->group_count + 1);
  for (uint64_t i = 0; i < contents->group_count; i++) contents->groups[i] = get_block(input);
  return !input->is_bad && input->at == input->end;
}

static Status read_contents(Recording *recording, const RecordingBlock *block, Error *err) {
  uint8_t *bytes;
  TRY(recording_block_read(recording, block, MAX_CONTENTS_BYTES, &bytes, err));
  Input input = {.at = bytes, .end = bytes + block->plain_bytes, .arena = &recording->arena};
  bool is_good = get_contents(&input, &recording->contents);
  memory_free(bytes);
  return is_good ? OK : refuse(recording, block->offset, "invalid contents", err);
}

// ---- the file

static Status read_header(Recording *recording, Error *err) {
  RecordingHeader header;
  if (!read_all(recording->file, (uint8_t *)&header, sizeof header, 0) ||
      memcmp(header.magic, RECORDING_MAGIC, sizeof header.magic) != 0)
    return error_set(err, ERR_SYNTAX, "%s: not a recording of Heddle, or incomplete",
                     recording->path);
  if (header.version != RECORDING_VERSION)
    return error_set(err, ERR_UNSUPPORTED,
                     "%s: recordings of version %u are not supported by Heddle %s, which reads "
                     "version %d; record it again",
                     recording->path, header.version, version_text(), RECORDING_VERSION);
  if (header.digest != digest_add(digest_start(), &header, offsetof(RecordingHeader, digest)))
    return refuse(recording, 0, "wrong checksum of the header", err);
  return read_contents(recording, &header.contents, err);
}

static Status open_file(Recording *recording, Error *err) {
  struct stat about;
  recording->file = open(recording->path, O_RDONLY | O_CLOEXEC);
  if (recording->file < 0 || fstat(recording->file, &about) != 0)
    return error_set(err, ERR_IO, "cannot open %s: %s", recording->path, strerror(errno));
  if (!S_ISREG(about.st_mode))
    return error_set(err, ERR_IO, "%s: a recording is a regular file", recording->path);
  recording->file_bytes = (uint64_t)about.st_size;
  return read_header(recording, err);
}

bool recording_is(const char *path) {
  char magic[sizeof RECORDING_MAGIC - 1];
  struct stat about;
  if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return false;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  bool is_one = file >= 0 && read_all(file, (uint8_t *)magic, sizeof magic, 0) &&
                memcmp(magic, RECORDING_MAGIC, sizeof magic) == 0;
  if (file >= 0) close(file);
  return is_one;
}

Status recording_open(Recording **opened, const char *path, Error *err) {
  Recording *recording = memory_alloc(sizeof *recording);
  recording->path = arena_strdup(&recording->arena, path);
  pthread_mutex_init(&recording->mutex, NULL);
  Status status = open_file(recording, err);
  if (status == OK)
    *opened = recording;
  else
    recording_close(recording);
  return status;
}

void recording_close(Recording *recording) {
  if (!recording) return;
  for (int i = 0; i < CACHED_GROUPS; i++) memory_free(recording->cache[i].bytes);
  if (recording->file >= 0) close(recording->file);
  pthread_mutex_destroy(&recording->mutex);
  arena_clear(&recording->arena);
  memory_free(recording);
}

const RecordingContents *recording_contents(const Recording *recording) {
  return &recording->contents;
}

uint64_t recording_file_bytes(const Recording *recording) {
  return recording->file_bytes;
}

Status recording_text(Recording *recording, const RecordedText *wanted, char **text, size_t *length,
                      Error *err) {
  uint8_t *bytes;
  TRY(recording_block_read(recording, &wanted->block, MAX_TEXT_BYTES, &bytes, err));
  *text = (char *)bytes;
  *length = wanted->block.plain_bytes;
  return OK;
}

Status recording_check(const Recording *recording, Error *err) {
  if (!recording->has_failed) return OK;
  return error_set(err, recording->failure.status, "%s", recording->failure.text);
}
