// SPDX-License-Identifier: MIT
// Parses a source with libclang, under the flags that heddle cc would pass to clang.
#include "clustering/analysis/parse.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cc/source_files.h"
#include "cc/source_rewrite.h"

// clang's built-in variables are objects with properties, which its C interface
// shows without their names. These are plain structs instead. The first part
// takes the place of __clang_cuda_builtin_vars.h.
static const char builtins_name[] = "heddle_builtin_variables.h";
static const char builtin_variables[] =
    "#define __CUDA_BUILTIN_VARS_H\n"
    "#include \"vector_types.h\"\n"
    "#define HEDDLE_VARIABLE(name) struct __cuda_builtin_##name##_t { unsigned x, y, z; \\\n"
    "  __attribute__((device)) operator dim3() const; \\\n"
    "  __attribute__((device)) operator uint3() const; };\n"
    "HEDDLE_VARIABLE(threadIdx) HEDDLE_VARIABLE(blockIdx)\n"
    "HEDDLE_VARIABLE(blockDim) HEDDLE_VARIABLE(gridDim)\n"
    "#undef HEDDLE_VARIABLE\n"
    "extern const __attribute__((device)) uint3 threadIdx, blockIdx;\n"
    "extern const __attribute__((device)) dim3 blockDim, gridDim;\n"
    "extern const __attribute__((device)) int warpSize;\n"
    "#define __cluster_dims__(...) __attribute__((annotate(\"__cluster_dims__\")))\n";

// ---- what nvcc accepts and clang does not

// Files that clang sees with another text of the same length.
typedef struct Replaced {
  Arena *arena;
  struct CXUnsavedFile *items;
  int count, capacity;
} Replaced;

static void replace_file(Replaced *replaced, const char *path, const char *text, size_t length) {
  GROW(replaced->items, replaced->count, replaced->capacity);
  replaced->items[replaced->count++] =
      (struct CXUnsavedFile){arena_strdup(replaced->arena, path), text, (unsigned long)length};
}

static Status take_source(void *context, const SourceText *source, Error *err) {
  Replaced *replaced = context;
  char *anew;
  size_t length = source->length;
  (void)err;
  if (!source_rewrite_in_place(source->text, length, &anew)) return OK;
  const char *text = sources_as_in_file(replaced->arena, source->path, anew, &length);
  replace_file(replaced, source->path, text, length);
  free(anew);
  return OK;
}

static void add_flags(Words *words, bool is_device, const CcRequest *flags,
                      const CcToolchain *toolchain) {
  words_add(words, "-xcuda");
  words_add(words, "--cuda-path=%s", toolchain->root);
  words_add(words, "--cuda-gpu-arch=sm_%d", flags->sm);
  words_add(words, is_device ? "--cuda-device-only" : "--cuda-host-only");
  words_add(words, "-nocudainc");
  words_add(words, "-w");
  words_add(words, "-DHEDDLE_PLAIN_BARRIERS");
  words_add(words, "-Wno-c++11-narrowing");
  words_add(words, "-isystem%s/include", toolchain->root);
  words_add(words, "-include");
  words_add(words, "%s", builtins_name);
  words_add(words, "-include");
  words_add(words, "cuda_runtime.h");
  if (flags->standard) words_add(words, "-std=%s", flags->standard);
  words_add_all(words, &flags->compile);
  words_add_all(words, &flags->compile_cuda);
}

static Status check_diagnostics(const Tree *tree, const char *path, Error *err) {
  for (unsigned i = 0; i < clang_getNumDiagnostics(tree->unit); i++) {
    CXDiagnostic diagnostic = clang_getDiagnostic(tree->unit, i);
    bool is_error = clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error;
    CXString text = clang_formatDiagnostic(
        diagnostic, CXDiagnostic_DisplaySourceLocation | CXDiagnostic_DisplayColumn);
    bool is_launch = strstr(clang_getCString(text), "reference to __global__ function") != NULL;
    if (is_error)
      error_set(err, is_launch ? ERR_UNSUPPORTED : ERR_SYNTAX, "%s\n%s %s", clang_getCString(text),
                path,
                is_launch ? "cannot be rewritten: its kernels launch kernels"
                          : "cannot be rewritten unless it compiles; pass nvcc's options after --");
    clang_disposeString(text);
    clang_disposeDiagnostic(diagnostic);
    if (is_error) return is_launch ? ERR_UNSUPPORTED : ERR_SYNTAX;
  }
  return OK;
}

static Status run_clang(Tree *tree, CXIndex index, const char *path, const Words *words,
                        const Replaced *replaced, Error *err) {
  enum CXErrorCode code = clang_parseTranslationUnit2(
      index, path, (const char *const *)words->items, words->count, replaced->items,
      (unsigned)replaced->count, CXTranslationUnit_DetailedPreprocessingRecord, &tree->unit);
  if (code == CXError_Success) return check_diagnostics(tree, path, err);
  return error_set(
      err, ERR_SYNTAX, "%s: libclang %s", path,
      code == CXError_Crashed ? "crashed while it parsed this source" : "could not parse it");
}

static Status parse(Tree *tree, CXIndex index, const char *path, const CcRequest *flags,
                    const CcToolchain *toolchain, Replaced *replaced, Error *err) {
  // Treated like the other headers, as a system header.
  const char *builtins = arena_printf(tree->arena, "%s/include/%s", toolchain->root, builtins_name);
  Words words = {0};
  replace_file(replaced, builtins, builtin_variables, sizeof builtin_variables - 1);
  TRY(source_files_visit(path, &flags->folders, take_source, replaced, err));
  add_flags(&words, tree->is_device, flags, toolchain);
  Status status = run_clang(tree, index, path, &words, replaced, err);
  words_clear(&words);
  return status == OK ? tree_build(tree, err) : status;
}

Status parse_source(Tree *tree, CXIndex index, const char *path, bool is_device,
                    const CcRequest *flags, const CcToolchain *toolchain, Error *err) {
  Replaced replaced = {.arena = tree->arena};
  tree->is_device = is_device;
  TRY(sources_add(tree->sources, path, &tree->main_file, err));
  tree->sources->files[tree->main_file].is_given = true;
  Status status = parse(tree, index, path, flags, toolchain, &replaced, err);
  memory_free(replaced.items);
  return status;
}
