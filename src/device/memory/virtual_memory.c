// SPDX-License-Identifier: MIT
// Device addresses are host addresses: a range is reserved address space of this process, a
// piece a memory file, and mapping is mmap. Accesses of kernels then need no translation, and
// two mappings of a piece see each other's stores.
#define _GNU_SOURCE  // memfd_create
#include "device/memory/virtual_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "device/state.h"

typedef struct Range {
  uint64_t address;  // key
  uint64_t size_bytes;
  UT_hash_handle hh;
} Range;

struct DevicePiece {
  const void *self;  // key: its own address
  uint64_t size_bytes;
  int file;
  uint32_t handles, mappings;
  UT_hash_handle hh;
};

typedef struct Mapping {
  uint64_t address;  // key
  DevicePiece *piece;
  VirtualAccess access;
  UT_hash_handle hh;
} Mapping;

struct VirtualMemory {
  Range *ranges;
  DevicePiece *pieces;
  Mapping *mappings;
};

static VirtualMemory *virtual_of(Device *device) {
  if (!device->virtual_memory) device->virtual_memory = memory_alloc(sizeof(VirtualMemory));
  return device->virtual_memory;
}

static bool is_whole(uint64_t size) {
  return size && size % VIRTUAL_GRANULARITY == 0;
}

static void *host_at(uint64_t address) {
  return (void *)(uintptr_t)address;
}

// Takes the lock if the device works and everything that was asked is done.
static DeviceError enter(Device *device) {
  device_lock(device);
  DeviceError error = device_ready(device);
  if (!error) error = device_execute(device);
  if (error) device_unlock(device);
  return error;
}

// CUDA keeps mappings when the last context is destroyed; here they go with it, and what
// programs give back afterwards is gone.
static bool is_gone(Device *device) {
  device_lock(device);
  bool is_gone = device->has_lost_mappings && !device->engine.memory;
  device_unlock(device);
  return is_gone;
}

static DeviceError leave(Device *device, DeviceError error) {
  device_forget_allocations(device);
  device_unlock(device);
  return error;
}

// ---- ranges

// Reserves addresses without memory, aligned by trimming.
static uint64_t take_addresses(uint64_t size, uint64_t alignment) {
  void *pages =
      mmap(NULL, size + alignment, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) return 0;
  uint64_t first = (uint64_t)(uintptr_t)pages;
  uint64_t address = (first + alignment - 1) / alignment * alignment;
  uint64_t behind = first + alignment - address;
  if (address > first) munmap(pages, address - first);
  if (behind) munmap(host_at(address + size), behind);
  return address;
}

DeviceError device_range_reserve(Device *device, uint64_t size_bytes, uint64_t alignment,
                                 uint64_t *address) {
  const uint64_t most = UINT64_C(1) << 45;
  if (alignment < VIRTUAL_GRANULARITY) alignment = VIRTUAL_GRANULARITY;
  if (!is_whole(size_bytes) || alignment & (alignment - 1)) return DEVICE_INVALID_VALUE;
  if (size_bytes > most || alignment > most) return DEVICE_OUT_OF_MEMORY;
  DeviceError error = enter(device);
  if (error) return error;
  uint64_t taken = take_addresses(size_bytes, alignment);
  if (!taken) return leave(device, DEVICE_OUT_OF_MEMORY);
  Range *range = memory_alloc(sizeof *range);
  *range = (Range){.address = *address = taken, .size_bytes = size_bytes};
  HASH_ADD(hh, virtual_of(device)->ranges, address, sizeof range->address, range);
  return leave(device, DEVICE_OK);
}

static const Range *range_around(const VirtualMemory *virtual, uint64_t address, uint64_t size) {
  for (const Range *it = virtual->ranges; it; it = it->hh.next)
    if (address >= it->address && address - it->address < it->size_bytes &&
        size <= it->size_bytes - (address - it->address))
      return it;
  return NULL;
}

static bool overlaps(const Mapping *mapping, uint64_t address, uint64_t size) {
  return mapping->address < address + size &&
         address < mapping->address + mapping->piece->size_bytes;
}

static const Mapping *mapping_in(const VirtualMemory *virtual, uint64_t address, uint64_t size) {
  for (const Mapping *it = virtual->mappings; it; it = it->hh.next)
    if (overlaps(it, address, size)) return it;
  return NULL;
}

