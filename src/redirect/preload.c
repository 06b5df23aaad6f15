// SPDX-License-Identifier: MIT
// libheddle_preload.so, which `heddle run` puts before the libraries of a program
// (LD_PRELOAD): programs and libraries that contain NVIDIA's runtime, as nvcc links them by
// default, use the simulated GPU.
//
// The runtime's functions are in the file with their names. Before any code of the program
// runs (the library is linked with -z initfirst), a jump to the function of the same name in
// Heddle's libcudart is written over the first instructions of each. The static runtime then
// never runs. Programs without one, and shells and tools that a script calls, are left alone.
//
// Not found: files without a symbol table (strip), and libraries that are opened later. Their
// runtime asks the driver for tables that only NVIDIA's has, and libcuda.so.1 reports it.
#define _GNU_SOURCE  // dl_iterate_phdr, dladdr, RTLD_NEXT
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "redirect/elf_functions.h"

#define EXPORT __attribute__((visibility("default")))

enum { JUMP_BYTES = 13 };

static void *runtime;  // our libcudart, if it is needed

static void complain(const char *path, const char *what) {
  fprintf(stderr,
          "heddle: %s: cannot replace the CUDA runtime in it: %s; link with nvcc "
          "-cudart shared\n",
          *path ? path : "the program", what);
}

// ---- our runtime

// Which of our libraries has the interface: by functions that came and went with versions.
static const char *library_of(const ElfSymbols *symbols) {
  const char *library = "libcudart.so.13";
  ElfFunction function;
  for (size_t i = 0; i < symbols->symbol_count; i++) {
    if (!elf_symbols_get(symbols, i, &function)) continue;
    if (strcmp(function.name, "cudaBindTexture") == 0) return "libcudart.so.11.0";
    if (strcmp(function.name, "cudaGetDeviceProperties_v2") == 0) library = "libcudart.so.12";
  }
  return library;
}

// Next to this library.
static void *open_runtime(const char *name) {
  static int here;
  char path[PATH_MAX + 32];
  Dl_info own;
  if (!dladdr(&here, &own) || !own.dli_fname) return NULL;
  const char *slash = strrchr(own.dli_fname, '/');
  int folder = slash ? (int)(slash - own.dli_fname) + 1 : 0;
  snprintf(path, sizeof path, "%.*s%s", folder, own.dli_fname, name);
  return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

// ---- jumps

static bool is_public(const char *name) {
  return strncmp(name, "cuda", 4) == 0 || strncmp(name, "__cuda", 6) == 0;
}

static bool has_runtime(const ElfSymbols *symbols) {
  bool has_registration = false, has_calls = false;
  ElfFunction function;
  for (size_t i = 0; i < symbols->symbol_count; i++) {
    if (!elf_symbols_get(symbols, i, &function)) continue;
    has_registration |= strcmp(function.name, "__cudaRegisterFatBinary") == 0;
    has_calls |= strcmp(function.name, "cudaGetDeviceCount") == 0;
  }
  return has_registration && has_calls;
}

// movabs $target, %r11; jmp *%r11
static void write_jump(uint8_t *at, const void *target) {
  uint64_t address = (uint64_t)(uintptr_t)target;
  memcpy(at, "\x49\xbb", 2);
  memcpy(at + 2, &address, sizeof address);
  memcpy(at + 10, "\x41\xff\xe3", 3);
}

static void write_jumps(const ElfSymbols *symbols, uintptr_t base) {
  ElfFunction function;
  for (size_t i = 0; i < symbols->symbol_count; i++) {
    if (!elf_symbols_get(symbols, i, &function) || !is_public(function.name)) continue;
    const void *target = dlsym(runtime, function.name);
    if (target && elf_symbols_space(symbols, &function) >= JUMP_BYTES)
      write_jump((uint8_t *)(base + function.address), target);
  }
}

static void redirect(const ElfSymbols *symbols, uintptr_t base, const char *path) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t start = (base + symbols->code_start) / page * page;
  size_t length = base + symbols->code_end - start;
  if (!runtime) runtime = open_runtime(library_of(symbols));
  if (!runtime) {
    complain(path, dlerror());
  } else if (mprotect((void *)start, length, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
    complain(path, strerror(errno));
  } else {
    write_jumps(symbols, base);
    mprotect((void *)start, length, PROT_READ | PROT_EXEC);
  }
}

// ---- files of the process

// What is in memory has to be what the file says: its code segment, at this place.
static bool is_loaded(const struct dl_phdr_info *info, const ElfSymbols *symbols) {
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type == PT_LOAD && segment->p_flags & PF_X &&
        segment->p_vaddr == symbols->code_start &&
        segment->p_filesz == symbols->code_end - symbols->code_start)
      return true;
  }
  return false;
}

static void examine(const struct dl_phdr_info *info, const void *file, size_t size_bytes) {
  ElfSymbols symbols;
  if (elf_symbols_open(&symbols, file, size_bytes) && is_loaded(info, &symbols) &&
      has_runtime(&symbols))
    redirect(&symbols, info->dlpi_addr, info->dlpi_name);
}

static int examine_file(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size, (void)unused;
  const char *slash = strrchr(info->dlpi_name, '/');
  const char *name = slash ? slash + 1 : info->dlpi_name;
  if (strncmp(name, "libcudart.so", 12) == 0 || strncmp(name, "linux-vdso", 10) == 0) return 0;
  int file = open(*name ? info->dlpi_name : "/proc/self/exe", O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file < 0) return 0;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    size_t bytes = (size_t)status.st_size;
    void *map = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, file, 0);
    if (map != MAP_FAILED) {
      examine(info, map, bytes);
      munmap(map, bytes);
    }
  }
  close(file);
  return 0;
}

// The C library is not initialised yet: only the dynamic linker has the environment, in which
// libheddle finds its options.
__attribute__((constructor)) static void examine_process(int argc, char **argv, char **variables) {
  (void)argc, (void)argv;
  if (!environ) environ = variables;
  dl_iterate_phdr(examine_file, NULL);
}

// ---- the end

// _exit ends a process without asking anybody; libcudart's writes results first. Only a
// program that is linked with libcudart finds that one.
typedef void Exit(int code);

static _Noreturn void leave(const char *name, int code) {
  void *found = runtime ? dlsym(runtime, name) : dlsym(RTLD_NEXT, name);
  Exit *function;
  memcpy(&function, &found, sizeof function);
  if (function) function(code);
  abort();
}

EXPORT _Noreturn void _exit(int code) {
  leave("_exit", code);
}

EXPORT _Noreturn void _Exit(int code) {
  leave("_Exit", code);
}
