// SPDX-License-Identifier: MIT
// Random case files: read, and run on a host with a megabyte of memory whose
// kernels do nothing but count a byte down.
#include <string.h>

#include "frontends/casefile/case_run.h"

enum { MEMORY_BYTES = 1 << 20 };

typedef struct FuzzHost {
  unsigned char memory[MEMORY_BYTES];
  uint64_t used;
} FuzzHost;

static Status host_load(void *self, const char *const *paths, size_t count, Error *err) {
  (void)self;
  for (size_t i = 0; i < count; i++)
    if (!paths[i][0]) return error_set(err, ERR_IO, "no path");
  return OK;
}

static Status host_registers(void *self, const char *kernel, uint32_t registers, Error *err) {
  (void)self;
  return registers ? OK : error_set(err, ERR_INTERNAL, "no registers for %s", kernel);
}

static Status host_alloc(void *self, const char *name, uint64_t size, uint64_t *address,
                         Error *err) {
  FuzzHost *host = self;
  if (size > MEMORY_BYTES - host->used) return error_set(err, ERR_PROGRAM, "no room for %s", name);
  *address = host->used;
  host->used += size;
  return OK;
}

static Status host_write(void *self, uint64_t address, const void *bytes, uint64_t size,
                         Error *err) {
  (void)err;
  memcpy(((FuzzHost *)self)->memory + address, bytes, size);
  return OK;
}

static Status host_read(void *self, uint64_t address, void *bytes, uint64_t size, Error *err) {
  (void)err;
  memcpy(bytes, ((FuzzHost *)self)->memory + address, size);
  return OK;
}

static Status host_launch(void *self, const CaseLaunch *launch, Error *err) {
  (void)err;
  FuzzHost *host = self;
  for (uint32_t i = 0; i < launch->arg_count; i++)
    if (launch->args[i].kind == CASE_ADDRESS) host->memory[launch->args[i].integer]--;
  return OK;
}

static Status host_sum(void *self, const char *name, CaseElement element, double value,
                       Error *err) {
  (void)self, (void)name, (void)element, (void)value, (void)err;
  return OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static FuzzHost fuzz_host;
  Error err;
  Case *parsed;
  if (case_parse(&parsed, "fuzz.case", (const char *)data, size, &err) != OK) return 0;
  memset(&fuzz_host, 0, sizeof fuzz_host);
  CaseHost host = {&fuzz_host, host_load, host_registers, host_alloc,
                   host_write, host_read, host_launch,    host_sum};
  CaseOptions options = {.max_loops = 20};
  case_run(parsed, &host, &options, &err);
  case_destroy(parsed);
  return 0;
}
