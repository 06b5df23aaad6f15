// SPDX-License-Identifier: MIT
// Accesses outside of every allocation that a GPU lets pass.
//
// Hardware checks pages, not bytes: an access that misses its array reads
// whatever else is on the page, and a store goes there. Programs that read a row
// before their array and discard it rely on that. With run.bounds = page
// device memory has one of these, and a global access is a fault only if
//
//   its page of 2 MiB and the two beside it hold no allocation (beside it,
//   because a context's own memory lies around the program's first page), or
//   it is misaligned, or goes through a null pointer, or is partly in an
//   allocation that has no room behind it (host memory) or another one there.
//
// Memory between allocations is zero until something is stored, and keeps what
// is stored, so a run is the same every time and with any number of threads.
// Shared, local and parameter memory, and what the host copies, stay exact.
#ifndef ISA_STRAY_ACCESS_H
#define ISA_STRAY_ACCESS_H

#include "isa/execute.h"

enum { STRAY_PAGE_BYTES = 2 << 20 };

typedef struct StrayReport {
  uint64_t count;     // of reads or of writes, one for each lane
  const char *first;  // where the first one ever was, in a fault's words; the strays' own
} StrayReport;

typedef struct StrayAccesses StrayAccesses;

StrayAccesses *stray_accesses_create(void);
void stray_accesses_destroy(StrayAccesses *strays);

// Whether such an access would pass. size_bytes: at most 32, a power of two.
bool stray_access_is_mapped(const DeviceMemory *memory, uint64_t address, uint32_t size_bytes);

// The host bytes of one that passes, which is counted; NULL: a fault. SMs that
// are stepped side by side may call it.
uint8_t *stray_access(StrayAccesses *strays, const ExecContext *context, const Warp *warp, int lane,
                      uint64_t address, uint32_t size_bytes, bool write);

// Reads or writes since the last call. What is said of the first stays the same.
StrayReport stray_report_take(StrayAccesses *strays, bool writes);

#endif
