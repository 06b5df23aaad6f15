// SPDX-License-Identifier: MIT
// Two runs of clang, with the repair of ir_text.c between them; after them those of ptx_fields.c
// and the order of ptx_order.c.
#include "cc/device_code.h"

#include <string.h>

#include "base/files/file.h"
#include "base/files/replaced_file.h"
#include "base/memory.h"
#include "cc/compile.h"
#include "cc/ir_copies.h"
#include "cc/ir_indices.h"
#include "cc/ir_statics.h"
#include "cc/ir_text.h"
#include "cc/ir_undefined.h"
#include "cc/ptx_fields.h"
#include "cc/ptx_order.h"
#include "cc/unroll.h"

enum { MAX_TEXT_BYTES = 1 << 30 };

// Volta and later: clang's own rules for targets whose nvcc was another one.
enum { FIRST_AS_NVCC_13 = 70 };

static bool is_as_nvcc_13(const CcRequest *request) {
  return request->sm >= FIRST_AS_NVCC_13;
}

// nvcc 13's rules for loops, found with generated ones of one to 32 operations (six kinds) and up
// to 100 iterations. It unrolls completely up to a cost of 400 in LLVM's unit (392 is unrolled, 405
// is not), else by a power of two up to 204 (202; 210 not), and loops with an unknown number of
// iterations at most by four. LLVM's limits for PTX are 300, 75 and 8. Its strength reduction gives
// each array of a loop a pointer of 64 bits to advance; nvcc has one sum and constant offsets.
// LLVM places a block beside its likely neighbour, so that loops end with a jump over another one;
// nvcc leaves blocks in order: of 22 programs 16 of 142 jumps backwards have no condition, with
// LLVM's placement 90 of 206, without it 25 of 100.
static void add_loop_words(Words *words) {
  words_add_list(words, "-mllvm,-unroll-partial-threshold=204,-mllvm,-unroll-max-count=4");
  words_add_list(words, "-mllvm,-disable-lsr,-mllvm,-disable-block-placement");
}

// Functions that are larger with unrolled loops are inlined all the same. LLVM's limits at
// -O3 are 300 and 250.
static void add_unroll_words(const CcRequest *request, int limit, Words *words) {
  bool as_nvcc = is_as_nvcc_13(request);
  if (as_nvcc) add_loop_words(words);
  if (limit || as_nvcc) words_add(words, "-mllvm");
  if (limit || as_nvcc) words_add(words, "-unroll-threshold=%d", limit ? limit : 400);
  if (!limit) return;
  words_add(words, "-mllvm");
  words_add(words, "-inline-threshold=%d", limit / 300 * 250);
}

// Code is generated as in one run of clang: same level, same target, same options.
Status device_code_finish(Build *build, const char *intermediate, int unroll_limit, const char *ptx,
                          Error *err) {
  const CcRequest *request = build->request;
  Words words = {0};
  words_add(&words, "%s", build->toolchain->clang);
  words_add_list(&words, "-Qunused-arguments,-w,-nocudalib,-fno-dwarf-directory-asm");
  words_add_list(&words, "-target,nvptx64-nvidia-cuda");
  words_add(&words, "-march=sm_%d", request->sm);
  // The version that clang derives from our installation (cuda/include/cuda.h).
  words_add_list(&words, "-Xclang,-target-feature,-Xclang,+ptx75");
  words_add_list(&words, "-Xclang,-ffp-contract=fast-honor-pragmas");
  words_add_all(&words, &request->compile_cuda);
  words_add_all(&words, &request->compile_device);
  words_add(&words, cc_optimizes_kernels(request) ? "-O3" : "-O0");
  add_unroll_words(request, unroll_limit, &words);
  words_add_list(&words, "-x,ir,-S");
  words_add(&words, "%s", intermediate);
  words_add(&words, "-o");
  words_add(&words, "%s", ptx);
  Status status = build_run(build, &words, NULL, intermediate, err);
  words_clear(&words);
  return status;
}

// Writes a file anew.
static Status rewrite(const char *path, void (*print)(const char *text, FILE *file), Error *err) {
  char *text;
  size_t length;
  ReplacedFile file;
  TRY(file_read(path, MAX_TEXT_BYTES, &text, &length, err));
  Status status = replaced_file_begin(&file, path, err);
  if (status == OK) {
    print(text, file.file);
    status = replaced_file_end(&file, OK, err);
  }
  memory_free(text);
  return status;
}

Status device_code_compile(Build *build, const CcInput *input, const char *ptx, Error *err) {
  const char *intermediate = build_temporary(build, ".ll");
  Compilation front_end = {.input = input, .output = intermediate, .is_intermediate = true};
  TRY(compile(build, &front_end, err));
  bool is_optimised = cc_optimizes_kernels(build->request) && !build->request->dry_run;
  if (is_optimised) TRY(rewrite(intermediate, ir_text_print, err));
  if (is_optimised) TRY(rewrite(intermediate, ir_copies_print, err));
  if (is_optimised) TRY(rewrite(intermediate, ir_undefined_print, err));
  if (is_optimised && is_as_nvcc_13(build->request))
    TRY(rewrite(intermediate, ir_indices_print, err));
  if (is_optimised && cc_makes_module(build->request))
    TRY(rewrite(intermediate, ir_statics_print, err));
  TRY(device_code_finish(build, intermediate, 0, ptx, err));
  if (is_optimised) TRY(unroll_arrays(build, input, intermediate, ptx, err));
  if (build->request->dry_run) return OK;
  TRY(rewrite(ptx, ptx_fields_print, err));
  return rewrite(ptx, ptx_order_print, err);
}

Status device_code_pack(Build *build, const CcInput *input, const char *ptx, const char *container,
                        Error *err) {
  Words words = {0};
  words_add(&words, "%s/bin/fatbinary", build->toolchain->root);
  words_add(&words, "--create=%s", container);
  words_add(&words, "--image=profile=compute_%d,file=%s", build->request->sm, ptx);
  Status status = build_run(build, &words, NULL, input->path, err);
  words_clear(&words);
  return status;
}
