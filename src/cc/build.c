// SPDX-License-Identifier: MIT
#include "cc/build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "cc/process.h"
#include "cc/scratch_folder.h"
#include "cc/source_overlay.h"

enum { MAX_SYMBOLS_BYTES = 64 << 20 };

typedef struct Build {
  const CcRequest *request;
  const CcToolchain *toolchain;
  ScratchFolder folder;
  Words names;          // of files in the folder
  Words objects;        // for the linker, in the order of the command line
  const char *foreign;  // a library that this source asks for and that is not here
} Build;

static void print_command(const Words *words) {
  for (int i = 0; i < words->count; i++) fprintf(stderr, "%s%s", i ? " " : "", words->items[i]);
  fputc('\n', stderr);
}

// Runs a tool; its own messages say what is wrong, ours only for which file.
static Status run(const Build *build, const Words *words, const char *output, const char *what,
                  Error *err) {
  int exit_code;
  if (build->request->verbose || build->request->dry_run) print_command(words);
  if (build->request->dry_run) return OK;
  TRY(process_run(words, output, build->folder.path, &exit_code, err));
  if (exit_code == 0) return OK;
  return error_set(err, ERR_SYNTAX, "%s failed (%s ended with %d)", what, words->items[0],
                   exit_code);
}

static const char *temporary_name(Build *build, const char *ending) {
  words_add(&build->names, "%s/%d%s", build->folder.path, build->names.count, ending);
  return build->names.items[build->names.count - 1];
}

static void add_device_word(Words *words, const char *word) {
  words_add(words, "-Xarch_device");
  words_add(words, "%s", word);
}

// nvcc's -O is for the host: kernels are optimised unless -G says otherwise.
// clang takes the last level it reads, so this one stands behind the host's.
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
  // Fuses what the program multiplies and adds, as nvcc does, but nothing in the
  // mathematical library, whose corrections of rounding errors it would undo.
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
  if (stage == CC_PTX) {
    words_add(words, "--cuda-device-only");
    words_add(words, "-S");
  } else if (stage == CC_LINK || stage == CC_COMPILE) {
    words_add(words, "-c");
  } else if (input->language == CC_CUDA) {
    words_add(words, "--cuda-host-only");
  }
  if (!output) return;
  words_add(words, "-o");
  words_add(words, "%s", output);
}

// What clang needs to know to see the input as it is to be compiled.
static Status add_overlay(Build *build, const CcInput *input, Words *words, Error *err) {
  SourceOverlay overlay;
  build->foreign = NULL;
  if (input->language != CC_CUDA || build->request->dry_run) return OK;
  const char *path = temporary_name(build, ".yaml");
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
  // A program's own options come behind, and can say otherwise.
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
  if (status == OK) status = run(build, &words, NULL, input->path, err);
  words_clear(&words);
  if (status == OK || !build->foreign) return status;
  return error_set(
      err, status,
      "%s failed. It includes %s, which is NVIDIA's and no part of heddle cc: give the folder of "
      "its headers with -I, or build with nvcc -cudart shared",
      input->path, build->foreign);
}

// prog.cu becomes prog.o or prog.ptx in the current folder, as with nvcc.
static Status compile_to_own_name(Build *build, const CcInput *input, Error *err) {
  const char *ending = build->request->stage == CC_PTX ? "ptx" : "o";
  if (build->request->output || build->request->stage >= CC_PREPROCESS)
    return compile(build, input, build->request->output, err);
  const char *slash = strrchr(input->path, '/');
  const char *name = slash ? slash + 1 : input->path;
  Words output = {0};
  words_add(&output, "%.*s.%s", (int)(strrchr(name, '.') - name), name, ending);
  Status status = compile(build, input, output.items[0], err);
  words_clear(&output);
  return status;
}

