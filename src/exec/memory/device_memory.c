// SPDX-License-Identifier: MIT
// Device memory: one sorted array of allocations, searched by halving.
//
// A freed allocation stays in the array as a tombstone, so that a late access
// is recognised as use after free, and its addresses are not given out again
// until it is evicted. Tombstones are evicted in batches, oldest first; from
// then on the heap fills gaps, first fit, before it grows.
//
// The pages of a kernel's own malloc are kept as long as the tombstone: other
// SMs may still hold its host address for the rest of the cycle.
#include "exec/memory/device_memory.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "exec/memory/stray_access.h"

enum { TOMBSTONES = 256, MAPPED_BYTES = 64 << 10, WIDEST_ACCESS = 32 };

// No address may reach this far: sums of address and size never wrap.
#define ADDRESS_END (UINT64_C(1) << 62)

typedef struct Entry {
  Allocation allocation;
  uint8_t *owned;   // host memory to free, or NULL
  bool is_mapped;   // it is pages
  int file;         // that has its bytes, plus 1; 0 = none
  uint64_t serial;  // of the free
} Entry;

struct DeviceMemory {
  Entry *entries;    // sorted by address, none overlaps another
  uint64_t *starts;  // their addresses, packed for the search
  uint32_t count, capacity;
  uint32_t tombstones;
  uint64_t frees;
  uint64_t capacity_bytes, used_bytes;
  uint64_t heap_end;     // end of the highest heap allocation so far
  uint64_t largest_gap;  // no gap below heap_end is larger; 0 until something was evicted
  StrayAccesses *strays;  // NULL: bounds are exact
};

DeviceMemory *device_memory_create(uint64_t capacity_bytes) {
  DeviceMemory *memory = memory_alloc(sizeof *memory);
  memory->capacity_bytes = capacity_bytes;
  memory->heap_end = HEAP_BASE;
  return memory;
}

uint64_t device_memory_host_bytes(uint64_t size_bytes) {
  return (size_bytes + WIDEST_ACCESS - 1) & ~(uint64_t)(WIDEST_ACCESS - 1);
}

static uint8_t *host_take(Entry *entry) {
  uint64_t bytes = device_memory_host_bytes(entry->allocation.size_bytes);
  entry->is_mapped = bytes >= MAPPED_BYTES;
  return entry->is_mapped ? memory_map(bytes) : memory_alloc(bytes);
}

static void host_give_back(Entry *entry) {
  uint64_t bytes = device_memory_host_bytes(entry->allocation.size_bytes);
  if (entry->is_mapped)
    memory_unmap(entry->owned, bytes);
  else
    memory_free(entry->owned);
  if (entry->file) close(entry->file - 1);
  entry->owned = NULL, entry->file = 0;
}

static void entry_clear(Entry *entry) {
  host_give_back(entry);
  memory_free((char *)(uintptr_t)entry->allocation.name);
}

void device_memory_destroy(DeviceMemory *memory) {
  if (!memory) return;
  for (uint32_t i = 0; i < memory->count; i++) entry_clear(&memory->entries[i]);
  memory_free(memory->entries);
  memory_free(memory->starts);
  stray_accesses_destroy(memory->strays);
  memory_free(memory);
}

void device_memory_set_bounds(DeviceMemory *memory, MemoryBounds bounds) {
  stray_accesses_destroy(memory->strays);
  memory->strays = bounds == BOUNDS_PAGE ? stray_accesses_create() : NULL;
}

StrayAccesses *device_memory_strays(const DeviceMemory *memory) {
  return memory->strays;
}

// How many entries begin at or below address. Halving without branches: the
// outcome of each step is a coin toss that no predictor can learn.
static uint32_t entries_up_to(const DeviceMemory *memory, uint64_t address) {
  const uint64_t *base = memory->starts;
  uint32_t left = memory->count;
  if (!left) return 0;
  while (left > 1) {
    uint32_t half = left / 2;
    base = base[half] <= address ? base + half : base;
    left -= half;
  }
  return (uint32_t)(base - memory->starts) + (*base <= address);
}

static uint64_t allocation_end(const Allocation *allocation) {
  return allocation->address + allocation->size_bytes;
}

static bool allocation_holds(const Allocation *allocation, uint64_t address) {
  return address - allocation->address < allocation->size_bytes;
}

