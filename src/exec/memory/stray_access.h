// SPDX-License-Identifier: MIT
// Global accesses outside any allocation that hardware does not detect.
//
// Hardware checks pages, not bytes: an access outside its array reads or writes other data
// of the page. Some programs rely on it, such as stencils
// that read a row before their array and discard it. With run.bounds = page
// device memory has one of these, and a global access faults only if
//
//   neither its page of 2 MiB nor an adjacent one holds an allocation (adjacent,
//   because the driver maps memory of its own next to a program's), or
//   it is misaligned, or its address is below the null page's end, or
//   it straddles the end of an allocation without space after it: of host memory, or
//   with another allocation adjacent to it.
//
// Memory between allocations is zero initially and keeps stored values, so results do not
// depend on the number of host threads. Shared, local
// and parameter memory and the host's copies are always checked to the byte.
//
// Arrivals at mbarriers of CTAs of the cluster that have exited, which PTX leaves undefined, have no
// effect then; pipelines of clusters send them at their end.
#ifndef EXEC_MEMORY_STRAY_ACCESS_H
#define EXEC_MEMORY_STRAY_ACCESS_H

#include "exec/execute.h"

enum { STRAY_PAGE_BYTES = 2 << 20 };

typedef enum StrayKind { STRAY_READ, STRAY_WRITE, STRAY_ARRIVAL, STRAY_KINDS } StrayKind;

typedef struct StrayReport {
  uint64_t count;     // one per lane
  const char *first;  // the very first, as fault_describe has it; owned by the strays
} StrayReport;

typedef struct StrayAccesses StrayAccesses;

StrayAccesses *stray_accesses_create(void);
void stray_accesses_destroy(StrayAccesses *strays);

// Whether such an access would pass. size_bytes: at most 32, a power of two.
bool stray_access_is_mapped(const DeviceMemory *memory, uint64_t address, uint32_t size_bytes);

// Counts an access that passes and returns its host bytes; NULL: a fault. Safe to
// call from SMs that are stepped in parallel.
uint8_t *stray_access(StrayAccesses *strays, const ExecContext *context, const Warp *warp, int lane,
                      uint64_t address, uint32_t size_bytes, bool write);

// Counts an arrival at an mbarrier of a CTA that has exited.
void stray_arrival(StrayAccesses *strays, const ExecContext *context, const Warp *warp, int lane,
                   uint64_t address);

// Those since the last call; `first` never changes.
StrayReport stray_report_take(StrayAccesses *strays, StrayKind kind);

#endif
