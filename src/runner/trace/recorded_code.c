// SPDX-License-Identifier: MIT
// Compiles the code of a recording with the settings under which it was recorded.
#include "runner/trace/recorded_code.h"

#include "base/memory.h"
#include "base/version.h"
#include "device/recording/recorder.h"
#include "frontends/accelsim/sass_listing.h"

static Status read_texts(Recording *recording, const RecordedModule *module, PtxText *texts,
                         Error *err) {
  for (uint32_t i = 0; i < module->text_count; i++) {
    char *text;
    TRY(recording_text(recording, &module->texts[i], &text, &texts[i].length, err));
    texts[i].text = text;
    texts[i].path = module->texts[i].path;
  }
  return OK;
}

static Status check(const Program *program, const Recording *recording,
                    const RecordedModule *module, const char *path, Error *err) {
  if (recorder_code_digest(program) == module->digest) return OK;
  return error_set(err, ERR_UNSUPPORTED,
                   "%s: recorded by Heddle %s, which compiled its PTX differently from this one "
                   "(%s); record it again",
                   path, recording_contents(recording)->heddle, version_text());
}

static Status compile_sass(Program **program, Recording *recording, const RecordedModule *module,
                           const char *path, Error *err) {
  char *text;
  size_t length;
  if (module->text_count != 1)
    return error_set(err, ERR_SYNTAX, "%s: damaged: SASS without a text", path);
  TRY(recording_text(recording, module->texts, &text, &length, err));
  Status status = sass_listing_read(program, text, path, err);
  memory_free(text);
  return status;
}

static Status compile_ptx(Program **program, Recording *recording, const RecordedModule *module,
                          const char *path, Error *err) {
  PtxText *texts = memory_alloc(sizeof *texts * (module->text_count + 1));
  Status status = read_texts(recording, module, texts, err);
  if (status == OK) {
    status = ptx_compile_texts(program, texts, module->text_count, module->base_address,
                               &module->compiler, err);
    if (status != OK) error_prefix(err, "%s", path);
  }
  ptx_texts_free(texts, module->text_count);
  return status;
}

Status recorded_code_compile(Program **program, Recording *recording, const RecordedModule *module,
                             const char *path, Error *err) {
  *program = NULL;
  Status status = module->is_sass ? compile_sass(program, recording, module, path, err)
                                  : compile_ptx(program, recording, module, path, err);
  if (status == OK) status = check(*program, recording, module, path, err);
  if (status != OK && *program) {
    program_destroy(*program);
    *program = NULL;
  }
  return status;
}
