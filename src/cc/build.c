// SPDX-License-Identifier: MIT
// Sources into objects, PTX and fat binaries.
#include "cc/build.h"

#include <string.h>
#include <sys/stat.h>

#include "base/files/file.h"
#include "base/memory.h"
#include "base/files/replaced_file.h"
#include "cc/compile.h"
#include "cc/device_code.h"
#include "cc/link.h"

enum { MAX_PTX_BYTES = 1 << 30 };

// ---- one source

// Standard output, pipes and devices cannot be read again.
static bool is_file(const char *output) {
  struct stat there;
  return strcmp(output, "-") != 0 && (stat(output, &there) != 0 || S_ISREG(there.st_mode));
}

static Status send(const char *from, const char *to, Error *err) {
  char *text;
  size_t length;
  ReplacedFile file;
  TRY(file_read(from, MAX_PTX_BYTES, &text, &length, err));
  Status status = replaced_file_begin(&file, to, err);
  if (status == OK) {
    fwrite(text, 1, length, file.file);
    status = replaced_file_end(&file, OK, err);
  }
  memory_free(text);
  return status;
}

static Status compile_ptx(Build *build, const CcInput *input, const char *output, Error *err) {
  bool is_direct = is_file(output);
  const char *ptx = is_direct ? output : build_temporary(build, ".ptx");
  TRY(device_code_compile(build, input, ptx, err));
  return is_direct || build->request->dry_run ? OK : send(ptx, output, err);
}

static Status compile_fatbin(Build *build, const CcInput *input, const char *output, Error *err) {
  const char *ptx = build_temporary(build, ".ptx");
  TRY(device_code_compile(build, input, ptx, err));
  return device_code_pack(build, input, ptx, output, err);
}

static Status compile_object(Build *build, const CcInput *input, const char *output, Error *err) {
  Compilation host = {.input = input, .output = output, .stage = CC_COMPILE};
  if (input->language == CC_CUDA) {
    host.device_code = build_temporary(build, ".fatbin");
    TRY(compile_fatbin(build, input, host.device_code, err));
  }
  return compile(build, &host, err);
}

static Status compile_text(Build *build, const CcInput *input, const char *output, Error *err) {
  Compilation text = {.input = input, .output = output, .stage = build->request->stage};
  return compile(build, &text, err);
}

// ---- all sources

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
  Status status = stage == CC_FATBIN       ? compile_fatbin(build, input, output, err)
                  : stage == CC_PTX        ? compile_ptx(build, input, output, err)
                  : stage >= CC_PREPROCESS ? compile_text(build, input, output, err)
                                           : compile_object(build, input, output, err);
  words_clear(&own);
  return status;
}

static Status compile_for_linking(Build *build, Error *err) {
  for (int i = 0; i < build->request->input_count; i++) {
    const CcInput *input = &build->request->inputs[i];
    const char *object = input->path;
    if (input->language != CC_FOR_LINKER) {
      object = build_temporary(build, ".o");
      TRY(compile_object(build, input, object, err));
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
  if (request->verbose || request->dry_run) build_print_variables(&build);
  Status status = build_all(&build, err);
  scratch_folder_remove(&build.folder);
  words_clear(&build.names);
  words_clear(&build.shared);
  words_clear(&build.objects);
  return status;
}