// The first entry that shares a byte with the range, or NULL.
static Entry *entry_overlapping(const DeviceMemory *memory, uint64_t address, uint64_t size_bytes) {
  uint32_t i = entries_up_to(memory, address);
  if (i && allocation_holds(&memory->entries[i - 1].allocation, address))
    return &memory->entries[i - 1];
  if (i < memory->count && memory->starts[i] - address < size_bytes) return &memory->entries[i];
  return NULL;
}

// Drops, in one pass, the tombstones freed up to a serial and those in a range.
static void evict(DeviceMemory *memory, uint64_t up_to_serial, uint64_t address,
                  uint64_t size_bytes) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < memory->count; i++) {
    Entry *entry = &memory->entries[i];
    const Allocation *it = &entry->allocation;
    bool overlaps = it->address < address + size_bytes && address < allocation_end(it);
    if (it->freed && (entry->serial <= up_to_serial || overlaps)) {
      entry_clear(entry);
      memory->tombstones--;
    } else {
      memory->entries[kept] = *entry;
      memory->starts[kept++] = it->address;
    }
  }
  memory->count = kept;
  memory->largest_gap = UINT64_MAX;
}

static void insert(DeviceMemory *memory, const Entry *entry) {
  if (memory->count == memory->capacity) {
    memory->capacity = memory->capacity ? memory->capacity * 2 : 16;
    memory->entries = memory_resize(memory->entries, memory->capacity * sizeof(Entry));
    memory->starts = memory_resize(memory->starts, memory->capacity * sizeof(uint64_t));
  }
  uint32_t at = entries_up_to(memory, entry->allocation.address);
  uint32_t behind = memory->count - at;
  memmove(&memory->entries[at + 1], &memory->entries[at], behind * sizeof(Entry));
  memmove(&memory->starts[at + 1], &memory->starts[at], behind * sizeof(uint64_t));
  memory->entries[at] = *entry;
  memory->starts[at] = entry->allocation.address;
  memory->count++;
}

static char *name_copy(const char *name) {
  if (!name) return NULL;
  size_t bytes = strlen(name) + 1;
  return memcpy(memory_alloc(bytes), name, bytes);
}

static Status check_room(const DeviceMemory *memory, uint64_t size_bytes, Error *err) {
  if (size_bytes <= memory->capacity_bytes - memory->used_bytes) return OK;
  return error_set(err, ERR_LIMIT,
                   "out of device memory: %" PRIu64 " bytes requested, %" PRIu64 " of %" PRIu64
                   " in use",
                   size_bytes, memory->used_bytes, memory->capacity_bytes);
}

static Status place(DeviceMemory *memory, uint64_t address, uint64_t size_bytes,
                    AllocationKind kind, const char *name, uint8_t *host, Error *err) {
  Entry entry = {.allocation = {.address = address, .size_bytes = size_bytes, .kind = kind}};
  if (!host) {
    TRY(check_room(memory, size_bytes, err));
    host = entry.owned = host_take(&entry);
    if (!host)
      return error_set(err, ERR_LIMIT,
                       "the host cannot provide %" PRIu64 " bytes for device memory", size_bytes);
    memory->used_bytes += size_bytes;
  }
  entry.allocation.host = host;
  entry.allocation.name = name_copy(name);
  insert(memory, &entry);
  return OK;
}

static uint64_t heap_align(uint64_t address) {
  return (address + HEAP_ALIGNMENT - 1) & ~(uint64_t)(HEAP_ALIGNMENT - 1);
}

// The lowest gap below heap_end that is large enough, or 0.
static uint64_t find_gap(DeviceMemory *memory, uint64_t size_bytes) {
  if (size_bytes > memory->largest_gap) return 0;
  uint64_t cursor = HEAP_BASE, largest = 0;
  for (uint32_t i = 0; i < memory->count; i++) {
    const Allocation *it = &memory->entries[i].allocation;
    if (allocation_end(it) <= cursor) continue;
    uint64_t limit = it->address < memory->heap_end ? it->address : memory->heap_end;
    uint64_t gap = limit > cursor ? limit - cursor : 0;
    if (gap >= size_bytes) return cursor;
    if (gap > largest) largest = gap;
    cursor = heap_align(allocation_end(it));
    if (cursor >= memory->heap_end) break;
  }
  memory->largest_gap = largest;
  return 0;
}

