// SPDX-License-Identifier: MIT
// Which allocations a kernel finds, relative to the kernel before.
#ifndef DEVICE_RECORDING_BUFFER_CHANGES_H
#define DEVICE_RECORDING_BUFFER_CHANGES_H

#include "base/arena.h"
#include "exec/memory/device_memory.h"
#include "trace/recording.h"

// Zeroed: none have been noted.
typedef struct BufferChanges {
  RecordedBuffer *known;  // by address
  uint32_t count;
} BufferChanges;

// The changes since the last call; their arrays are in the arena.
RecordedBuffers buffer_changes_note(BufferChanges *changes, const DeviceMemory *memory,
                                    Arena *arena);
void buffer_changes_clear(BufferChanges *changes);

#endif
