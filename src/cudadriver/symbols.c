// SPDX-License-Identifier: MIT
// Looks up functions by name and version. A name such as cuMemAlloc denotes different functions
// in different CUDA versions; symbols.def lists all.
#define _GNU_SOURCE  // dladdr
#include <dlfcn.h>
#include <string.h>
#include <sys/auxv.h>

#include "cudadriver/api.h"
#include "cudadriver/symbols.h"

enum { NEWEST_VERSION = 13000, OLDEST_VERSION = 2000 };

static const Symbol *find(const char *name, int version, bool *is_known) {
  const Symbol *best = NULL;
  *is_known = false;
  for (const Symbol *it = symbols; it->name; it++) {
    if (strcmp(it->name, name) != 0) continue;
    *is_known = true;
    if (it->since <= version && (!best || it->since > best->since)) best = it;
  }
  return best;
}

EXPORT CUresult cuGetProcAddress_v2(const char *name, void **function, int version,
                                    cuuint64_t flags, CUdriverProcAddressQueryResult *status) {
  const cuuint64_t known =
      CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  bool is_known;
  NEED_VALUE(name && function && !(flags & ~known));
  NEED_VALUE(version >= OLDEST_VERSION && version <= NEWEST_VERSION);
  const Symbol *found = find(name, version, &is_known);
  if (status)
    *status = found      ? CU_GET_PROC_ADDRESS_SUCCESS
              : is_known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                         : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  AnyFunction *chosen = !found                                                  ? NULL
                        : flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM ? found->per_thread
                                                                                : found->function;
  memcpy(function, &chosen, sizeof chosen);
  return CUDA_SUCCESS;
}

#undef cuGetProcAddress
EXPORT CUresult cuGetProcAddress(const char *name, void **function, int version, cuuint64_t flags) {
  NEED(cuGetProcAddress_v2(name, function, version, flags, NULL));
  return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

// The library that contains an address; NULL: the program itself.
static const char *library_of(const void *address) {
  Dl_info program, caller;
  const void *headers = (const void *)getauxval(AT_PHDR);
  if (!dladdr(address, &caller) || !dladdr(headers, &program)) return NULL;
  return caller.dli_fbase == program.dli_fbase ? NULL : caller.dli_fname;
}

// Tables of unnamed functions for NVIDIA's own libraries: its runtime requests them first.
EXPORT CUresult cuGetExportTable(const void **table, const CUuuid *id) {
  NEED_VALUE(table && id);
  device_note_foreign_runtime(device_of_process(), library_of(__builtin_return_address(0)));
  *table = NULL;
  return CUDA_ERROR_NOT_FOUND;
}
