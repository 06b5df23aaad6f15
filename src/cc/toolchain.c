// SPDX-License-Identifier: MIT
// Locations of the tools and files of a build: clang, and a folder that clang accepts as a CUDA
// installation.
#include "cc/toolchain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files/own_folder.h"
#include "cc/process.h"

static bool is_there(const char *root, const char *name) {
  char path[PATH_MAX + 64];
  snprintf(path, sizeof path, "%s/%s", root, name);
  return access(path, R_OK) == 0;
}

static Status find_clang(CcToolchain *toolchain, Error *err) {
  const char *given = getenv("HEDDLE_CLANG");
  snprintf(toolchain->clang, sizeof toolchain->clang, "%s", given && *given ? given : "clang");
  if (process_exists(toolchain->clang)) return OK;
  return error_set(err, ERR_IO,
                   "clang not found ('%.200s'), which heddle cc requires; install the package "
                   "clang, or set HEDDLE_CLANG to clang 14 or newer",
                   toolchain->clang);
}

// clang++ or clang++-14 for clang or clang-14. CMake takes it from `nvcc -v` to link programs
// itself, without any option.
static void find_linker(CcToolchain *toolchain) {
  const char *clang = toolchain->clang, *slash = strrchr(clang, '/');
  const char *name = slash ? slash + 1 : clang;
  int folder = (int)(name - clang);
  if (strncmp(name, "clang", 5) == 0)
    snprintf(toolchain->linker, sizeof toolchain->linker, "%.*sclang++%.200s", folder, clang,
             name + 5);
  if (!*toolchain->linker || !process_exists(toolchain->linker))
    snprintf(toolchain->linker, sizeof toolchain->linker, "%s", clang);
}

static bool is_complete(const char *root) {
  return is_there(root, "include/cuda_runtime.h") && is_there(root, "bin/ptxas") &&
         is_there(root, "bin/fatbinary");
}

// Beside heddle in a build tree, in ../lib/heddle once installed.
static Status find_root(CcToolchain *toolchain, Error *err) {
  static const char *const places[] = {"", "/../lib/heddle"};
  char program[OWN_FOLDER_BYTES];
  TRY(own_folder(program, err));
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    snprintf(toolchain->libraries, sizeof toolchain->libraries, "%s%s", program, places[i]);
    snprintf(toolchain->root, sizeof toolchain->root, "%s%s/cuda", program, places[i]);
    if (is_complete(toolchain->root)) return OK;
  }
  return error_set(err, ERR_IO,
                   "incomplete folder %s/cuda, which heddle cc requires; rebuild Heddle", program);
}

Status cc_toolchain_find(CcToolchain *toolchain, Error *err) {
  *toolchain = (CcToolchain){0};
  TRY(find_clang(toolchain, err));
  find_linker(toolchain);
  TRY(find_root(toolchain, err));
  if (is_there(toolchain->root, "nvvm/libdevice/libdevice.10.bc")) return OK;
  return error_set(err, ERR_IO,
                   "device math library missing: clang or libclc was not installed when Heddle was "
                   "built; install clang and libclc-14, then rebuild");
}

Status cc_toolchain_check_libraries(const CcToolchain *toolchain, Error *err) {
  if (is_there(toolchain->root, "lib64/libcudart.so")) return OK;
  return error_set(err, ERR_IO, "libcudart not found in %s", toolchain->libraries);
}
