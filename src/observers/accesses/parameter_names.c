// SPDX-License-Identifier: MIT
// Finds the parameter names of a kernel in its CUDA source.
#include "observers/accesses/parameter_names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/files/file.h"
#include "base/memory.h"

typedef struct KernelParameters {
  const Function *function;
  const char **names;
} KernelParameters;

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

// ---- the text of a source

// Length of the comment or literal at `at`; 0: there is none.
static size_t aside_length(const char *at) {
  if (at[0] == '/' && at[1] == '/') return strcspn(at, "\n");
  if (at[0] == '/' && at[1] == '*') {
    const char *end = strstr(at + 2, "*/");
    return end ? (size_t)(end + 2 - at) : strlen(at);
  }
  if (at[0] != '"' && at[0] != '\'') return 0;
  size_t length = 1;
  while (at[length] && at[length] != at[0] && at[length] != '\n')
    length += at[length] == '\\' && at[length + 1] ? 2 : 1;
  return length + (at[length] == at[0]);
}

// Comments and literals become spaces; lines stay.
static void blank_asides(char *text) {
  for (char *at = text; *at;) {
    size_t length = aside_length(at);
    for (size_t i = 0; i < length; i++)
      if (at[i] != '\n') at[i] = ' ';
    at += length ? length : 1;
  }
}

static const char *skip_space(const char *at) {
  while (isspace((unsigned char)*at)) at++;
  return at;
}

// ---- a list of parameters

// Longer declarations are not looked at: time stays linear in the source.
enum { DECLARATION_BYTES = 4096 };

// The end of what begins at `at`: a comma, or the parenthesis that closes the list.
static const char *parameter_end(const char *at) {
  int depth = 0;
  for (const char *begin = at; *at && at - begin < DECLARATION_BYTES; at++) {
    if (!depth && (*at == ',' || *at == ')')) return at;
    depth += *at == '(' || *at == '[' || *at == '{' || *at == '<';
    depth -= *at == ')' || *at == ']' || *at == '}' || *at == '>';
  }
  return NULL;
}

// The last word before a default value or dimensions; of (*name)(...), the one behind the star.
static const char *name_of(const char *begin, const char *end, Arena *arena) {
  for (const char *at = begin; at < end; at++)
    if (*at == '=' || *at == '[' || (*at == ')' && at > begin)) end = at;
  while (end > begin && !is_word(end[-1])) end--;
  const char *word = end;
  while (word > begin && is_word(word[-1])) word--;
  bool is_name = word < end && !isdigit((unsigned char)*word);
  return is_name ? arena_strndup(arena, word, (size_t)(end - word)) : NULL;
}

// at: behind the opening parenthesis. False unless it is a definition with `count` parameters.
static bool read_list(const char *at, uint32_t count, Arena *arena, const char **names) {
  for (uint32_t i = 0; i < count; i++) {
    const char *end = parameter_end(at);
    if (!end || *end != (i + 1 == count ? ')' : ',')) return false;
    names[i] = name_of(at, end, arena);
    if (!names[i]) return false;
    at = end + 1;
  }
  return *skip_space(at) == '{';
}

// ---- a kernel

// Whether the declaration that the word at `at` belongs to says so.
static bool is_kernel(const char *text, const char *at) {
  static const char mark[] = "__global__";
  const char *begin = at;
  while (begin > text && at - begin < DECLARATION_BYTES && !strchr(";{}", begin[-1])) begin--;
  for (; begin + sizeof mark - 1 <= at; begin++)
    if (strncmp(begin, mark, sizeof mark - 1) == 0) return true;
  return false;
}

static bool is_whole_word(const char *text, const char *at, size_t length) {
  return (at == text || !is_word(at[-1])) && !is_word(at[length]);
}