DeviceError device_range_free(Device *device, uint64_t address, uint64_t size_bytes) {
  if (is_gone(device)) return DEVICE_OK;
  DeviceError error = enter(device);
  if (error) return error;
  VirtualMemory *virtual = virtual_of(device);
  Range *range;
  HASH_FIND(hh, virtual->ranges, &address, sizeof address, range);
  if (!range || range->size_bytes != size_bytes || mapping_in(virtual, address, size_bytes))
    return leave(device, DEVICE_INVALID_VALUE);
  munmap(host_at(address), size_bytes);
  HASH_DEL(virtual->ranges, range);
  memory_free(range);
  return leave(device, DEVICE_OK);
}

// ---- pieces

// Takes over the file, which may be -1.
static DeviceError piece_add(Device *device, int file, uint64_t size_bytes, DevicePiece **piece) {
  Error err;
  if (file < 0) return DEVICE_OUT_OF_MEMORY;
  if (device_memory_set_aside(device->engine.memory, size_bytes, &err) != OK) {
    close(file);
    return DEVICE_OUT_OF_MEMORY;
  }
  DevicePiece *made = *piece = memory_alloc(sizeof *made);
  *made = (DevicePiece){.self = made, .size_bytes = size_bytes, .file = file, .handles = 1};
  HASH_ADD_PTR(virtual_of(device)->pieces, self, made);
  return DEVICE_OK;
}

static int new_file(uint64_t size_bytes) {
  int file = memfd_create("heddle", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, (off_t)size_bytes) == 0) return file;
  close(file);
  return -1;
}

DeviceError device_piece_create(Device *device, uint64_t size_bytes, DevicePiece **piece) {
  if (!is_whole(size_bytes)) return DEVICE_INVALID_VALUE;
  DeviceError error = enter(device);
  if (error) return error;
  return leave(device, piece_add(device, new_file(size_bytes), size_bytes, piece));
}

DeviceError device_piece_import(Device *device, int file, DevicePiece **piece) {
  struct stat found;
  if (fstat(file, &found) != 0 || !is_whole((uint64_t)found.st_size)) return DEVICE_INVALID_VALUE;
  DeviceError error = enter(device);
  if (error) return error;
  return leave(device,
               piece_add(device, fcntl(file, F_DUPFD_CLOEXEC, 0), (uint64_t)found.st_size, piece));
}

static DevicePiece *piece_checked(Device *device, const DevicePiece *piece) {
  DevicePiece *found;
  HASH_FIND_PTR(virtual_of(device)->pieces, &piece, found);
  return found && found->handles ? found : NULL;
}

bool device_piece_exists(Device *device, const DevicePiece *piece) {
  device_lock(device);
  bool exists = piece_checked(device, piece);
  device_unlock(device);
  return exists;
}

DeviceError device_piece_export(Device *device, const DevicePiece *piece, int *file) {
  DeviceError error = enter(device);
  if (error) return error;
  piece = piece_checked(device, piece);
  *file = piece ? fcntl(piece->file, F_DUPFD_CLOEXEC, 0) : -1;
  return leave(device, *file < 0 ? DEVICE_INVALID_VALUE : DEVICE_OK);
}

static void drop_unused(Device *device, DevicePiece *piece) {
  if (piece->handles || piece->mappings) return;
  close(piece->file);
  device_memory_put_back(device->engine.memory, piece->size_bytes);
  HASH_DEL(device->virtual_memory->pieces, piece);
  memory_free(piece);
}

DeviceError device_piece_release(Device *device, DevicePiece *piece) {
  if (is_gone(device)) return DEVICE_OK;
  DeviceError error = enter(device);
  if (error) return error;
  piece = piece_checked(device, piece);
  if (!piece) return leave(device, DEVICE_INVALID_VALUE);
  piece->handles--;
  drop_unused(device, piece);
  return leave(device, DEVICE_OK);
}

DeviceError device_piece_retain(Device *device, uint64_t address, DevicePiece **piece) {
  DeviceError error = enter(device);
  if (error) return error;
  const Mapping *mapping = mapping_in(virtual_of(device), address, 1);
  if (!mapping) return leave(device, DEVICE_INVALID_VALUE);
  *piece = mapping->piece;
  mapping->piece->handles++;
  return leave(device, DEVICE_OK);
}

// ---- mappings

