// SPDX-License-Identifier: MIT
// Machine code of one architecture as ptxas or nvlink made it: an ELF file (a cubin). It is not
// executed; what ptxas alone knows, the registers per thread of each kernel, is read from it.
//
//   .nv.info    attributes: u8 form  u8 attribute  u16 size, for form 4 followed by so many bytes
//   REGCOUNT    form 4, attribute 0x2f: u32 symbol  u32 registers
//
// Cubins up to sm_89 have the count in their section headers as well, later ones here only.
// Content is not trusted: everything is checked against the length.
#ifndef FRONTENDS_FATBIN_CUBIN_H
#define FRONTENDS_FATBIN_CUBIN_H

#include <stdbool.h>
#include <stdint.h>

// e_machine of ELF files with GPU code; glibc's elf.h may lack it.
enum { CUBIN_MACHINE = 190 };

// An iterator over counts; after cubin_open it is before the first.
typedef struct Cubin {
  const uint8_t *attributes, *symbols, *names;
  uint64_t attribute_bytes, next, symbol_count, name_bytes;
} Cubin;

typedef struct CubinCount {
  const char *function;  // its symbol, in the cubin
  uint32_t registers;    // per thread, 1 to 255
} CubinCount;

// False if it is no cubin, damaged, or not linked yet: the counts of relocatable code are those
// before calls between files are resolved.
bool cubin_open(Cubin *cubin, const void *bytes, uint64_t length);
// Returns the next count; false past the last, or where the attributes are damaged.
bool cubin_next(Cubin *cubin, CubinCount *count);

#endif
