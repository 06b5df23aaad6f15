// SPDX-License-Identifier: MIT
// Sources into objects, PTX and fat binaries.
#include "cc/build.h"

#include <string.h>

#include "cc/link.h"
#include "cc/source_overlay.h"

static void add_device_word(Words *words, const char *word) {
  words_add(words, "-Xarch_device");
  words_add(words, "%s", word);
}

// nvcc's -O applies to the host: kernels are optimised unless -G is given. clang uses the
// last level, so this one follows the host's.
static void add_device_words(const CcRequest *request, Words *words) {
  bool is_plain = request->device_debug && !request->device_optimized;
  add_device_word(words, is_plain ? "-O0" : "-O3");
  for (int i = 0; i < request->compile_device.count; i++)
    add_device_word(words, request->compile_device.items[i]);
}

static void add_cuda_words(const Build *build, Words *words) {
  const CcRequest *request = build->request;
  words_add(words, "--cuda-path=%s", build->toolchain->root);
  words_add(words, "--cuda-gpu-arch=sm_%d", request->sm);
  words_add(words, "-nocudainc");
  words_add(words, "-include");
  words_add(words, "cuda_runtime.h");
  if (request->relocatable) words_add(words, "-fgpu-rdc");
  // Contracts multiply-adds of the program, as nvcc does, but not of the mathematical
  // library, whose compensation of rounding errors it would break.
  words_add(words, "-Xclang");
  words_add(words, "-ffp-contract=fast-honor-pragmas");
  words_add_all(words, &request->compile_cuda);
  add_device_words(request, words);
}

// -std=c++14 is not for C, and the other way round.
static void add_language_words(const Build *build, const CcInput *input, Words *words) {
  static const char *const languages[] = {[CC_CUDA] = "cuda", [CC_CPLUSPLUS] = "c++", [CC_C] = "c"};
  const char *standard = build->request->standard;
  bool for_cplusplus = standard && strstr(standard, "++");
  if (standard && for_cplusplus == (input->language != CC_C)) words_add(words, "-std=%s", standard);
  if (input->language == CC_CUDA) add_cuda_words(build, words);
  words_add(words, "-x");
  words_add(words, "%s", languages[input->language]);
  words_add(words, "%s", input->path);
}

static void add_stage_words(const Build *build, const CcInput *input, const char *output,
                            Words *words) {
  CcStage stage = build->request->stage;
  if (stage == CC_PTX || stage == CC_FATBIN) {
    words_add(words, "--cuda-device-only");
    words_add(words, "-S");
  } else if (stage < CC_PREPROCESS) {
    words_add(words, "-c");
  } else if (input->language == CC_CUDA) {
    words_add(words, "--cuda-host-only");
  }
  if (!output) return;
  words_add(words, "-o");
  words_add(words, "%s", output);
}

// Options that make clang see the rewritten input.
static Status add_overlay(Build *build, const CcInput *input, Words *words, Error *err) {
  SourceOverlay overlay;
  build->foreign = NULL;
  if (input->language != CC_CUDA || build->request->dry_run) return OK;
  const char *path = build_temporary(build, ".yaml");
  TRY(source_overlay_make(input->path, &build->request->folders, path, &overlay, err));
  build->foreign = overlay.foreign;
  if (!overlay.is_needed) return OK;
  words_add(words, "-ivfsoverlay");
  words_add(words, "%s", path);
  return OK;
}

static Status compile(Build *build, const CcInput *input, const char *output, Error *err) {
  Words words = {0};
  words_add(&words, "%s", build->toolchain->clang);
  words_add(&words, "--driver-mode=%s", input->language == CC_C ? "gcc" : "g++");
  // Options of the program follow and take precedence.
  words_add(&words, "-Qunused-arguments");
  words_add(&words, "-Wno-unknown-cuda-version");
  // nvcc's usual host compiler narrows variables in braces with a warning.
  if (input->language != CC_C) words_add(&words, "-Wno-c++11-narrowing");
  words_add_all(&words, &build->request->compile);
  words_add(&words, "-isystem");
  words_add(&words, "%s/include", build->toolchain->root);
  add_language_words(build, input, &words);
  add_stage_words(build, input, output, &words);
  Status status = add_overlay(build, input, &words, err);
  if (status == OK) status = build_run(build, &words, NULL, input->path, err);
  words_clear(&words);
  if (status == OK || !build->foreign) return status;
  return error_set(err, status,
                   "%s failed: it includes %s, a library of NVIDIA's that heddle cc does not "
                   "provide; pass its include folder with -I, or build with nvcc -cudart shared",
                   input->path, build->foreign);
}

// A container with the PTX of one source, as cuModuleLoad reads it.
static Status compile_fatbin(Build *build, const CcInput *input, const char *output, Error *err) {
  const char *ptx = build_temporary(build, ".ptx");
  TRY(compile(build, input, ptx, err));
  Words words = {0};
  words_add(&words, "%s/bin/fatbinary", build->toolchain->root);
  words_add(&words, "--create=%s", output);
  words_add(&words, "--image=profile=compute_%d,file=%s", build->request->sm, ptx);
  Status status = build_run(build, &words, NULL, input->path, err);
  words_clear(&words);
  return status;
}

// prog.cu becomes prog.o, prog.ptx or prog.fatbin in the current folder, as with nvcc.
static Status compile_to_own_name(Build *build, const CcInput *input, Error *err) {
  CcStage stage = build->request->stage;
  const char *ending = stage == CC_PTX ? "ptx" : stage == CC_FATBIN ? "fatbin" : "o";
  const char *slash = strrchr(input->path, '/');
  const char *name = slash ? slash + 1 : input->path, *output = build->request->output;
  Words own = {0};
  const char *dot = strrchr(name, '.');
  words_add(&own, "%.*s.%s", (int)(dot ? (size_t)(dot - name) : strlen(name)), name, ending);
  if (!output && stage < CC_PREPROCESS) output = own.items[0];
  Status status = stage == CC_FATBIN ? compile_fatbin(build, input, output, err)
                                     : compile(build, input, output, err);
  words_clear(&own);
  return status;
}

static Status compile_for_linking(Build *build, Error *err) {
  for (int i = 0; i < build->request->input_count; i++) {
    const CcInput *input = &build->request->inputs[i];
    const char *object = input->path;
    if (input->language != CC_FOR_LINKER) {
      object = build_temporary(build, ".o");
      TRY(compile(build, input, object, err));
    }
    words_add(&build->objects, "%s", object);
  }
  return OK;
}

static Status build_all(Build *build, Error *err) {
  const CcRequest *request = build->request;
  if (cc_stage_links(request->stage)) TRY(compile_for_linking(build, err));
  if (request->stage == CC_LINK) return link_program(build, err);
  if (request->stage == CC_DEVICE_LINK) return link_device_code(build, err);
  if (request->stage == CC_LIBRARY) return link_library(build, err);
  for (int i = 0; i < request->input_count; i++)
    TRY(compile_to_own_name(build, &request->inputs[i], err));
  return OK;
}

Status cc_build(const CcRequest *request, const CcToolchain *toolchain, Error *err) {
  Build build = {.request = request, .toolchain = toolchain};
  TRY(scratch_folder_make(&build.folder, "heddle-cc", false, err));
  Status status = build_all(&build, err);
  scratch_folder_remove(&build.folder);
  words_clear(&build.names);
  words_clear(&build.objects);
  return status;
}
