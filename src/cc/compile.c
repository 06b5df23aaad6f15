// SPDX-License-Identifier: MIT
// clang's command line for each stage. Host and device code of a source are compiled apart.
#include "cc/compile.h"

#include <limits.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/memory.h"
#include "base/murmur_hash.h"
#include "cc/shared_variables.h"
#include "cc/source_overlay.h"

enum { MAX_MESSAGE_BYTES = 64 << 20 };

static void add_device_word(Words *words, const char *word) {
  words_add(words, "-Xarch_device");
  words_add(words, "%s", word);
}

// nvcc's -O applies to the host. clang uses the last level, so the kernels' follows.
static void add_device_words(const CcRequest *request, Words *words) {
  add_device_word(words, cc_optimizes_kernels(request) ? "-O3" : "-O0");
  for (int i = 0; i < request->compile_device.count; i++)
    add_device_word(words, request->compile_device.items[i]);
}

// Names of static variables in relocatable code contain an identification of the source.
// clang's own differs between an object and PTX of one source; ours depends on the
// source's path and its options, as clang's does.
static void add_unit_id(const CcRequest *request, const CcInput *input, Words *words) {
  char path[PATH_MAX];
  if (!realpath(input->path, path)) snprintf(path, sizeof path, "%s", input->path);
  uint32_t first = murmur_hash2(path, strlen(path), 1), second = first;
  for (int i = 0; i < request->compile.count; i++) {
    const char *word = request->compile.items[i];
    second = murmur_hash2(word, strlen(word), second);
  }
  words_add(words, "-cuid=%08x%08x", first, second);
}

static void add_cuda_words(const Build *build, const CcInput *input, Words *words) {
  const CcRequest *request = build->request;
  words_add(words, "--cuda-path=%s", build->toolchain->root);
  words_add(words, "--cuda-gpu-arch=sm_%d", request->sm);
  words_add(words, "-nocudainc");
  words_add(words, "-include");
  words_add(words, "cuda_runtime.h");
  if (request->relocatable) words_add(words, "-fgpu-rdc");
  if (request->relocatable) words_add(words, "-D__CUDACC_RDC__");
  if (request->relocatable) add_unit_id(request, input, words);
  // Contracts multiply-adds of the program, as nvcc does, but not of the mathematical
  // library, whose compensation of rounding errors it would break.
  words_add_list(words, "-Xclang,-ffp-contract=fast-honor-pragmas");
  // Declarations such as f(...), which libcu++ uses to find out about types.
  words_add_list(words, "-Xclang,-fcuda-allow-variadic-functions");
  words_add_all(words, &request->compile_cuda);
  add_device_words(request, words);
}

// -std=c++14 is not for C, and the other way round.
static void add_language_words(const Build *build, const CcInput *input, Words *words) {
  static const char *const languages[] = {[CC_CUDA] = "cuda", [CC_CPLUSPLUS] = "c++", [CC_C] = "c"};
  const char *standard = build->request->standard;
  bool for_cplusplus = standard && strstr(standard, "++");
  if (standard && for_cplusplus == (input->language != CC_C)) words_add(words, "-std=%s", standard);
  if (input->language == CC_CUDA) add_cuda_words(build, input, words);
  words_add(words, "-x");
  words_add(words, "%s", languages[input->language]);
  words_add(words, "%s", input->path);
}

// Device code before any optimisation. Dependencies are written with the host's half.
static void add_intermediate_words(Build *build, Words *words) {
  words_add_list(words, "--cuda-device-only,-S,-emit-llvm,-Xclang,-disable-llvm-passes,-MF");
  words_add(words, "%s", build_temporary(build, ".d"));  // the last one applies
}

static void add_stage_words(Build *build, const Compilation *it, Words *words) {
  bool is_cuda = it->input->language == CC_CUDA;
  if (it->is_intermediate)
    add_intermediate_words(build, words);
  else if (it->stage < CC_PREPROCESS)
    words_add(words, "-c");
  if (is_cuda && !it->is_intermediate) words_add(words, "--cuda-host-only");
  // clang's driver does not pass it on for the host alone.
  if (is_cuda && !it->is_intermediate && build->request->relocatable) {
    words_add(words, "-Xclang");
    add_unit_id(build->request, it->input, words);
  }
  if (it->device_code) words_add_list(words, "-Xclang,-fcuda-include-gpubinary,-Xclang");
  if (it->device_code) words_add(words, "%s", it->device_code);
  if (!it->output) return;
  words_add(words, "-o");
  words_add(words, "%s", it->output);
}

// Options that make clang see the rewritten input.
static Status add_overlay(Build *build, const CcInput *input, Words *words, Error *err) {
  SourceOverlay overlay;
  build->foreign = NULL;
  if (input->language != CC_CUDA || build->request->dry_run) return OK;
  const char *path = build_temporary(build, ".yaml");
  TRY(source_overlay_make(input->path, &build->request->folders, &build->shared, path, &overlay,
                          err));
  build->foreign = overlay.foreign;
  if (!overlay.is_needed) return OK;
  words_add(words, "-ivfsoverlay");
  words_add(words, "%s", path);
  return OK;
}

static Status run_clang(Build *build, const Compilation *compilation, const char *messages,
                        Error *err) {
  const CcInput *input = compilation->input;
  Words words = {0};
  words_add(&words, "%s", build->toolchain->clang);
  words_add(&words, "--driver-mode=%s", input->language == CC_C ? "gcc" : "g++");
  // Options of the program follow and take precedence.
  words_add(&words, "-Qunused-arguments");
  words_add(&words, "-Wno-unknown-cuda-version");
  // nvcc's usual host compiler only warns of narrowed variables in braces and of `register`.
  if (input->language != CC_C) words_add_list(&words, "-Wno-c++11-narrowing,-Wno-register");
  words_add_all(&words, &build->request->compile);
  words_add(&words, "-isystem");
  words_add(&words, "%s/include", build->toolchain->root);
  add_language_words(build, input, &words);
  add_stage_words(build, compilation, &words);
  Status status = add_overlay(build, input, &words, err);
  if (messages && isatty(STDERR_FILENO)) words_add(&words, "-fcolor-diagnostics");
  if (status == OK) status = build_run_quietly(build, &words, messages, input->path, err);
  words_clear(&words);
  return status;
}

static Status read_messages(const char *path, char **text, Error *err) {
  size_t length;
  *text = NULL;
  return access(path, R_OK) == 0 ? file_read(path, MAX_MESSAGE_BYTES, text, &length, err) : OK;
}

// Device code comes first. As long as clang refuses shared variables that it has not refused
// before, these are rewritten, and its messages are not shown.
static Status compile_device(Build *build, const Compilation *compilation, Error *err) {
  const char *path = build_temporary(build, ".messages");
  for (;;) {
    char *messages;
    Error unread;
    Status status = run_clang(build, compilation, path, err);
    if (read_messages(path, &messages, &unread) != OK || !messages) return status;
    bool again = status != OK && shared_variables_find(messages, &build->shared);
    if (!again) fputs(messages, stderr);
    memory_free(messages);
    if (!again) return status;
  }
}

Status compile(Build *build, const Compilation *compilation, Error *err) {
  const CcInput *input = compilation->input;
  Status status = compilation->is_intermediate ? compile_device(build, compilation, err)
                                               : run_clang(build, compilation, NULL, err);
  if (status == OK || !build->foreign) return status;
  return error_set(err, status,
                   "%s failed: it includes %s, a library of NVIDIA's that heddle cc does not "
                   "provide; pass its include folder with -I, or build with nvcc -cudart shared",
                   input->path, build->foreign);
}
