// SPDX-License-Identifier: MIT
// nvcc's host code registers its kernels with the runtime: a section
// .nvFatBinSegment, and a call of __cudaRegisterFatBinary. Where the runtime is a
// shared library, that function is an undefined dynamic symbol.
#include "cli/program_image.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// A file in memory. Nothing in it is believed: every place is checked.
typedef struct Image {
  const unsigned char *bytes;
  size_t size;
  Elf64_Ehdr header;
} Image;

// ---- sections

static bool copy_at(const Image *image, uint64_t offset, void *to, size_t bytes) {
  if (offset > image->size || bytes > image->size - offset) return false;
  memcpy(to, image->bytes + offset, bytes);
  return true;
}

static bool section_at(const Image *image, uint32_t index, Elf64_Shdr *section) {
  if (index >= image->header.e_shnum || image->header.e_shentsize != sizeof *section) return false;
  uint64_t offset = (uint64_t)index * sizeof *section;
  if (image->header.e_shoff > UINT64_MAX - offset) return false;
  return copy_at(image, image->header.e_shoff + offset, section, sizeof *section);
}

// Whether the text at an offset of a table of texts is that one.
static bool text_is(const Image *image, const Elf64_Shdr *texts, uint64_t offset,
                    const char *wanted) {
  size_t length = strlen(wanted) + 1;
  uint64_t place = texts->sh_offset + offset;
  return place >= offset && place <= image->size && length <= image->size - place &&
         memcmp(image->bytes + place, wanted, length) == 0;
}

static bool has_section(const Image *image, const char *name) {
  Elf64_Shdr names, section;
  if (!section_at(image, image->header.e_shstrndx, &names)) return false;
  for (uint32_t i = 0; section_at(image, i, &section); i++)
    if (text_is(image, &names, section.sh_name, name)) return true;
  return false;
}

// ---- symbols

static bool wants_symbol_in(const Image *image, const Elf64_Shdr *table, const char *name) {
  Elf64_Shdr texts;
  Elf64_Sym symbol;
  if (!section_at(image, table->sh_link, &texts)) return false;
  for (uint64_t at = 0; at + sizeof symbol <= table->sh_size; at += sizeof symbol) {
    if (table->sh_offset > UINT64_MAX - at ||
        !copy_at(image, table->sh_offset + at, &symbol, sizeof symbol))
      return false;
    if (symbol.st_shndx == SHN_UNDEF && text_is(image, &texts, symbol.st_name, name)) return true;
  }
  return false;
}

static bool wants_symbol(const Image *image, const char *name) {
  Elf64_Shdr section;
  for (uint32_t i = 0; section_at(image, i, &section); i++)
    if (section.sh_type == SHT_DYNSYM && wants_symbol_in(image, &section, name)) return true;
  return false;
}

static bool has_static_runtime(const Image *image) {
  static const unsigned char kind[] = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB};
  return memcmp(image->header.e_ident, kind, sizeof kind) == 0 &&
         has_section(image, ".nvFatBinSegment") && !wants_symbol(image, "__cudaRegisterFatBinary");
}

// ---- files

static bool find(const char *name, char path[PATH_MAX]) {
  const char *folders = getenv("PATH");
  if (strchr(name, '/')) return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX;
  while (folders && *folders) {
    int length = (int)strcspn(folders, ":");
    int used = snprintf(path, PATH_MAX, "%.*s/%s", length, length ? folders : ".", name);
    if (used < PATH_MAX && access(path, X_OK) == 0) return true;
    folders += length + (folders[length] == ':');
  }
  return false;
}

static bool map(const char *path, Image *image) {
  struct stat about;
  int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return false;
  bool is_large = fstat(file, &about) == 0 && S_ISREG(about.st_mode) &&
                  (size_t)about.st_size > sizeof image->header;
  void *bytes = MAP_FAILED;
  if (is_large) bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (bytes == MAP_FAILED) return false;
  *image = (Image){.bytes = bytes, .size = (size_t)about.st_size};
  memcpy(&image->header, bytes, sizeof image->header);
  return true;
}

Status program_image_check(const char *name, Error *err) {
  char path[PATH_MAX];
  Image image;
  if (!find(name, path) || !map(path, &image)) return OK;
  bool is_static = has_static_runtime(&image);
  munmap((void *)(uintptr_t)image.bytes, image.size);
  if (!is_static) return OK;
  return error_set(err, ERR_USAGE,
                   "%s has NVIDIA's CUDA runtime linked statically, which is nvcc's default, and "
                   "would not see the simulated GPU: link it with nvcc -cudart shared, or build "
                   "it with heddle cc (docs/cuda.md)",
                   name);
}