bool parameter_names_find(char *text, const char *kernel, uint32_t last_line, uint32_t count,
                          Arena *arena, const char **names) {
  size_t length = strlen(kernel);
  uint32_t line = 1;
  bool is_found = false;
  const char **found = ARENA_ARRAY(arena, const char *, count + 1u);
  blank_asides(text);
  if (!length || !count) return false;
  for (const char *from = text, *at; (at = strstr(from, kernel)); from = at + length) {
    for (const char *c = from; c < at; c++) line += *c == '\n';
    if (line > last_line) break;
    const char *list = skip_space(at + length);
    if (*list != '(' || !is_whole_word(text, at, length) || !is_kernel(text, at)) continue;
    if (!read_list(list + 1, count, arena, found)) continue;
    memcpy(names, found, sizeof *names * count);  // of overloads, the last before its code
    is_found = true;
  }
  return is_found;
}

// "scale" of "layers::scale<float, 4>".
static const char *base_name(const Function *kernel, Arena *arena) {
  const char *title = function_title(kernel), *begin = title;
  size_t end = strcspn(title, "<(");
  for (size_t i = 0; i + 1 < end; i++)
    if (title[i] == ':' && title[i + 1] == ':') begin = title + i + 2;
  return arena_strndup(arena, begin, (size_t)(title + end - begin));
}

enum { MOST_FILES = 8, SOURCE_BYTES = 4 << 20 };

// A file that the kernel's code comes from, with its last line.
typedef struct CodeFile {
  const char *path;
  uint32_t last_line;
} CodeFile;

static uint32_t collect_files(const Program *program, const Function *kernel,
                              CodeFile files[MOST_FILES]) {
  uint32_t count = 0;
  for (uint32_t pc = kernel->entry; pc < kernel->entry + kernel->code_count; pc++) {
    const SourceLine *source = &program->sources[program->code[pc].source];
    uint32_t i = 0;
    if (!program->code[pc].source) continue;
    while (i < count && strcmp(files[i].path, source->file) != 0) i++;
    if (i == MOST_FILES) continue;
    if (i == count) files[count++] = (CodeFile){.path = source->file};
    if (source->line > files[i].last_line) files[i].last_line = source->line;
  }
  return count;
}

static bool look_up(ParameterNames *names, const Program *program, const Function *kernel,
                    const char **found) {
  CodeFile files[MOST_FILES];
  uint32_t count = collect_files(program, kernel, files);
  const char *name = base_name(kernel, &names->arena);
  bool is_found = false;
  for (uint32_t i = 0; i < count && !is_found; i++) {
    char *text;
    size_t length;
    Error err;
    if (file_read(files[i].path, SOURCE_BYTES, &text, &length, &err) != OK) continue;
    is_found = parameter_names_find(text, name, files[i].last_line, kernel->param_count,
                                    &names->arena, found);
    memory_free(text);
  }
  return is_found;
}

// ---- names

// As compilers write it: KERNEL_param_3.
static bool is_numbered(const Function *kernel, uint32_t index) {
  char number[32];
  size_t length = strlen(kernel->name);
  snprintf(number, sizeof number, "_param_%u", index);
  const char *name = kernel->params[index].name;
  return !name || (strncmp(name, kernel->name, length) == 0 && strcmp(name + length, number) == 0);
}

static void fill(ParameterNames *names, const Program *program, KernelParameters *made) {
  const Function *kernel = made->function;
  uint32_t count = kernel->param_count;
  made->names = ARENA_ARRAY(&names->arena, const char *, count + 1u);
  bool is_compiled = count && is_numbered(kernel, 0);
  bool is_found = is_compiled && look_up(names, program, kernel, made->names);
  for (uint32_t i = 0; i < count && !is_found; i++)
    made->names[i] = is_numbered(kernel, i) ? arena_printf(&names->arena, "param %u", i)
                                            : arena_strdup(&names->arena, kernel->params[i].name);
}

const char *parameter_name(ParameterNames *names, const Program *program, const Function *kernel,
                           uint32_t index) {
  for (uint32_t i = 0; i < names->count; i++)
    if (names->kernels[i].function == kernel) return names->kernels[i].names[index];
  GROW(names->kernels, names->count, names->capacity);
  KernelParameters *made = &names->kernels[names->count++];
  *made = (KernelParameters){.function = kernel};
  fill(names, program, made);
  return made->names[index];
}

void parameter_names_clear(ParameterNames *names) {
  memory_free(names->kernels);
  arena_clear(&names->arena);
  *names = (ParameterNames){0};
}