// Where on the heap there is room.
static Status heap_find(DeviceMemory *memory, uint64_t size_bytes, uint64_t *address, Error *err) {
  if (size_bytes >= ADDRESS_END) return error_set(err, ERR_LIMIT, "size larger than any memory");
  uint64_t at = find_gap(memory, size_bytes);
  if (!at) {
    at = memory->heap_end;
    Entry *other;
    while ((other = entry_overlapping(memory, at, size_bytes)))
      at = heap_align(allocation_end(&other->allocation));
    if (size_bytes > ADDRESS_END - at)
      return error_set(err, ERR_LIMIT, "device address space exhausted");
  }
  *address = at;
  return OK;
}

static void heap_extend(DeviceMemory *memory, uint64_t end) {
  if (heap_align(end) > memory->heap_end) memory->heap_end = heap_align(end);
}

Status device_memory_alloc(DeviceMemory *memory, uint64_t size_bytes, AllocationKind kind,
                           const char *name, uint64_t *address, Error *err) {
  assert(kind != ALLOCATION_HOST);
  uint64_t at = 0;
  if (!size_bytes) size_bytes = 1;
  TRY(heap_find(memory, size_bytes, &at, err));
  TRY(place(memory, at, size_bytes, kind, name, NULL, err));
  heap_extend(memory, at + size_bytes);
  *address = at;
  return OK;
}

Status device_memory_alloc_shared(DeviceMemory *memory, int file, uint64_t size_bytes,
                                  uint64_t *address, Error *err) {
  TRY(heap_find(memory, size_bytes, address, err));
  uint8_t *host = memory_map_file(file, device_memory_host_bytes(size_bytes));
  if (!host) return error_set(err, ERR_LIMIT, "shared memory cannot be mapped");
  Allocation allocation = {.address = *address, .size_bytes = size_bytes, .host = host};
  Entry entry = {.allocation = allocation, .owned = host, .is_mapped = true};
  entry.allocation.is_imported = true;
  insert(memory, &entry);
  memory->used_bytes += size_bytes;
  heap_extend(memory, *address + size_bytes);
  return OK;
}

// Moves it to pages.
static bool entry_map(Entry *entry) {
  if (entry->is_mapped) return true;
  uint64_t bytes = device_memory_host_bytes(entry->allocation.size_bytes);
  uint8_t *pages = memory_map(bytes);
  if (!pages) return false;
  memcpy(pages, entry->owned, bytes);
  memory_free(entry->owned);
  entry->allocation.host = entry->owned = pages;
  return entry->is_mapped = true;
}

Status device_memory_share(DeviceMemory *memory, uint64_t address, int *file, Error *err) {
  uint32_t i = entries_up_to(memory, address);
  Entry *entry = i ? &memory->entries[i - 1] : NULL;
  if (!entry || entry->allocation.freed || entry->allocation.kind != ALLOCATION_HEAP)
    return error_set(err, ERR_PROGRAM, "0x%" PRIx64 " is not on the heap", address);
  if (!entry->file && entry_map(entry))
    entry->file =
        1 + memory_to_file(entry->owned, device_memory_host_bytes(entry->allocation.size_bytes));
  if (!entry->file) return error_set(err, ERR_LIMIT, "memory cannot be shared");
  *file = entry->file - 1;
  return OK;
}

Status device_memory_alloc_at(DeviceMemory *memory, uint64_t address, uint64_t size_bytes,
                              AllocationKind kind, const char *name, uint8_t *host, Error *err) {
  assert(kind != ALLOCATION_HOST || host);
  if (!size_bytes) size_bytes = 1;
  if (address < PROGRAM_BASE || address >= ADDRESS_END || size_bytes > ADDRESS_END - address)
    return error_set(err, ERR_LIMIT, "cannot allocate at 0x%" PRIx64, address);
  Entry *other = entry_overlapping(memory, address, size_bytes);
  if (other && memory->tombstones) {
    evict(memory, 0, address, size_bytes);
    other = entry_overlapping(memory, address, size_bytes);
  }
  if (other)
    return error_set(err, ERR_LIMIT,
                     "0x%" PRIx64 " overlaps %s (%" PRIu64 " bytes at 0x%" PRIx64 ")", address,
                     other->allocation.name ? other->allocation.name : "an allocation",
                     other->allocation.size_bytes, other->allocation.address);
  return place(memory, address, size_bytes, kind, name, host, err);
}

