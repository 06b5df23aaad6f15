// SPDX-License-Identifier: MIT
// Loads PTX text as an executable program.
#include "frontends/ptx/link/load.h"

#include <string.h>

#include "base/files/file.h"
#include "base/memory.h"
#include "base/text/readable_name.h"
#include "frontends/ptx/link/linker.h"

// Program.functions gets its final size here, so that pointers into it stay valid.
static void create_functions(Linker *linker) {
  Program *program = linker->program;
  program->function_count = linker->function_count;
  program->functions = ARENA_ARRAY(&program->arena, Function, linker->function_count);
  for (uint32_t f = 0; f < linker->function_count; f++) {
    const LinkedFunction *from = &linker->functions[f];
    Function *to = &program->functions[f];
    to->name = arena_strdup(&program->arena, from->name);
    to->title = readable_name(&program->arena, to->name);
    to->path = arena_strdup(&program->arena, from->module->syntax->path);
    to->index = f;
    to->native = from->native;
    if (!from->syntax) continue;
    to->is_kernel = from->syntax->is_entry;
    memcpy(to->max_threads, from->syntax->max_threads, sizeof to->max_threads);
    memcpy(to->required_threads, from->syntax->required_threads, sizeof to->required_threads);
    to->min_ctas_per_sm = from->syntax->min_ctas_per_sm;
    to->max_registers = from->syntax->max_registers;
    memcpy(to->cluster, from->syntax->cluster, sizeof to->cluster);
  }
}

static void keep_code(Linker *linker) {
  Program *program = linker->program;
  program->code_count = linker->code_count;
  program->code = ARENA_ARRAY(&program->arena, Instruction, linker->code_count);
  if (linker->code_count)
    memcpy(program->code, linker->code, sizeof(Instruction) * linker->code_count);
  program->register_uses = ARENA_ARRAY(&program->arena, RegisterUse, linker->code_count);
  if (linker->code_count)
    memcpy(program->register_uses, linker->register_uses, sizeof(RegisterUse) * linker->code_count);
  program->source_count = linker->source_count;
  program->sources = ARENA_ARRAY(&program->arena, SourceLine, linker->source_count);
  if (linker->source_count)
    memcpy(program->sources, linker->sources, sizeof(SourceLine) * linker->source_count);
  constants_finish(&linker->constants, program);
}

static Status link(Linker *linker, uint64_t base_address, Error *err) {
  GROW(linker->sources, linker->source_count, linker->source_capacity);
  linker->sources[linker->source_count++] = (SourceLine){.file = ""};
  TRY(symbols_collect(linker, err));
  TRY(references_collect(linker, err));
  create_functions(linker);
  TRY(layout_variables(linker, base_address, err));
  TRY(layout_shared(linker, err));
  TRY(layout_frames(linker, err));
  TRY(layout_initials(linker, err));
  for (uint32_t f = 0; f < linker->function_count; f++)
    if (linker->functions[f].syntax) TRY(lower_function(linker, f, err));
  call_graph_finish(linker);
  keep_code(linker);
  return OK;
}

static void linker_clear(Linker *linker) {
  symbols_clear(linker);
  for (uint32_t m = 0; m < linker->module_count; m++) ptx_module_destroy(linker->modules[m].syntax);
  for (uint32_t f = 0; f < linker->function_count; f++) {
    memory_free(linker->functions[f].callees);
    memory_free(linker->functions[f].shared_uses);
  }
  memory_free(linker->modules);
  memory_free(linker->functions);
  memory_free(linker->shared);
  memory_free(linker->code);
  memory_free(linker->register_uses);
  memory_free(linker->sources);
  constants_clear(&linker->constants);
  arena_clear(&linker->scratch);
}

static Status add_module(Linker *linker, const PtxText *text, Error *err) {
  PtxModule *module;
  TRY(ptx_parse(&module, text->path, text->text, text->length, err));
  linker->modules[linker->module_count++].syntax = module;
  return OK;
}

static Status load(Linker *linker, const PtxText *texts, size_t count, uint64_t base_address,
                   Error *err) {
  for (size_t i = 0; i < count; i++) TRY(add_module(linker, &texts[i], err));
  return link(linker, base_address, err);
}

Status ptx_compile_texts(Program **program, const PtxText *texts, size_t count,
                         uint64_t base_address, const CompilerConfig *compiler, Error *err) {
  Linker linker = {.program = memory_alloc(sizeof(Program)), .compiler = compiler};
  linker.modules = memory_alloc(sizeof *linker.modules * (count + 1));
  linker.program->path =
      arena_strdup(&linker.program->arena, count && texts[0].path ? texts[0].path : "");
  Status status = load(&linker, texts, count, base_address, err);
  *program = linker.program;
  linker_clear(&linker);
  if (status != OK) {
    program_destroy(*program);
    *program = NULL;
  }
  return status;
}

Status ptx_load_texts(Program **program, const PtxText *texts, size_t count, uint64_t base_address,
                      Error *err) {
  return ptx_compile_texts(program, texts, count, base_address, NULL, err);
}

enum { MAX_PTX_BYTES = 1 << 30 };

void ptx_texts_free(PtxText *texts, size_t count) {
  for (size_t i = 0; i < count; i++) memory_free((char *)texts[i].text);
  memory_free(texts);
}

Status ptx_texts_read(PtxText **read, const char *const *paths, size_t count, Error *err) {
  PtxText *texts = memory_alloc(sizeof *texts * (count + 1));
  Status status = OK;
  for (size_t i = 0; i < count && status == OK; i++) {
    char *text = NULL;
    status = file_read(paths[i], MAX_PTX_BYTES, &text, &texts[i].length, err);
    texts[i].path = paths[i];
    texts[i].text = text;
  }
  *read = texts;
  if (status != OK) ptx_texts_free(texts, count);
  return status;
}

Status ptx_compile_files(Program **program, const char *const *paths, size_t count,
                         uint64_t base_address, const CompilerConfig *compiler, Error *err) {
  PtxText *texts;
  *program = NULL;
  TRY(ptx_texts_read(&texts, paths, count, err));
  Status status = ptx_compile_texts(program, texts, count, base_address, compiler, err);
  ptx_texts_free(texts, count);
  return status;
}

Status ptx_load_files(Program **program, const char *const *paths, size_t count,
                      uint64_t base_address, Error *err) {
  return ptx_compile_files(program, paths, count, base_address, NULL, err);
}
