// SPDX-License-Identifier: MIT
// Functions that an executable or a library defines, from its symbol table (.symtab), which
// also has those that are not exported. The file may contain anything.
#ifndef REDIRECT_ELF_FUNCTIONS_H
#define REDIRECT_ELF_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ElfSymbols {
  const uint8_t *symbols, *names;
  size_t symbol_count, names_bytes;
  uint64_t code_start, code_end;  // of the segment with code
} ElfSymbols;

typedef struct ElfFunction {
  const char *name;
  uint64_t address;  // before relocation
} ElfFunction;

// file: must outlive the result. False: not a 64-bit x86 executable or library with a symbol
// table.
bool elf_symbols_open(ElfSymbols *it, const void *file, size_t size_bytes);

// The function that is symbol number i. False: not a function that is defined here, and in
// the file with at least one byte.
bool elf_symbols_get(const ElfSymbols *it, size_t i, ElfFunction *function);

// Bytes from a function's start to the next function or the end of the code.
uint64_t elf_symbols_space(const ElfSymbols *it, const ElfFunction *function);

#endif
