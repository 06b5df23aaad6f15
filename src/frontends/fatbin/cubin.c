// SPDX-License-Identifier: MIT
// Registers per thread of the kernels in a cubin. Structures are copied out of the file: it need
// not be aligned.
#include "frontends/fatbin/cubin.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>

enum { MOST_REGISTERS = 255 };
// Of attributes: the form with a size and so many bytes behind it, and the one that is read.
enum { FORM_BYTES = 4, ATTRIBUTE_REGISTERS = 0x2f };

typedef struct File {
  const uint8_t *bytes;
  uint64_t length;
  Elf64_Ehdr head;
} File;

// NULL: not in the file.
static const uint8_t *piece(const File *file, uint64_t offset, uint64_t bytes) {
  if (offset > file->length || bytes > file->length - offset) return NULL;
  return file->bytes + offset;
}

static bool is_linked_cubin(const Elf64_Ehdr *head) {
  return memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 && head->e_ident[EI_CLASS] == ELFCLASS64 &&
         head->e_ident[EI_DATA] == ELFDATA2LSB && head->e_machine == CUBIN_MACHINE &&
         head->e_type == ET_EXEC && head->e_shentsize == sizeof(Elf64_Shdr);
}

static bool open_file(File *file, const void *bytes, uint64_t length) {
  *file = (File){.bytes = bytes, .length = length};
  if (length < sizeof file->head) return false;
  memcpy(&file->head, bytes, sizeof file->head);
  return is_linked_cubin(&file->head);
}

static bool section_get(const File *file, uint32_t i, Elf64_Shdr *section) {
  const uint8_t *all =
      piece(file, file->head.e_shoff, (uint64_t)file->head.e_shnum * sizeof *section);
  if (!all || i >= file->head.e_shnum) return false;
  memcpy(section, all + i * sizeof *section, sizeof *section);
  return true;
}

// The strings of a section. The last one ends within it, and so does every other.
static const uint8_t *strings_get(const File *file, uint32_t i, uint64_t *bytes) {
  Elf64_Shdr section;
  if (!section_get(file, i, &section) || section.sh_type != SHT_STRTAB) return NULL;
  const uint8_t *at = piece(file, section.sh_offset, section.sh_size);
  *bytes = section.sh_size;
  return at && section.sh_size && !at[section.sh_size - 1] ? at : NULL;
}

// Section .nv.info, that of the whole file; each kernel has another, whose name is longer.
static bool find_attributes(const File *file, Elf64_Shdr *section) {
  uint64_t bytes;
  const uint8_t *names = strings_get(file, file->head.e_shstrndx, &bytes);
  for (uint32_t i = 0; names && section_get(file, i, section); i++)
    if (section->sh_name < bytes && strcmp((const char *)names + section->sh_name, ".nv.info") == 0)
      return true;
  return false;
}

bool cubin_open(Cubin *cubin, const void *bytes, uint64_t length) {
  File file;
  Elf64_Shdr attributes, symbols;
  if (!open_file(&file, bytes, length) || !find_attributes(&file, &attributes)) return false;
  if (!section_get(&file, attributes.sh_link, &symbols) || symbols.sh_type != SHT_SYMTAB)
    return false;
  *cubin = (Cubin){.attributes = piece(&file, attributes.sh_offset, attributes.sh_size),
                   .attribute_bytes = attributes.sh_size,
                   .symbols = piece(&file, symbols.sh_offset, symbols.sh_size),
                   .symbol_count = symbols.sh_size / sizeof(Elf64_Sym)};
  cubin->names = strings_get(&file, symbols.sh_link, &cubin->name_bytes);
  return cubin->attributes && cubin->symbols && cubin->names;
}

static const char *symbol_name(const Cubin *cubin, uint32_t i) {
  Elf64_Sym symbol;
  if (i >= cubin->symbol_count) return NULL;
  memcpy(&symbol, cubin->symbols + i * sizeof symbol, sizeof symbol);
  if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_name >= cubin->name_bytes) return NULL;
  return (const char *)cubin->names + symbol.st_name;
}

typedef struct Attribute {
  uint8_t form, kind;
  uint16_t size_bytes;
} Attribute;

static bool next_attribute(Cubin *cubin, Attribute *attribute, const uint8_t **value) {
  uint64_t left = cubin->attribute_bytes - cubin->next;
  if (left < sizeof *attribute) return false;
  memcpy(attribute, cubin->attributes + cubin->next, sizeof *attribute);
  uint64_t bytes = attribute->form == FORM_BYTES ? attribute->size_bytes : 0;
  left -= sizeof *attribute;
  if (bytes > left) return false;
  *value = cubin->attributes + cubin->next + sizeof *attribute;
  cubin->next += sizeof *attribute + bytes;
  return true;
}

bool cubin_next(Cubin *cubin, CubinCount *count) {
  Attribute attribute;
  const uint8_t *value;
  while (next_attribute(cubin, &attribute, &value)) {
    uint32_t words[2];  // symbol, registers
    if (attribute.form != FORM_BYTES || attribute.kind != ATTRIBUTE_REGISTERS) continue;
    if (attribute.size_bytes < sizeof words) continue;
    memcpy(words, value, sizeof words);
    *count = (CubinCount){.function = symbol_name(cubin, words[0]), .registers = words[1]};
    if (count->function && words[1] && words[1] <= MOST_REGISTERS) return true;
  }
  return false;
}
