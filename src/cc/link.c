// SPDX-License-Identifier: MIT
// Links objects to programs, libraries and device code.
#include "cc/link.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/memory.h"
#include "cc/openmp.h"

enum { MAX_SYMBOLS_BYTES = 64 << 20 };

// ---- which modules of device code there are

static const char module_prefix[] = "__cudaRegisterLinkedBinary";

// An archive that -l names, in a folder that -L names.
static void add_archive(const Words *link, const char *name, Words *words) {
  for (int i = 0; i < link->count; i++) {
    char path[PATH_MAX];
    if (strncmp(link->items[i], "-L", 2) != 0) continue;
    if (snprintf(path, sizeof path, "%s/lib%s.a", link->items[i] + 2, name) >= PATH_MAX) continue;
    if (access(path, R_OK) != 0) continue;
    words_add(words, "%s", path);
    return;
  }
}

// What nm looks into; false if there is nothing. Shared libraries are linked already.
static bool add_symbol_files(const Build *build, Words *words) {
  const Words *link = &build->request->link, *objects = &build->objects;
  int before = words->count;
  for (int i = 0; i < objects->count; i++)
    if (path_ends_with(objects->items[i], ".o") || path_ends_with(objects->items[i], ".a"))
      words_add(words, "%s", objects->items[i]);
  for (int i = 0; i < link->count; i++)
    if (strncmp(link->items[i], "-l", 2) == 0) add_archive(link, link->items[i] + 2, words);
  return words->count > before;
}

static bool has_word(const Words *words, const char *word, size_t length) {
  for (int i = 0; i < words->count; i++)
    if (strlen(words->items[i]) == length && memcmp(words->items[i], word, length) == 0)
      return true;
  return false;
}

// Of the lines `name type ...` those of modules: wanted by some object, and defined by none.
static void read_modules(const char *symbols, Words *modules) {
  Words defined = {0};
  for (int pass = 0; pass < 2; pass++)
    for (const char *at = symbols; (at = strstr(at, module_prefix)); at++) {
      size_t length = strcspn(at, " \n");
      bool is_wanted = at[length] == ' ' && at[length + 1] == 'U';
      Words *list = is_wanted ? modules : &defined;
      if (is_wanted == (pass == 1) && !has_word(&defined, at, length) &&
          !has_word(list, at, length))
        words_add(list, "%.*s", (int)length, at);
    }
  words_clear(&defined);
}

static Status find_modules(Build *build, Words *modules, Error *err) {
  const char *symbols = build_temporary(build, ".txt");
  Words words = {0};
  words_add(&words, "nm");
  words_add(&words, "-P");
  Status status = OK;
  bool has_files = add_symbol_files(build, &words);
  if (has_files) status = build_run(build, &words, symbols, "listing modules of device code", err);
  words_clear(&words);
  if (status != OK || !has_files || build->request->dry_run) return status;
  char *text;
  size_t length;
  TRY(file_read(symbols, MAX_SYMBOLS_BYTES, &text, &length, err));
  read_modules(text, modules);
  memory_free(text);
  return OK;
}

// ---- the object that registers them

static Status write_registrations(const Build *build, const Words *modules, const char *source,
                                  Error *err) {
  FILE *file = fopen(source, "w");
  if (!file) return error_set(err, ERR_IO, "cannot write %s: %s", source, strerror(errno));
  fprintf(file, "#define HEDDLE_MODULES %d\n", modules->count);
  fprintf(file, "#include \"%s/include/heddle/device_link.h\"\n", build->toolchain->root);
  for (int i = 0; i < modules->count; i++)
    fprintf(file, "HEDDLE_LINKED_MODULE(%s)\n", modules->items[i] + strlen(module_prefix));
  return fclose(file) == 0 ? OK : error_set(err, ERR_IO, "cannot write %s", source);
}

static Status compile_registrations(Build *build, const Words *modules, const char *object,
                                    Error *err) {
  const char *source = build_temporary(build, ".c");
  Words words = {0};
  if (!build->request->dry_run) TRY(write_registrations(build, modules, source, err));
  words_add(&words, "%s", build->toolchain->clang);
  words_add(&words, "-c");
  words_add(&words, "-fPIC");
  words_add(&words, "%s", source);
  words_add(&words, "-o");
  words_add(&words, "%s", object);
  Status status = build_run(build, &words, NULL, "linking device code", err);
  words_clear(&words);
  return status;
}

Status link_device_code(Build *build, Error *err) {
  const CcRequest *request = build->request;
  Words modules = {0};
  Status status = find_modules(build, &modules, err);
  if (status == OK)
    status = compile_registrations(build, &modules,
                                   request->output ? request->output : "a_dlink.o", err);
  words_clear(&modules);
  return status;
}

// ---- programs and libraries

// *object: NULL if there is nothing to register.
static Status make_registrations(Build *build, const char **object, Error *err) {
  Words modules = {0};
  Status status = find_modules(build, &modules, err);
  *object = NULL;
  if (status == OK && modules.count) {
    *object = build_temporary(build, ".o");
    status = compile_registrations(build, &modules, *object, err);
  }
  words_clear(&modules);
  return status;
}

// Libraries are searched again for its references.
static void add_registrations(const Build *build, const char *object, Words *words) {
  const Words *objects = &build->objects;
  words_add(words, "%s", object);
  for (int i = 0; i < objects->count; i++)
    if (path_ends_with(objects->items[i], ".a")) words_add(words, "%s", objects->items[i]);
  words_add_all(words, &build->request->link);
}

Status link_program(Build *build, Error *err) {
  const CcRequest *request = build->request;
  const char *registrations;
  TRY(make_registrations(build, &registrations, err));
  if (!request->dry_run) TRY(cc_toolchain_check_libraries(build->toolchain, err));
  Words words = {0};
  words_add(&words, "%s", build->toolchain->linker);
  words_add(&words, "--driver-mode=g++");
  words_add(&words, "-Qunused-arguments");
  words_add_all(&words, &build->objects);
  words_add(&words, "-o");
  words_add(&words, "%s", request->output ? request->output : "a.out");
  // First, so that no CUDA runtime in a folder of the program's is taken for it.
  words_add(&words, "-L%s/lib64", build->toolchain->root);
  words_add_all(&words, &request->link);
  if (registrations) add_registrations(build, registrations, &words);
  words_add(&words, "-lcudart");
  // So that the program runs by itself; a library path in the environment wins.
  words_add(&words, "-Wl,-rpath,%s", build->toolchain->libraries);
  Status status = build_run(build, &words, NULL, "linking", err);
  words_clear(&words);
  return openmp_explain(build, status, err);
}

Status link_library(Build *build, Error *err) {
  const CcRequest *request = build->request;
  Words words = {0};
  words_add(&words, "ar");
  words_add(&words, "rcs");
  words_add(&words, "%s", request->output ? request->output : "a.a");
  words_add_all(&words, &build->objects);
  Status status = build_run(build, &words, NULL, "making a library", err);
  words_clear(&words);
  return status;
}
