// SPDX-License-Identifier: MIT
// A recorded run: the loads of every warp, in program order.
#include "policies/load_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static Status refuse(const char *path, const char *why, Error *err) {
  return error_set(err, ERR_CONFIG, "%s: %s; record one with --observe load_trace:file=PATH", path,
                   why);
}

// Every state of a machine maps the file by itself; the pages are shared.
static Status map_file(LoadTrace *trace, const char *path, Error *err) {
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return error_set(err, ERR_IO, "cannot open %s: %s", path, strerror(errno));
  struct stat status;
  bool is_file = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  if (is_file && (size_t)status.st_size >= sizeof(LoadTraceHeader)) {
    void *mapping = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (mapping != MAP_FAILED) {
      trace->mapping = mapping;
      trace->mapping_bytes = (size_t)status.st_size;
    }
  }
  close(file);
  return trace->mapping ? OK : refuse(path, "not a load trace", err);
}

// The counts are as hostile as the rest: no sum of them may wrap.
static bool has_room(const LoadTrace *trace, const LoadTraceHeader *header) {
  uint64_t left = trace->mapping_bytes - sizeof *header;
  if (header->warp_count > left / sizeof(TracedWarp)) return false;
  left -= header->warp_count * sizeof(TracedWarp);
  return header->load_count == left / sizeof(TracedLoad) && left % sizeof(TracedLoad) == 0;
}

static Status check(LoadTrace *trace, const char *path, Error *err) {
  const LoadTraceHeader *header = trace->mapping;
  if (memcmp(header->magic, LOAD_TRACE_MAGIC, sizeof header->magic) != 0)
    return refuse(path, "not a load trace", err);
  if (header->version != LOAD_TRACE_VERSION)
    return refuse(path, "load trace of another Heddle version", err);
  if (!has_room(trace, header)) return refuse(path, "corrupt load trace: wrong size", err);
  trace->warp_count = header->warp_count;
  trace->load_count = header->load_count;
  trace->warps = (const TracedWarp *)(header + 1);
  trace->loads = (const TracedLoad *)(trace->warps + trace->warp_count);
  for (uint64_t i = 0; i < trace->warp_count; i++) {
    const TracedWarp *warp = &trace->warps[i];
    if (warp->first > trace->load_count || warp->count > trace->load_count - warp->first)
      return refuse(path, "corrupt load trace: loads of a warp are missing", err);
  }
  return OK;
}

Status load_trace_open(LoadTrace *trace, const char *path, Error *err) {
  *trace = (LoadTrace){0};
  TRY(map_file(trace, path, err));
  Status status = check(trace, path, err);
  if (status != OK) load_trace_close(trace);
  return status;
}

void load_trace_close(LoadTrace *trace) {
  if (trace->mapping) munmap(trace->mapping, trace->mapping_bytes);
  *trace = (LoadTrace){0};
}

int load_trace_compare(const TracedWarp *a, const TracedWarp *b) {
  if (a->kernel != b->kernel) return a->kernel < b->kernel ? -1 : 1;
  if (a->cta != b->cta) return a->cta < b->cta ? -1 : 1;
  return (a->warp > b->warp) - (a->warp < b->warp);
}

const TracedWarp *load_trace_find(const LoadTrace *trace, uint32_t kernel, uint64_t cta,
                                  uint32_t warp) {
  const TracedWarp wanted = {.kernel = kernel, .cta = cta, .warp = warp};
  uint64_t low = 0, high = trace->warp_count;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    int order = load_trace_compare(&trace->warps[middle], &wanted);
    if (order == 0) return &trace->warps[middle];
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}
