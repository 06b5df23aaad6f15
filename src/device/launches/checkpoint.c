// SPDX-License-Identifier: MIT
// A head; the touches; the allocations, each with its bytes; a tail, by which a file that was cut
// off is recognised. Numbers are those of the host.
#include "device/launches/checkpoint.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/files/replaced_file.h"

typedef struct Head {
  char magic[16];
  uint64_t digest, launches, instructions, touches, allocations;
} Head;

typedef struct Piece {
  uint64_t address, size_bytes, kind;
} Piece;

static const char head_magic[16] = "heddle state 1", tail_magic[16] = "end of state";

static const Allocation *next_allocation(const DeviceMemory *memory, uint64_t address) {
  const Allocation *below, *above;
  device_memory_neighbours(memory, address, &below, &above);
  return above;
}

// Counts the allocations; refuses those that the file cannot keep.
static Status check_kinds(const DeviceMemory *memory, const char *path, uint64_t *count,
                          Error *err) {
  *count = 0;
  for (const Allocation *it = next_allocation(memory, 0); it;
       it = next_allocation(memory, it->address), ++*count) {
    const char *why = it->kind == ALLOCATION_HOST     ? "the host and the device share memory"
                      : it->kind == ALLOCATION_DEVICE ? "kernels have allocated memory"
                                                      : NULL;
    if (why)
      return error_set(err, ERR_UNSUPPORTED,
                       "--checkpoint %s: %s (%" PRIu64 " bytes at 0x%" PRIx64
                       "), which cannot be kept; use --skip-kernels or --fast-forward without "
                       "--checkpoint",
                       path, why, it->size_bytes, it->address);
  }
  return OK;
}

static void put(FILE *file, const void *bytes, size_t size_bytes) {
  fwrite(bytes, 1, size_bytes, file);
}

static void write_all(const CheckpointState *state, const DeviceMemory *memory, uint64_t count,
                      FILE *file) {
  const LaunchProfile *profile = &state->profile;
  uint64_t first = launch_profile_first(profile);
  Head head = {.digest = state->digest,
               .launches = state->launches,
               .instructions = state->instructions,
               .touches = profile->touch_count - first,
               .allocations = count};
  memcpy(head.magic, head_magic, sizeof head.magic);
  put(file, &head, sizeof head);
  for (uint64_t i = first; i < profile->touch_count; i++)
    put(file, launch_profile_touch(profile, i), sizeof(LineTouch));
  for (const Allocation *it = next_allocation(memory, 0); it;
       it = next_allocation(memory, it->address)) {
    put(file, &(Piece){it->address, it->size_bytes, (uint64_t)it->kind}, sizeof(Piece));
    put(file, it->host, it->size_bytes);
  }
  put(file, tail_magic, sizeof tail_magic);
}

Status checkpoint_write(const CheckpointState *state, const DeviceMemory *memory, const char *path,
                        Error *err) {
  uint64_t count;
  ReplacedFile it;
  TRY(check_kinds(memory, path, &count, err));
  if (replaced_file_begin(&it, path, err) != OK) return error_prefix(err, "--checkpoint");
  write_all(state, memory, count, it.file);
  Status status = OK;
  if (ferror(it.file))
    status = error_set(err, ERR_IO, "cannot write %s: %s", path, strerror(errno));
  return replaced_file_end(&it, status, err);
}

// ---- reading

static Status get(FILE *file, void *to, size_t size_bytes, const char *path, Error *err) {
  if (fread(to, 1, size_bytes, file) == size_bytes) return OK;
  return error_set(err, ERR_IO, "--restore %s: incomplete file; make the checkpoint again", path);
}

static Status read_head(FILE *file, Head *head, const char *path, Error *err) {
  TRY(get(file, head, sizeof *head, path, err));
  if (memcmp(head->magic, head_magic, sizeof head->magic) == 0 && head->touches <= PROFILE_TOUCHES)
    return OK;
  return error_set(err, ERR_SYNTAX, "--restore %s: not a checkpoint of this version of heddle",
                   path);
}

Status checkpoint_open(FILE **file, const char *path, uint64_t *launches, Error *err) {
  Head head;
  *file = fopen(path, "rb");
  if (!*file) return error_set(err, ERR_IO, "--restore: cannot open %s: %s", path, strerror(errno));
  TRY(read_head(*file, &head, path, err));
  *launches = head.launches;
  return OK;
}

static Status read_touches(LaunchProfile *profile, uint64_t count, FILE *file, const char *path,
                           Error *err) {
  launch_profile_begin(profile, 1);
  TRY(get(file, profile->touches, sizeof(LineTouch) * count, path, err));
  profile->touch_count = count;
  return OK;
}

static Status read_piece(DeviceMemory *memory, FILE *file, const char *path, uint64_t *address,
                         Error *err) {
  Piece piece;
  const Allocation *it = next_allocation(memory, *address);
  TRY(get(file, &piece, sizeof piece, path, err));
  if (!it || it->address != piece.address || it->size_bytes != piece.size_bytes ||
      (uint64_t)it->kind != piece.kind)
    return error_set(err, ERR_PROGRAM,
                     "--restore %s: the program's allocations differ from those of the checkpoint "
                     "at 0x%" PRIx64 "; restore with the program, arguments and input that made it",
                     path, piece.address);
  *address = it->address;
  return get(file, it->host, it->size_bytes, path, err);
}

Status checkpoint_read(CheckpointState *state, DeviceMemory *memory, FILE *file, const char *path,
                       Error *err) {
  Head head;
  char tail[sizeof tail_magic];
  uint64_t address = 0;
  rewind(file);
  TRY(read_head(file, &head, path, err));
  if (head.digest != state->digest || head.launches != state->launches)
    return error_set(err, ERR_PROGRAM,
                     "--restore %s: the program's first %" PRIu64
                     " launches differ from those of the checkpoint; restore with the program, "
                     "arguments and input that made it",
                     path, head.launches);
  state->instructions = head.instructions;
  TRY(read_touches(&state->profile, head.touches, file, path, err));
  for (uint64_t i = 0; i < head.allocations; i++)
    TRY(read_piece(memory, file, path, &address, err));
  if (next_allocation(memory, address))
    return error_set(err, ERR_PROGRAM,
                     "--restore %s: the program has more allocations than the checkpoint", path);
  TRY(get(file, tail, sizeof tail, path, err));
  if (memcmp(tail, tail_magic, sizeof tail) == 0) return OK;
  return error_set(err, ERR_SYNTAX, "--restore %s: damaged file; make the checkpoint again", path);
}
