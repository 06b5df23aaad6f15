// SPDX-License-Identifier: MIT
// Loads PTX text as an executable program.
#ifndef FRONTENDS_PTX_LINK_LOAD_H
#define FRONTENDS_PTX_LINK_LOAD_H

#include "isa/compiler.h"
#include "isa/program.h"

// A piece of PTX text; path is for messages.
typedef struct PtxText {
  const char *path;
  const char *text;
  size_t length;
} PtxText;

// Parses the texts and links them into one program whose variables start at
// base_address (PROGRAM_BASE for the first program of a device). The code is not
// optimised.
Status ptx_load_texts(Program **program, const PtxText *texts, size_t count, uint64_t base_address,
                      Error *err);
Status ptx_load_files(Program **program, const char *const *paths, size_t count,
                      uint64_t base_address, Error *err);
// The same for a GPU whose configuration determines whether the code is optimised.
Status ptx_compile_texts(Program **program, const PtxText *texts, size_t count,
                         uint64_t base_address, const CompilerConfig *compiler, Error *err);
Status ptx_compile_files(Program **program, const char *const *paths, size_t count,
                         uint64_t base_address, const CompilerConfig *compiler, Error *err);

// The texts of files, and back.
Status ptx_texts_read(PtxText **texts, const char *const *paths, size_t count, Error *err);
void ptx_texts_free(PtxText *texts, size_t count);

#endif
