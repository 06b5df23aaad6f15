// SPDX-License-Identifier: MIT
#include "cluster/parse.h"

#include <stdio.h>
#include <string.h>

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
    "extern const __attribute__((device)) int warpSize;\n";

// nvcc takes `<< <` and `>> >`, clang does not. The text keeps its length.
static bool join_brackets(char *text) {
  bool has_changed = false;
  for (char *at = text; (at = strstr(at, "<< <")); at++) {
    char *close = strstr(at, ">> >");
    memcpy(at, "<<< ", 4);
    if (close) memcpy(close, ">>> ", 4);
    has_changed = true;
  }
  return has_changed;
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
                        struct CXUnsavedFile *replaced, Error *err) {
  const SourceFile *source = &tree->sources->files[tree->main_file];
  char *text = arena_strdup(tree->arena, source->text);
  unsigned count = join_brackets(text) ? 2 : 1;
  replaced[1] = (struct CXUnsavedFile){path, text, (unsigned long)source->length};
  enum CXErrorCode code = clang_parseTranslationUnit2(
      index, path, (const char *const *)words->items, words->count, replaced, count,
      CXTranslationUnit_DetailedPreprocessingRecord, &tree->unit);
  if (code == CXError_Success) return check_diagnostics(tree, path, err);
  return error_set(err, ERR_SYNTAX, "%s: libclang could not parse it (error %d)", path, (int)code);
}

Status parse_source(Tree *tree, CXIndex index, const char *path, bool is_device,
                    const CcRequest *flags, const CcToolchain *toolchain, Error *err) {
  // Treated like the other headers, as a system header.
  const char *builtins = arena_printf(tree->arena, "%s/include/%s", toolchain->root, builtins_name);
  struct CXUnsavedFile replaced[2] = {{builtins, builtin_variables, sizeof builtin_variables - 1}};
  Words words = {0};
  tree->is_device = is_device;
  TRY(sources_add(tree->sources, path, &tree->main_file, err));
  tree->sources->files[tree->main_file].is_given = true;
  add_flags(&words, is_device, flags, toolchain);
  Status status = run_clang(tree, index, path, &words, replaced, err);
  words_clear(&words);
  return status == OK ? tree_build(tree, err) : status;
}
