// SPDX-License-Identifier: MIT
// Reads the options of module loading and linking, and writes their outputs.
#include "cudadriver/jit.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static double milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static size_t size_in(void *const *value) {
  return (unsigned)(uintptr_t)*value;
}

static CUresult read_option(JitOptions *jit, CUjit_option option, void **value) {
  switch (option) {
    case CU_JIT_WALL_TIME: jit->wall_time_at = value; break;
    case CU_JIT_INFO_LOG_BUFFER: jit->info.text = *value; break;
    case CU_JIT_ERROR_LOG_BUFFER: jit->error.text = *value; break;
    case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
      jit->info.size_at = value;
      jit->info.room_bytes = size_in(value);
      break;
    case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
      jit->error.size_at = value;
      jit->error.room_bytes = size_in(value);
      break;
    case CU_JIT_GLOBAL_SYMBOL_NAMES:
    case CU_JIT_GLOBAL_SYMBOL_ADDRESSES:
    case CU_JIT_GLOBAL_SYMBOL_COUNT: return api_unsupported("JIT options for symbol addresses");
    default: return (unsigned)option < CU_JIT_NUM_OPTIONS ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult jit_read(JitOptions *jit, unsigned count, const CUjit_option *options, void **values) {
  *jit = (JitOptions){.began = milliseconds()};
  NEED_VALUE(!count || (options && values));
  for (unsigned i = 0; i < count; i++) NEED(read_option(jit, options[i], &values[i]));
  return CUDA_SUCCESS;
}

static void append(JitLog *log, const char *text) {
  if (!log->text || log->used_bytes >= log->room_bytes) return;
  size_t room = log->room_bytes - log->used_bytes;
  int wanted = snprintf(log->text + log->used_bytes, room, "%s%s", text, *text ? "\n" : "");
  log->used_bytes += (size_t)wanted < room ? (size_t)wanted : room - 1;
}

static void store_size(const JitLog *log) {
  if (log->size_at) *log->size_at = (void *)(uintptr_t)log->used_bytes;
}

void jit_answer(JitOptions *jit, const Error *err) {
  float taken = (float)(milliseconds() - jit->began);
  append(&jit->info, "");
  append(&jit->error, err->text);
  store_size(&jit->info);
  store_size(&jit->error);
  if (jit->wall_time_at) memcpy(jit->wall_time_at, &taken, sizeof taken);
}
