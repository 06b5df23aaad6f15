// SPDX-License-Identifier: MIT
// Internal tables of the device runtime.
#ifndef RUNTIME_RUNTIME_TABLES_H
#define RUNTIME_RUNTIME_TABLES_H

#include <uthash.h>

#include "runtime/device_runtime.h"

// Numbers of streams below this are the host's.
#define FIRST_DEVICE_STREAM (UINT64_C(1) << 32)

// What cudaGetParameterBufferV2 was told, until the launch.
typedef struct ParameterBuffer {
  uint64_t address;
  const Function *kernel;  // NULL: only memory was requested
  uint32_t grid[3], block[3], dynamic_shared_bytes;
  UT_hash_handle hh;
} ParameterBuffer;

typedef struct RuntimeStream {
  uint64_t number;       // also its handle
  uint64_t last_launch;  // 0: none
  uint64_t *waits;       // launches that its next one comes after
  uint32_t wait_count, wait_capacity;
  uint64_t grid;         // whose threads made it; it ends with that grid at the latest
  struct RuntimeStream *previous, *next;  // of the grid
  UT_hash_handle hh;
} RuntimeStream;

typedef struct RuntimeEvent {
  uint64_t handle;
  uint64_t launch;  // that it was recorded behind; 0: none
  uint64_t grid;    // as of streams
  struct RuntimeEvent *previous, *next;
  UT_hash_handle hh;
} RuntimeEvent;

// Objects created by the threads of a grid.
typedef struct RuntimeGrid {
  uint64_t grid;
  RuntimeStream *streams;
  RuntimeEvent *events;
  UT_hash_handle hh;
} RuntimeGrid;

// Zeroed before use: it is compared by its bytes.
typedef struct ThreadKey {
  uint64_t grid, cta;
  uint32_t thread;
} ThreadKey;

typedef struct ThreadError {
  ThreadKey key;
  uint32_t code;
  UT_hash_handle hh;
} ThreadError;

// A text that was put into device memory.
typedef struct ErrorText {
  const char *text;  // key: its address
  uint64_t address;
  UT_hash_handle hh;
} ErrorText;

RuntimeStream *runtime_stream(DeviceRuntime *runtime, uint64_t number);  // or NULL
RuntimeStream *runtime_stream_add(DeviceRuntime *runtime, uint64_t grid);
void runtime_stream_remove(DeviceRuntime *runtime, RuntimeStream *stream);
RuntimeEvent *runtime_event(DeviceRuntime *runtime, uint64_t handle);  // or NULL
RuntimeEvent *runtime_event_add(DeviceRuntime *runtime, uint64_t grid);
void runtime_event_remove(DeviceRuntime *runtime, RuntimeEvent *event);
// A thread's last error.
void runtime_set_error(DeviceRuntime *runtime, const Warp *warp, int lane, uint32_t code);
uint32_t runtime_last_error(DeviceRuntime *runtime, const Warp *warp, int lane, bool clear);
// Counts a failed launch by the warp's kernel.
void runtime_note_refusal(DeviceRuntime *runtime, const Warp *warp, uint32_t code);

#endif