DeviceError device_piece_map(Device *device, DevicePiece *piece, uint64_t address,
                             uint64_t size_bytes) {
  DeviceError error = enter(device);
  if (error) return error;
  VirtualMemory *virtual = virtual_of(device);
  piece = piece_checked(device, piece);
  if (!piece || piece->size_bytes != size_bytes || address % VIRTUAL_GRANULARITY ||
      !range_around(virtual, address, size_bytes) || mapping_in(virtual, address, size_bytes))
    return leave(device, DEVICE_INVALID_VALUE);
  if (mmap(host_at(address), size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
           piece->file, 0) == MAP_FAILED)
    return leave(device, DEVICE_OUT_OF_MEMORY);
  Mapping *mapping = memory_alloc(sizeof *mapping);
  *mapping = (Mapping){.address = address, .piece = piece};
  HASH_ADD(hh, virtual->mappings, address, sizeof mapping->address, mapping);
  piece->mappings++;
  return leave(device, DEVICE_OK);
}

// Whether the range consists of whole mappings.
static bool is_covered(const VirtualMemory *virtual, uint64_t address, uint64_t size) {
  uint64_t covered = 0;
  for (const Mapping *it = virtual->mappings; it; it = it->hh.next) {
    if (!overlaps(it, address, size)) continue;
    if (it->address < address || it->address + it->piece->size_bytes > address + size) return false;
    covered += it->piece->size_bytes;
  }
  return size && covered == size;
}

static DeviceError set_access(Device *device, Mapping *mapping, VirtualAccess access) {
  Error err;
  if (mapping->access == access) return DEVICE_OK;
  if (mapping->access) device_memory_free(device->engine.memory, mapping->address, &err);
  mapping->access = ACCESS_NONE;
  AllocationKind kind = access == ACCESS_READ ? ALLOCATION_CONSTANT : ALLOCATION_HEAP;
  if (access &&
      device_memory_alloc_at(device->engine.memory, mapping->address, mapping->piece->size_bytes,
                             kind, "mapped memory", host_at(mapping->address), &err) != OK)
    return DEVICE_OUT_OF_MEMORY;
  mapping->access = access;
  return DEVICE_OK;
}

static void unmap(Device *device, Mapping *mapping) {
  DevicePiece *piece = mapping->piece;
  set_access(device, mapping, ACCESS_NONE);
  mmap(host_at(mapping->address), piece->size_bytes, PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  HASH_DEL(device->virtual_memory->mappings, mapping);
  memory_free(mapping);
  piece->mappings--;
  drop_unused(device, piece);
}

DeviceError device_range_unmap(Device *device, uint64_t address, uint64_t size_bytes) {
  Mapping *mapping, *next;
  if (is_gone(device)) return DEVICE_OK;
  DeviceError error = enter(device);
  if (error) return error;
  VirtualMemory *virtual = virtual_of(device);
  if (!is_covered(virtual, address, size_bytes)) return leave(device, DEVICE_INVALID_VALUE);
  HASH_ITER(hh, virtual->mappings, mapping, next) {
    if (overlaps(mapping, address, size_bytes)) unmap(device, mapping);
  }
  return leave(device, DEVICE_OK);
}

DeviceError device_range_set_access(Device *device, uint64_t address, uint64_t size_bytes,
                                    VirtualAccess access) {
  DeviceError error = enter(device);
  if (error) return error;
  VirtualMemory *virtual = virtual_of(device);
  if (!is_covered(virtual, address, size_bytes)) return leave(device, DEVICE_INVALID_VALUE);
  for (Mapping *it = virtual->mappings; it && !error; it = it->hh.next)
    if (overlaps(it, address, size_bytes)) error = set_access(device, it, access);
  return leave(device, error);
}

DeviceError device_range_access(Device *device, uint64_t address, VirtualAccess *access) {
  DeviceError error = enter(device);
  if (error) return error;
  const Mapping *mapping = mapping_in(virtual_of(device), address, 1);
  if (mapping) *access = mapping->access;
  return leave(device, mapping ? DEVICE_OK : DEVICE_INVALID_VALUE);
}

bool virtual_memory_holds(const Device *device, uint64_t address) {
  return device->virtual_memory && mapping_in(device->virtual_memory, address, 1);
}

void virtual_memory_clear(Device *device) {
  VirtualMemory *virtual = device->virtual_memory;
  Mapping *mapping, *next_mapping;
  DevicePiece *piece, *next_piece;
  Range *range, *next_range;
  if (!virtual) return;
  HASH_ITER(hh, virtual->mappings, mapping, next_mapping) unmap(device, mapping);
  HASH_ITER(hh, virtual->pieces, piece, next_piece) {
    piece->handles = 0;
    drop_unused(device, piece);
  }
  HASH_ITER(hh, virtual->ranges, range, next_range) {
    munmap(host_at(range->address), range->size_bytes);
    HASH_DEL(virtual->ranges, range);
    memory_free(range);
  }
  memory_free(virtual);
  device->virtual_memory = NULL;
  device->has_lost_mappings = true;
}
