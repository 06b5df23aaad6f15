// SPDX-License-Identifier: MIT
// The device's global memory: allocations at device addresses, each with its
// bytes on the host. Values only; when they arrive is the machine's business.
//
//   0x00000000  nothing: a null pointer and its neighbours
//   0x01000000  generic window of shared memory, 16 MiB
//   0x02000000  generic window of local memory, 16 MiB
//   0x03000000  generic window of kernel parameters
//   0x04000000  function addresses (program.h)
//   0x05000000  texture references
//   0x10000000  variables of loaded programs
//   0xc0000000  heap: cudaMalloc, case files; grows upward without end
//
// All of it below 2^32 but the end of the heap, so that 32-bit PTX works too.
#ifndef EXEC_MEMORY_DEVICE_MEMORY_H
#define EXEC_MEMORY_DEVICE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define SHARED_WINDOW 0x01000000u
#define LOCAL_WINDOW 0x02000000u
#define WINDOW_BYTES 0x01000000u
#define PARAM_WINDOW 0x03000000u
#define TEXTURE_WINDOW 0x05000000u
#define PROGRAM_BASE 0x10000000u
#define HEAP_BASE 0xc0000000u
enum { HEAP_ALIGNMENT = 256 };

typedef enum AllocationKind {
  ALLOCATION_HEAP,      // the host program's: cudaMalloc, a case file's buffer
  ALLOCATION_VARIABLE,  // a __device__ variable
  ALLOCATION_CONSTANT,  // a __constant__ variable: kernels may not write it
  ALLOCATION_DEVICE,    // malloc in a kernel
  ALLOCATION_HOST,      // the host's own memory, mapped: not freed here
  ALLOCATION_PLACE,     // of a replayed run: addresses, without data to read
} AllocationKind;

typedef struct Allocation {
  uint64_t address, size_bytes;
  uint8_t *host;           // NULL once freed
  const char *name;        // of a variable or buffer, or NULL; owned by the memory
  AllocationKind kind;
  bool freed;              // kept for a while to recognise use after free
  bool is_imported;        // its bytes are another process's
} Allocation;

// Behind its last byte there are others of the device's, on the host, too.
static inline bool allocation_is_padded(const Allocation *allocation) {
  return allocation->kind != ALLOCATION_HOST && allocation->kind != ALLOCATION_PLACE;
}

typedef struct DeviceMemory DeviceMemory;

// Treatment of accesses outside any allocation.
typedef enum MemoryBounds {
  BOUNDS_EXACT,  // a fault
  BOUNDS_PAGE,   // a fault where a GPU finds one (exec/memory/stray_access.h)
} MemoryBounds;

DeviceMemory *device_memory_create(uint64_t capacity_bytes);
void device_memory_destroy(DeviceMemory *memory);

void device_memory_set_bounds(DeviceMemory *memory, MemoryBounds bounds);
// NULL: bounds are exact.
struct StrayAccesses *device_memory_strays(const DeviceMemory *memory);

// Takes size_bytes (at least 1 is taken) of zeroed memory from the heap.
Status device_memory_alloc(DeviceMemory *memory, uint64_t size_bytes, AllocationKind kind,
                           const char *name, uint64_t *address, Error *err);
// The same at a given address, which must be free. host is NULL, or memory of the caller
// that backs it (ALLOCATION_HOST; any byte for ALLOCATION_PLACE).
Status device_memory_alloc_at(DeviceMemory *memory, uint64_t address, uint64_t size_bytes,
                              AllocationKind kind, const char *name, uint8_t *host, Error *err);
// The address must be what an alloc returned; anything else is an error.
Status device_memory_free(DeviceMemory *memory, uint64_t address, Error *err);

// Gives an allocation of the heap the bytes of a file that other processes can map; its contents
// and host address stay if it is large. The memory owns the file, and closes it with the
// allocation.
Status device_memory_share(DeviceMemory *memory, uint64_t address, int *file, Error *err);
// Takes memory from the heap that has the bytes of such a file.
Status device_memory_alloc_shared(DeviceMemory *memory, int file, uint64_t size_bytes,
                                  uint64_t *address, Error *err);

// The live allocation that holds address, or NULL. Pointers stay valid until
// the next alloc or free.
const Allocation *device_memory_find(const DeviceMemory *memory, uint64_t address);
// For messages: the allocation that holds address, else the freed one that
// held it, else the one nearest to it; NULL if there is none at all.
const Allocation *device_memory_nearest(const DeviceMemory *memory, uint64_t address);

// The live allocations around an address: the last that starts at or before it, and the first
// that starts after it; NULL if none.
void device_memory_neighbours(const DeviceMemory *memory, uint64_t address,
                              const Allocation **below, const Allocation **above);
// Bytes that stand behind an allocation on the host, other than the host's own
// memory: no access that begins inside ends outside of them.
uint64_t device_memory_host_bytes(uint64_t size_bytes);

// Copies in and out as the host does. All of the range must be allocated.
Status device_memory_write(DeviceMemory *memory, uint64_t address, const void *from,
                           uint64_t size_bytes, Error *err);
Status device_memory_read(const DeviceMemory *memory, uint64_t address, void *to,
                          uint64_t size_bytes, Error *err);
Status device_memory_set(DeviceMemory *memory, uint64_t address, int byte, uint64_t size_bytes,
                         Error *err);

// Adds memory that is allocated elsewhere to the used bytes, and removes it.
Status device_memory_set_aside(DeviceMemory *memory, uint64_t size_bytes, Error *err);
void device_memory_put_back(DeviceMemory *memory, uint64_t size_bytes);

uint64_t device_memory_used_bytes(const DeviceMemory *memory);
uint64_t device_memory_capacity_bytes(const DeviceMemory *memory);

#endif
