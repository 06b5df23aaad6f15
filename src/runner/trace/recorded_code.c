// SPDX-License-Identifier: MIT
#include "runner/trace/recorded_code.h"

#include "base/memory.h"
#include "base/version.h"
#include "device/recording/recorder.h"

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

Status recorded_code_compile(Program **program, Recording *recording, const RecordedModule *module,
                             const char *path, Error *err) {
  PtxText *texts = memory_alloc(sizeof *texts * (module->text_count + 1));
  *program = NULL;
  Status status = read_texts(recording, module, texts, err);
  if (status == OK) {
    status = ptx_compile_texts(program, texts, module->text_count, module->base_address,
                               &module->compiler, err);
    if (status != OK) error_prefix(err, "%s", path);
  }
  ptx_texts_free(texts, module->text_count);
  if (status == OK) status = check(*program, recording, module, path, err);
  if (status != OK && *program) {
    program_destroy(*program);
    *program = NULL;
  }
  return status;
}
