// SPDX-License-Identifier: MIT
// Structures are copied out of the file: it need not be aligned.
#include "redirect/elf_functions.h"

#include <elf.h>
#include <string.h>

typedef struct File {
  const uint8_t *bytes;
  uint64_t size_bytes;
} File;

// `count` things of `each` bytes from an offset on; NULL: not in the file.
static const uint8_t *piece(File file, uint64_t offset, uint64_t count, uint64_t each) {
  if (offset > file.size_bytes || count > (file.size_bytes - offset) / each) return NULL;
  return file.bytes + offset;
}

static bool is_supported(const Elf64_Ehdr *head) {
  return memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 && head->e_ident[EI_CLASS] == ELFCLASS64 &&
         head->e_ident[EI_DATA] == ELFDATA2LSB && head->e_machine == EM_X86_64 &&
         (head->e_type == ET_EXEC || head->e_type == ET_DYN) &&
         head->e_phentsize == sizeof(Elf64_Phdr) && head->e_shentsize == sizeof(Elf64_Shdr);
}

// The only segment with code. Several would be unusual: the largest counts.
static bool find_code(File file, const Elf64_Ehdr *head, Elf64_Phdr *code) {
  const uint8_t *at = piece(file, head->e_phoff, head->e_phnum, sizeof *code);
  code->p_filesz = 0;
  for (int i = 0; at && i < head->e_phnum; i++, at += sizeof *code) {
    Elf64_Phdr segment;
    memcpy(&segment, at, sizeof segment);
    bool has_code = segment.p_type == PT_LOAD && segment.p_flags & PF_X;
    if (has_code && segment.p_filesz > code->p_filesz) *code = segment;
  }
  return code->p_filesz && code->p_vaddr + code->p_filesz > code->p_vaddr &&
         piece(file, code->p_offset, code->p_filesz, 1);
}

static bool section_get(File file, const Elf64_Ehdr *head, uint32_t i, Elf64_Shdr *section) {
  const uint8_t *all = piece(file, head->e_shoff, head->e_shnum, sizeof *section);
  if (!all || i >= head->e_shnum) return false;
  memcpy(section, all + i * sizeof *section, sizeof *section);
  return true;
}

static bool open_table(ElfSymbols *it, File file, const Elf64_Shdr *table,
                       const Elf64_Shdr *names) {
  it->symbol_count = table->sh_size / sizeof(Elf64_Sym);
  it->symbols = piece(file, table->sh_offset, it->symbol_count, sizeof(Elf64_Sym));
  it->names = piece(file, names->sh_offset, names->sh_size, 1);
  it->names_bytes = names->sh_size;
  // The last name ends there, and so does every other.
  return it->symbols && it->names && it->names_bytes && !it->names[it->names_bytes - 1];
}

bool elf_symbols_open(ElfSymbols *it, const void *bytes, size_t size_bytes) {
  File file = {bytes, size_bytes};
  Elf64_Ehdr head;
  Elf64_Phdr code;
  Elf64_Shdr table, names;
  if (size_bytes < sizeof head) return false;
  memcpy(&head, bytes, sizeof head);
  if (!is_supported(&head) || !find_code(file, &head, &code)) return false;
  *it = (ElfSymbols){.code_start = code.p_vaddr, .code_end = code.p_vaddr + code.p_filesz};
  for (uint32_t i = 0; section_get(file, &head, i, &table); i++)
    if (table.sh_type == SHT_SYMTAB)
      return section_get(file, &head, table.sh_link, &names) && names.sh_type == SHT_STRTAB &&
             open_table(it, file, &table, &names);
  return false;
}

bool elf_symbols_get(const ElfSymbols *it, size_t i, ElfFunction *function) {
  Elf64_Sym symbol;
  if (i >= it->symbol_count) return false;
  memcpy(&symbol, it->symbols + i * sizeof symbol, sizeof symbol);
  if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) return false;
  if (symbol.st_name >= it->names_bytes) return false;
  if (symbol.st_value < it->code_start || symbol.st_value >= it->code_end) return false;
  *function =
      (ElfFunction){.name = (const char *)it->names + symbol.st_name, .address = symbol.st_value};
  return true;
}

uint64_t elf_symbols_space(const ElfSymbols *it, const ElfFunction *function) {
  uint64_t end = it->code_end;
  ElfFunction other;
  for (size_t i = 0; i < it->symbol_count; i++)
    if (elf_symbols_get(it, i, &other) && other.address > function->address && other.address < end)
      end = other.address;
  return end - function->address;
}
