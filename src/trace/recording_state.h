// SPDX-License-Identifier: MIT
// Internals of a recording that is read: recording_reader.c, recorded_warps.c.
#ifndef TRACE_RECORDING_STATE_H
#define TRACE_RECORDING_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/arena.h"
#include "trace/recording_reader.h"

// Decompressed groups. CTAs that start one after the other are often of one group.
enum { CACHED_GROUPS = 64 };

typedef struct CachedGroup {
  uint64_t number;  // plus one; 0: none
  uint8_t *bytes;
  uint64_t count;
} CachedGroup;

struct Recording {
  const char *path;
  int file;
  uint64_t file_bytes;
  RecordingContents contents;
  Arena arena;
  pthread_mutex_t mutex;  // of what follows
  CachedGroup cache[CACHED_GROUPS];
  atomic_bool has_failed;
  Error failure;
};

// Reads and decompresses a block; the caller frees the bytes, behind which is a NUL.
Status recording_block_read(const Recording *recording, const RecordingBlock *block,
                            uint64_t limit_bytes, uint8_t **bytes, Error *err);

#endif
