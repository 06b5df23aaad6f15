// SPDX-License-Identifier: MIT
// Fat binaries: the container in which nvcc and clang embed device code, PTX and
// machine code for several GPUs.
//
//   header   u32 0xba55ed50  u16 version  u16 header size  u64 bytes that follow
//   entry    u16 kind  ...  u32 header size  u64 payload size, then the payload
//
// A program passes a wrapper to the runtime, which points to one fatbin or, for
// relocatable device code, to several to be linked. Content is not trusted: everything
// is checked against the length.
#ifndef FRONTENDS_FATBIN_FATBIN_H
#define FRONTENDS_FATBIN_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef enum FatbinKind { FATBIN_PTX = 1, FATBIN_ELF = 2 } FatbinKind;

typedef struct FatbinEntry {
  FatbinKind kind;
  uint32_t architecture;   // 75 of compute_75
  const uint8_t *payload;  // as stored
  uint64_t payload_bytes;
  uint64_t compressed_bytes;  // 0: uncompressed
  uint64_t text_bytes;        // uncompressed size
  bool is_lz4, is_zstd;
} FatbinEntry;

// An iterator over entries; after fatbin_open it is before the first.
typedef struct Fatbin {
  const uint8_t *bytes;
  uint64_t length, next;
} Fatbin;

// Length of a fatbin according to its header, which is included; 0 if not a fatbin.
uint64_t fatbin_length(const void *bytes);

Status fatbin_open(Fatbin *fatbin, const void *bytes, uint64_t length, Error *err);
// Returns the next entry; *found is false past the last.
Status fatbin_next(Fatbin *fatbin, FatbinEntry *entry, bool *found, Error *err);

// Selects the PTX for a GPU of a compute capability (75 means 7.5): the newest that
// does not exceed it, else the oldest. *found is false if there is no PTX;
// *elf_architecture is then that of some machine code, or 0 if the fatbin is empty.
Status fatbin_choose_ptx(const void *bytes, uint64_t length, uint32_t capability,
                         FatbinEntry *entry, bool *found, uint32_t *elf_architecture, Error *err);

// The architecture of the machine code that is nearest to a GPU's: one of its major number, the
// newest that does not exceed it, which a driver would load, else the oldest. 0: none.
uint32_t fatbin_code_architecture(const void *bytes, uint64_t length, uint32_t capability);

// Decompresses an entry. What comes out is followed by a NUL; the caller frees it with memory_free.
Status fatbin_unpack_bytes(const FatbinEntry *entry, char **bytes, size_t *length, Error *err);
// The same for text, which ends at its first NUL.
Status fatbin_unpack(const FatbinEntry *entry, char **text, size_t *length, Error *err);

// The structure that a program registers. Its pointers are trusted.
typedef struct FatbinWrapper {
  uint32_t magic, version;
  const void *data;   // version 1: the fatbin
  const void *extra;  // version 2: a NULL-terminated array of fatbins to link
} FatbinWrapper;

#define FATBIN_WRAPPER_MAGIC 0x466243b1u

#endif
