// SPDX-License-Identifier: MIT
// Kernels whose arrays stay in local memory are compiled again with higher limits.
#include "cc/unroll.h"

#include "base/files/file.h"
#include "base/text/readable_name.h"
#include "base/memory.h"
#include "base/files/replaced_file.h"
#include "cc/device_code.h"
#include "cc/ptx_text.h"

enum { MAX_PTX_BYTES = 1 << 30 };

// PTX of one source, compiled with some limit.
typedef struct Version {
  char *text;
  PtxText ptx;
} Version;

enum { LOWEST, MIDDLE, HIGHEST, LIMITS };
static const int limits[LIMITS] = {[LOWEST] = 600, [MIDDLE] = 1200, [HIGHEST] = 3000};

static Status version_read(Version *version, const char *path, Error *err) {
  size_t length;
  TRY(file_read(path, MAX_PTX_BYTES, &version->text, &length, err));
  ptx_text_init(&version->ptx, version->text);
  return OK;
}

static void version_clear(Version *version) {
  ptx_text_clear(&version->ptx);
  memory_free(version->text);
}

static Status version_compile(Version *version, Build *build, const char *intermediate, int limit,
                              Error *err) {
  const char *ptx = build_temporary(build, ".ptx");
  TRY(device_code_finish(build, intermediate, limit, ptx, err));
  return version_read(version, ptx, err);
}

// The highest limit first: where it gains nothing, no other does.
static Status improve(Build *build, const char *intermediate, PtxText *best,
                      Version versions[LIMITS], Error *err) {
  const PtxText *last = &versions[HIGHEST].ptx;
  TRY(version_compile(&versions[HIGHEST], build, intermediate, limits[HIGHEST], err));
  for (int i = LOWEST; i < HIGHEST && ptx_text_can_improve(best, last); i++) {
    TRY(version_compile(&versions[i], build, intermediate, limits[i], err));
    ptx_text_improve(best, &versions[i].ptx);
  }
  ptx_text_improve(best, last);
  return OK;
}

static Status write_ptx(const PtxText *ptx, const char *path, Error *err) {
  ReplacedFile file;
  TRY(replaced_file_begin(&file, path, err));
  ptx_text_print(ptx, file.file);
  return replaced_file_end(&file, OK, err);
}

// Registers are not known here: the simulator allocates them.
static void print_usage(const PtxText *ptx, const char *source) {
  Arena names = {0};
  for (size_t i = 0; i < ptx->count; i++) {
    const PtxFunctionText *function = &ptx->functions[i];
    if (!function->is_kernel) continue;
    const char *name = arena_strndup(&names, function->name.at, function->name.length);
    fprintf(stderr, "heddle cc: %s: %s: %llu bytes of local memory per thread\n", source,
            readable_name(&names, name), (unsigned long long)function->local_bytes);
  }
  arena_clear(&names);
}

Status unroll_arrays(Build *build, const CcInput *input, const char *intermediate, const char *ptx,
                     Error *err) {
  Version own = {0}, versions[LIMITS] = {0};
  TRY(version_read(&own, ptx, err));
  uint64_t before = ptx_text_local_bytes(&own.ptx);
  Status status = before ? improve(build, intermediate, &own.ptx, versions, err) : OK;
  bool is_changed = ptx_text_local_bytes(&own.ptx) < before;
  if (status == OK && is_changed) status = write_ptx(&own.ptx, ptx, err);
  if (status == OK && build->request->reports_usage) print_usage(&own.ptx, input->path);
  for (int i = 0; i < LIMITS; i++) version_clear(&versions[i]);
  version_clear(&own);
  return status;
}
