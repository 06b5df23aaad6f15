// SPDX-License-Identifier: MIT
// Functions of executables are found by name; files with anything in them are refused or read
// without leaving them.
#include "redirect/elf_functions.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "unit/cmocka_all.h"

enum { CODE = 0x400, CODE_BYTES = 0x100, BASE = 0x1000, SYMBOLS = 4 };

// A file with one segment and three sections: nothing, symbols, names.
typedef struct File {
  Elf64_Ehdr head;
  Elf64_Phdr segment;
  Elf64_Shdr sections[3];
  Elf64_Sym symbols[SYMBOLS];
  char names[32];
  uint8_t code[CODE + CODE_BYTES];
} File;

static void make(File *file) {
  memset(file, 0, sizeof *file);
  memcpy(file->head.e_ident, ELFMAG "\2\1\1", 7);
  file->head.e_type = ET_DYN, file->head.e_machine = EM_X86_64;
  file->head.e_phoff = offsetof(File, segment), file->head.e_phnum = 1;
  file->head.e_phentsize = sizeof(Elf64_Phdr);
  file->head.e_shoff = offsetof(File, sections), file->head.e_shnum = 3;
  file->head.e_shentsize = sizeof(Elf64_Shdr);
  file->segment = (Elf64_Phdr){.p_type = PT_LOAD,
                               .p_flags = PF_R | PF_X,
                               .p_offset = offsetof(File, code) + CODE,
                               .p_vaddr = BASE,
                               .p_filesz = CODE_BYTES};
  file->sections[1] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
                                   .sh_offset = offsetof(File, symbols),
                                   .sh_size = sizeof file->symbols,
                                   .sh_link = 2};
  file->sections[2] = (Elf64_Shdr){
      .sh_type = SHT_STRTAB, .sh_offset = offsetof(File, names), .sh_size = sizeof file->names};
  memcpy(file->names, "\0cudaMalloc\0cudaFree\0other", 27);
  unsigned char function = ELF64_ST_INFO(STB_LOCAL, STT_FUNC);
  file->symbols[1] =
      (Elf64_Sym){.st_name = 1, .st_info = function, .st_shndx = 1, .st_value = BASE + 16};
  file->symbols[2] =
      (Elf64_Sym){.st_name = 12, .st_info = function, .st_shndx = 1, .st_value = BASE + 48};
  file->symbols[3] = (Elf64_Sym){.st_name = 21, .st_info = function, .st_value = BASE};
}

static void functions_have_names_addresses_and_space(void **state) {
  (void)state;
  File file;
  ElfSymbols symbols;
  ElfFunction function;
  make(&file);
  assert_true(elf_symbols_open(&symbols, &file, sizeof file));
  assert_int_equal(symbols.symbol_count, SYMBOLS);
  assert_false(elf_symbols_get(&symbols, 0, &function));
  assert_true(elf_symbols_get(&symbols, 1, &function));
  assert_string_equal(function.name, "cudaMalloc");
  assert_int_equal(function.address, BASE + 16);
  assert_int_equal(elf_symbols_space(&symbols, &function), 32);
  assert_true(elf_symbols_get(&symbols, 2, &function));
  assert_string_equal(function.name, "cudaFree");
  assert_int_equal(elf_symbols_space(&symbols, &function), CODE_BYTES - 48);
  assert_false(elf_symbols_get(&symbols, 3, &function));  // not defined here
  assert_false(elf_symbols_get(&symbols, SYMBOLS, &function));
}

static void refused(const File *file, size_t bytes) {
  ElfSymbols symbols;
  assert_false(elf_symbols_open(&symbols, file, bytes));
}

static void offsets_outside_the_file_are_refused(void **state) {
  (void)state;
  File file;
#define WITH(field, value) \
  make(&file);             \
  file.field = (value);    \
  refused(&file, sizeof file)
  WITH(head.e_ident[0], 'x');
  WITH(head.e_ident[EI_CLASS], ELFCLASS32);
  WITH(head.e_machine, EM_AARCH64);
  WITH(head.e_phoff, UINT64_MAX);
  WITH(head.e_phoff, sizeof file - 8);
  WITH(head.e_phnum, 0);
  WITH(head.e_shoff, UINT64_MAX - 16);
  WITH(head.e_shnum, 0xff00);
  WITH(segment.p_offset, sizeof file);
  WITH(segment.p_filesz, UINT64_MAX);
  WITH(segment.p_vaddr, UINT64_MAX - 8);
  WITH(segment.p_flags, PF_R);
  WITH(sections[1].sh_offset, sizeof file - 8);
  WITH(sections[1].sh_size, UINT64_MAX);
  WITH(sections[1].sh_link, 77);
  WITH(sections[1].sh_link, 1);
  WITH(sections[1].sh_type, SHT_NOTE);
  WITH(sections[2].sh_size, 0);
  WITH(sections[2].sh_offset, UINT64_MAX);
  WITH(names[31], 'x');  // the last name does not end
#undef WITH
  make(&file);
  refused(&file, 0);
  refused(&file, sizeof file.head - 1);
  refused(&file, offsetof(File, code));
}

static void symbols_outside_are_no_functions(void **state) {
  (void)state;
  File file;
  ElfSymbols symbols;
  ElfFunction function;
  make(&file);
  file.symbols[1].st_name = sizeof file.names;
  file.symbols[2].st_value = BASE + CODE_BYTES;
  file.symbols[3] = (Elf64_Sym){
      .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), .st_shndx = 1, .st_value = BASE};
  assert_true(elf_symbols_open(&symbols, &file, sizeof file));
  for (size_t i = 0; i < SYMBOLS; i++) assert_false(elf_symbols_get(&symbols, i, &function));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(functions_have_names_addresses_and_space),
      cmocka_unit_test(offsets_outside_the_file_are_refused),
      cmocka_unit_test(symbols_outside_are_no_functions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