// Writes a source that defines what the objects want: a registration function
// for each module of device code.
static Status write_registrations(const Build *build, const char *symbols, const char *source,
                                  Error *err) {
  static const char prefix[] = "__cudaRegisterLinkedBinary";
  char *text;
  size_t length;
  TRY(file_read(symbols, MAX_SYMBOLS_BYTES, &text, &length, err));
  FILE *file = fopen(source, "w");
  if (!file) {
    memory_free(text);
    return error_set(err, ERR_IO, "cannot write %s: %s", source, strerror(errno));
  }
  fprintf(file, "#include \"%s/include/heddle/device_link.h\"\n", build->toolchain->root);
  for (const char *at = text; (at = strstr(at, prefix)); at += sizeof prefix - 1)
    fprintf(file, "HEDDLE_LINKED_MODULE(%.*s)\n", (int)strcspn(at, " \n"), at);
  memory_free(text);
  return fclose(file) == 0 ? OK : error_set(err, ERR_IO, "cannot write %s", source);
}

// nm tells which modules there are, in libraries too.
static Status link_device_code(Build *build, Error *err) {
  const char *symbols = temporary_name(build, ".txt");
  const char *source = temporary_name(build, ".c"), *object = temporary_name(build, ".o");
  Words words = {0};
  words_add(&words, "nm");
  words_add(&words, "-uP");
  for (int i = 0; i < build->objects.count; i++)
    if (build->objects.items[i][0] != '-') words_add(&words, "%s", build->objects.items[i]);
  Status status = run(build, &words, symbols, "listing the modules of device code", err);
  words_clear(&words);
  TRY(status);
  if (!build->request->dry_run) TRY(write_registrations(build, symbols, source, err));
  words_add(&words, "%s", build->toolchain->clang);
  words_add(&words, "-c");
  words_add(&words, "-fPIC");
  words_add(&words, "%s", source);
  words_add(&words, "-o");
  words_add(&words, "%s", object);
  status = run(build, &words, NULL, "linking device code", err);
  words_clear(&words);
  // Last, so that its constructor runs when every module has announced itself.
  words_add(&build->objects, "%s", object);
  return status;
}

static Status link_program(Build *build, Error *err) {
  const CcRequest *request = build->request;
  if (!request->dry_run) TRY(cc_toolchain_check_libraries(build->toolchain, err));
  Words words = {0};
  words_add(&words, "%s", build->toolchain->clang);
  words_add(&words, "--driver-mode=g++");
  words_add(&words, "-Qunused-arguments");
  words_add_all(&words, &build->objects);
  words_add(&words, "-o");
  words_add(&words, "%s", request->output ? request->output : "a.out");
  words_add_all(&words, &request->link);
  words_add(&words, "-L%s/lib64", build->toolchain->root);
  words_add(&words, "-lcudart");
  // So that the program runs by itself; a library path in the environment wins.
  words_add(&words, "-Wl,-rpath,%s", build->toolchain->libraries);
  Status status = run(build, &words, NULL, "linking", err);
  words_clear(&words);
  return status;
}

static Status compile_for_linking(Build *build, Error *err) {
  for (int i = 0; i < build->request->input_count; i++) {
    const CcInput *input = &build->request->inputs[i];
    const char *object = input->path;
    if (input->language != CC_FOR_LINKER) {
      object = temporary_name(build, ".o");
      TRY(compile(build, input, object, err));
    }
    words_add(&build->objects, "%s", object);
  }
  return OK;
}

static Status build_program(Build *build, Error *err) {
  TRY(compile_for_linking(build, err));
  // Objects given by name may hold relocatable code that was compiled before.
  if (build->request->relocatable) TRY(link_device_code(build, err));
  return link_program(build, err);
}

static Status build_all(Build *build, Error *err) {
  const CcRequest *request = build->request;
  if (request->stage == CC_LINK) return build_program(build, err);
  for (int i = 0; i < request->input_count; i++)
    TRY(compile_to_own_name(build, &request->inputs[i], err));
  return OK;
}

Status cc_build(const CcRequest *request, const CcToolchain *toolchain, Error *err) {
  Build build = {.request = request, .toolchain = toolchain};
  TRY(scratch_folder_make(&build.folder, err));
  Status status = build_all(&build, err);
  scratch_folder_remove(&build.folder);
  words_clear(&build.names);
  words_clear(&build.objects);
  return status;
}
