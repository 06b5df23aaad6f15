// SPDX-License-Identifier: MIT
// Notes addresses and data of a load's lanes when it issues.
#include "sm/lsu/noted_lanes.h"

#include <string.h>

#include "base/memory.h"

enum { GROWTH = 32 };

void noted_lanes_clear(NotedLanes *noted) {
  for (uint32_t i = 0; i < noted->count; i++) memory_free(noted->all[i]);
  memory_free(noted->all);
  *noted = (NotedLanes){0};
}

static LoadLanes *place_of(NotedLanes *noted, uint32_t index) {
  if (index >= noted->count) {
    uint32_t count = index + GROWTH;
    noted->all = memory_resize(noted->all, sizeof *noted->all * count);
    memset(noted->all + noted->count, 0, sizeof *noted->all * (count - noted->count));
    noted->count = count;
  }
  if (!noted->all[index]) noted->all[index] = memory_alloc(sizeof *noted->all[index]);
  return noted->all[index];
}

// False outside of allocations, where a load would fault or read whatever is there, and in replays,
// which have addresses only.
static bool read_element(NotedLanes *noted, const DeviceMemory *memory, uint64_t address,
                         uint32_t bytes, uint64_t *value) {
  if (address - noted->last.address >= noted->last.size_bytes) {
    const Allocation *found = device_memory_find(memory, address);
    if (!found) return false;
    noted->last = *found;
  }
  uint64_t offset = address - noted->last.address;
  if (noted->last.kind == ALLOCATION_PLACE || noted->last.size_bytes - offset < bytes) return false;
  *value = 0;
  memcpy(value, noted->last.host + offset, bytes);
  return true;
}

static void read_ahead(NotedLanes *noted, LoadLanes *lanes, uint32_t lane,
                       const DeviceMemory *memory, uint32_t line_bytes) {
  for (uint32_t k = 0; k < LOAD_AHEAD; k++) {
    uint64_t address = lanes->address[lane] + (uint64_t)(k + 1) * lanes->bytes;
    if (address / line_bytes != lanes->address[lane] / line_bytes) return;
    if (!read_element(noted, memory, address, lanes->bytes, &lanes->ahead[k][lane])) return;
    lanes->ahead_mask[k] |= 1u << lane;
  }
}

// An allocation may have been freed since the last load.
void noted_lanes_add(NotedLanes *noted, uint32_t index, const MemoryAccess *access,
                     const DeviceMemory *memory, uint32_t line_bytes) {
  LoadLanes *lanes = place_of(noted, index);
  lanes->mask = access->mask;
  lanes->bytes = access->bytes;
  lanes->has_data = access->bytes == 4 || access->bytes == 8;
  memcpy(lanes->address, access->address, sizeof lanes->address);
  memset(lanes->ahead_mask, 0, sizeof lanes->ahead_mask);
  if (!lanes->has_data) return;
  noted->last = (Allocation){0};
  for (uint32_t left = lanes->mask; left; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left);
    if (read_element(noted, memory, lanes->address[lane], lanes->bytes, &lanes->value[lane]))
      read_ahead(noted, lanes, lane, memory, line_bytes);
    else
      lanes->has_data = false;
  }
}

void noted_lanes_forget(NotedLanes *noted, uint32_t index) {
  if (index < noted->count && noted->all[index]) noted->all[index]->mask = 0;
}

const LoadLanes *noted_lanes_of(const NotedLanes *noted, uint32_t index) {
  const LoadLanes *lanes = index < noted->count ? noted->all[index] : NULL;
  return lanes && lanes->mask ? lanes : NULL;
}