Status device_memory_free(DeviceMemory *memory, uint64_t address, Error *err) {
  uint32_t i = entries_up_to(memory, address);
  Entry *entry = i ? &memory->entries[i - 1] : NULL;
  if (!entry || entry->allocation.address != address)
    return error_set(err, ERR_PROGRAM, "free of 0x%" PRIx64 ", where no allocation begins",
                     address);
  if (entry->allocation.freed)
    return error_set(err, ERR_PROGRAM, "free of 0x%" PRIx64 ", which is already free", address);
  if (entry->owned) memory->used_bytes -= entry->allocation.size_bytes;
  entry->allocation.freed = true;
  entry->allocation.host = NULL;
  if (entry->allocation.kind != ALLOCATION_DEVICE) host_give_back(entry);
  entry->serial = ++memory->frees;
  if (++memory->tombstones > TOMBSTONES) evict(memory, memory->frees - TOMBSTONES / 2, 0, 0);
  return OK;
}

const Allocation *device_memory_find(const DeviceMemory *memory, uint64_t address) {
  uint32_t i = entries_up_to(memory, address);
  if (!i) return NULL;
  const Allocation *it = &memory->entries[i - 1].allocation;
  return allocation_holds(it, address) && !it->freed ? it : NULL;
}

void device_memory_neighbours(const DeviceMemory *memory, uint64_t address,
                              const Allocation **below, const Allocation **above) {
  uint32_t low = entries_up_to(memory, address), high = low;
  while (low && memory->entries[low - 1].allocation.freed) low--;
  while (high < memory->count && memory->entries[high].allocation.freed) high++;
  *below = low ? &memory->entries[low - 1].allocation : NULL;
  *above = high < memory->count ? &memory->entries[high].allocation : NULL;
}

const Allocation *device_memory_nearest(const DeviceMemory *memory, uint64_t address) {
  uint32_t i = entries_up_to(memory, address);
  if (!memory->count) return NULL;
  if (i && allocation_holds(&memory->entries[i - 1].allocation, address))
    return &memory->entries[i - 1].allocation;

  const Allocation *low, *high;
  device_memory_neighbours(memory, address, &low, &high);
  if (!low && !high) return &memory->entries[i ? i - 1 : 0].allocation;
  if (!low || !high) return low ? low : high;
  return address - allocation_end(low) < high->address - address ? low : high;
}

// Host memory of a range of device memory within one allocation.
static Status range_find(const DeviceMemory *memory, uint64_t address, uint64_t size_bytes,
                         uint8_t **host, Error *err) {
  const Allocation *it = device_memory_find(memory, address);
  if (it && size_bytes <= allocation_end(it) - address) {
    *host = it->host + (address - it->address);
    return OK;
  }
  it = device_memory_nearest(memory, address);
  if (!it)
    return error_set(err, ERR_PROGRAM, "%" PRIu64 " bytes at 0x%" PRIx64 ": no memory is allocated",
                     size_bytes, address);
  return error_set(err, ERR_PROGRAM,
                   "%" PRIu64 " bytes at 0x%" PRIx64
                   " are not all allocated; nearest is %s%s, %" PRIu64 " bytes at 0x%" PRIx64,
                   size_bytes, address, it->name ? it->name : "an allocation",
                   it->freed ? " (freed)" : "", it->size_bytes, it->address);
}

Status device_memory_write(DeviceMemory *memory, uint64_t address, const void *from,
                           uint64_t size_bytes, Error *err) {
  uint8_t *host;
  if (!size_bytes) return OK;
  TRY(range_find(memory, address, size_bytes, &host, err));
  memcpy(host, from, size_bytes);
  return OK;
}

Status device_memory_read(const DeviceMemory *memory, uint64_t address, void *to,
                          uint64_t size_bytes, Error *err) {
  uint8_t *host;
  if (!size_bytes) return OK;
  TRY(range_find(memory, address, size_bytes, &host, err));
  memcpy(to, host, size_bytes);
  return OK;
}

Status device_memory_set(DeviceMemory *memory, uint64_t address, int byte, uint64_t size_bytes,
                         Error *err) {
  uint8_t *host;
  if (!size_bytes) return OK;
  TRY(range_find(memory, address, size_bytes, &host, err));
  memset(host, byte, size_bytes);
  return OK;
}

Status device_memory_set_aside(DeviceMemory *memory, uint64_t size_bytes, Error *err) {
  TRY(check_room(memory, size_bytes, err));
  memory->used_bytes += size_bytes;
  return OK;
}

void device_memory_put_back(DeviceMemory *memory, uint64_t size_bytes) {
  memory->used_bytes -= size_bytes;
}

uint64_t device_memory_used_bytes(const DeviceMemory *memory) {
  return memory->used_bytes;
}

uint64_t device_memory_capacity_bytes(const DeviceMemory *memory) {
  return memory->capacity_bytes;
}
