// SPDX-License-Identifier: MIT
// Random executables: the functions of their symbol table.
#include <stdlib.h>
#include <string.h>

#include "redirect/elf_functions.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ElfSymbols symbols;
  ElfFunction function;
  if (!elf_symbols_open(&symbols, data, size)) return 0;
  for (size_t i = 0; i < symbols.symbol_count && i < 256; i++) {
    if (!elf_symbols_get(&symbols, i, &function)) continue;
    if (strlen(function.name) >= size) abort();
    if (!elf_symbols_space(&symbols, &function)) abort();
  }
  return 0;
}
