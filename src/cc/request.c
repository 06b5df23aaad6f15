// SPDX-License-Identifier: MIT
// Parses an nvcc command line.
#include "cc/request.h"

#include <stdio.h>
#include <string.h>

#include "base/text/closest.h"
#include "base/text/shell_words.h"
#include "base/files/file.h"
#include "base/memory.h"
#include "cc/options.h"

enum { DEFAULT_SM = 70 };

int cc_arch_known(int sm) {
  static const int known[] = {35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86};
  int best = known[0];
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (known[i] <= sm) best = known[i];
  return best;
}

static CcLanguage language_of(const char *path) {
  static const char *const cplusplus[] = {".cpp", ".cc", ".cxx", ".c++", ".C"};
  if (path_ends_with(path, ".cu")) return CC_CUDA;
  if (path_ends_with(path, ".c")) return CC_C;
  for (size_t i = 0; i < sizeof cplusplus / sizeof *cplusplus; i++)
    if (path_ends_with(path, cplusplus[i])) return CC_CPLUSPLUS;
  return CC_FOR_LINKER;
}

// nvcc requires -Xcompiler for these; they are commonly given directly.
static bool is_for_host(const char *word) {
  static const char *const beginnings[] = {
      "-W",    "-f",       "-march=", "-mtune=",   "-mavx",     "-msse",
      "-mfma", "-pthread", "-ggdb",   "-pedantic", "-mcmodel=", "-nostdinc"};
  for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
    if (strncmp(word, beginnings[i], strlen(beginnings[i])) == 0) return true;
  return false;
}

static Status unknown_option(const char *word, Error *err) {
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
  Closest closest = closest_start(name + strspn(name, "-"));
  for (const CcOption *option = cc_options; option->name; option++) {
    closest_offer(&closest, option->name);
    if (option->short_name) closest_offer(&closest, option->short_name);
  }
  return error_set(err, ERR_USAGE,
                   "unknown option '%s'%s%s%s (docs/cc.md lists the supported nvcc options)", name,
                   CLOSEST_HINT(closest));
}

static Status take_option(CcRequest *request, int count, const char *const *words, int *at,
                          Error *err) {
  const char *word = words[*at], *value;
  const CcOption *option = cc_option_find(word, &value);
  if (!option && is_for_host(word)) {
    words_add(&request->compile, "%s", word);
    words_add(&request->link, "%s", word);
    return OK;
  }
  if (!option) return unknown_option(word, err);
  if (!option->takes_value && value)
    return error_set(err, ERR_USAGE, "--%s takes no value", option->name);
  if (option->takes_value && !value) {
    if (*at + 1 >= count) return error_set(err, ERR_USAGE, "%s needs a value", word);
    value = words[++*at];
  }
  return option->take(request, option, value, err);
}

static Status check_request(const CcRequest *request, Error *err) {
  if (request->wants_version) return OK;
  if (request->input_count == 0)
    return error_set(err, ERR_USAGE, "no input file: heddle cc prog.cu -o prog");
  if (request->output && !cc_stage_links(request->stage) && request->input_count > 1)
    return error_set(err, ERR_USAGE, "-o: one output file given for %d outputs",
                     request->input_count);
  for (int i = 0; i < request->input_count; i++) {
    const CcInput *input = &request->inputs[i];
    if (input->language == CC_FOR_LINKER && !cc_stage_links(request->stage))
      return error_set(err, ERR_USAGE, "%s: unsupported input file type", input->path);
    bool is_device_only = request->stage == CC_PTX || request->stage == CC_FATBIN;
    if (input->language != CC_CUDA && is_device_only)
      return error_set(err, ERR_USAGE, "%s: %s requires a .cu file", input->path,
                       request->stage == CC_PTX ? "-ptx" : "-fatbin");
  }
  return OK;
}

// ---- options files

enum { MAX_OPTIONS_BYTES = 1 << 20, MAX_NESTED_FILES = 8 };

static Status expand(Words *all, int count, const char *const *words, int depth, Error *err);

static Status expand_file(Words *all, const char *path, int depth, Error *err) {
  char *text, **words;
  size_t length;
  Arena arena = {0};
  if (depth == MAX_NESTED_FILES)
    return error_set(err, ERR_USAGE, "--options-file %s: more than %d nested files", path,
                     MAX_NESTED_FILES);
  TRY(file_read(path, MAX_OPTIONS_BYTES, &text, &length, err));
  for (size_t i = 0; i < length; i++)
    if (strchr("\n\r\t", text[i])) text[i] = ' ';
  Status status = shell_split(&arena, text, &words, err);
  int count = 0;
  while (status == OK && words[count]) count++;
  if (status == OK) status = expand(all, count, (const char *const *)words, depth + 1, err);
  arena_clear(&arena);
  memory_free(text);
  return status;
}

// Replaces `--options-file FILE` by the words in it.
static Status expand(Words *all, int count, const char *const *words, int depth, Error *err) {
  for (int i = 0; i < count; i++) {
    const char *word = words[i], *equals = strchr(word, '=');
    int length = (int)(equals ? equals - word : (long)strlen(word));
    bool is_file = (length == 14 && strncmp(word, "--options-file", 14) == 0) ||
                   (length == 5 && strncmp(word, "-optf", 5) == 0);
    if (!is_file) {
      words_add(all, "%s", word);
      continue;
    }
    if (!equals && i + 1 == count) return error_set(err, ERR_USAGE, "%s needs a value", word);
    TRY(expand_file(all, equals ? equals + 1 : words[++i], depth, err));
  }
  return OK;
}

static Status parse(CcRequest *request, int count, const char *const *words, Error *err) {
  request->inputs = memory_alloc(sizeof(CcInput) * (size_t)(count + 1));
  for (int i = 0; i < count; i++) {
    if (words[i][0] == '-' && words[i][1])
      TRY(take_option(request, count, words, &i, err));
    else
      request->inputs[request->input_count++] = (CcInput){words[i], language_of(words[i])};
  }
  if (!request->sm) request->sm = DEFAULT_SM;
  // Objects and libraries keep their kind.
  for (int i = 0; i < request->input_count && request->forced_cuda; i++)
    if (request->inputs[i].language != CC_FOR_LINKER) request->inputs[i].language = CC_CUDA;
  return check_request(request, err);
}

Status cc_request_parse(CcRequest *request, int count, const char *const *words, Error *err) {
  *request = (CcRequest){0};
  TRY(expand(&request->words, count, words, 0, err));
  return parse(request, request->words.count, (const char *const *)request->words.items, err);
}

void cc_request_clear(CcRequest *request) {
  words_clear(&request->words);
  words_clear(&request->folders);
  words_clear(&request->named_sms);
  words_clear(&request->compile);
  words_clear(&request->compile_cuda);
  words_clear(&request->compile_device);
  words_clear(&request->link);
  words_clear(&request->notes);
  memory_free(request->inputs);
  *request = (CcRequest){0};
}
