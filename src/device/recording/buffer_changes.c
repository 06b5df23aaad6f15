// SPDX-License-Identifier: MIT
// Lists the allocations that appeared or vanished since the kernel before.
#include "device/recording/buffer_changes.h"

#include "base/memory.h"

static RecordedBuffer *list_live(const DeviceMemory *memory, uint32_t *count) {
  RecordedBuffer *live = NULL;
  uint32_t capacity = 0;
  const Allocation *below, *above;
  *count = 0;
  device_memory_neighbours(memory, 0, &below, &above);
  for (const Allocation *it = above; it; it = above) {
    GROW(live, *count, capacity);
    live[(*count)++] = (RecordedBuffer){it->address, it->size_bytes};
    device_memory_neighbours(memory, it->address, &below, &above);
  }
  return live;
}

static bool is_same(const RecordedBuffer *a, const RecordedBuffer *b) {
  return a->address == b->address && a->size_bytes == b->size_bytes;
}

// Both lists are in the order of addresses.
RecordedBuffers buffer_changes_note(BufferChanges *changes, const DeviceMemory *memory,
                                    Arena *arena) {
  uint32_t count, before = 0, now = 0;
  RecordedBuffer *live = list_live(memory, &count);
  RecordedBuffers result = {.gone = ARENA_ARRAY(arena, uint64_t, changes->count + 1u),
                            .added = ARENA_ARRAY(arena, RecordedBuffer, count + 1u)};
  while (before < changes->count || now < count) {
    const RecordedBuffer *old = before < changes->count ? &changes->known[before] : NULL;
    const RecordedBuffer *own = now < count ? &live[now] : NULL;
    if (old && own && is_same(old, own)) {
      before++, now++;
    } else if (old && (!own || old->address <= own->address)) {
      result.gone[result.gone_count++] = old->address;
      before++;
    } else {
      result.added[result.added_count++] = *own;
      now++;
    }
  }
  memory_free(changes->known);
  *changes = (BufferChanges){live, count};
  return result;
}

void buffer_changes_clear(BufferChanges *changes) {
  memory_free(changes->known);
  *changes = (BufferChanges){0};
}
