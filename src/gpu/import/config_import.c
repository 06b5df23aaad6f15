// SPDX-License-Identifier: MIT
// Option files: words, `#` comments, quoted values over several lines. All options are
// collected first, later ones override earlier ones; then the table (import_options.c)
// converts them.
#include "gpu/import/config_import.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/files/file.h"
#include "base/memory.h"
#include "gpu/import/import_options.h"

enum { FILE_LIMIT_BYTES = 1 << 20 };

static size_t row_count(void) {
  size_t count = 0;
  while (import_rows[count].option) count++;
  return count;
}

void config_import_init(ConfigImport *import, const ParamSection *sections) {
  *import = (ConfigImport){.sections = sections};
  import->values = memory_alloc(row_count() * sizeof *import->values);
}

void config_import_clear(ConfigImport *import) {
  memory_free(import->values);
  memory_free(import->notes);
  arena_clear(&import->arena);
  *import = (ConfigImport){0};
}

static void add_note(ConfigImport *import, ImportNote note) {
  GROW(import->notes, import->note_count, import->note_capacity);
  import->notes[import->note_count++] = note;
}

void import_note(ConfigImport *import, ImportNoteKind kind, const char *format, ...) {
  const ImportedValue *current = import->current;
  if (!current) return;
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  add_note(import, (ImportNote){kind, current->file, current->line, current->option, current->text,
                                arena_strdup(&import->arena, text)});
}

// The table.

static const ImportRow *find_row(const char *option) {
  for (const ImportRow *row = import_rows; row->option; row++)
    if (strcmp(row->option, option) == 0 || (row->also && strcmp(row->also, option) == 0))
      return row;
  return NULL;
}

static const ImportedValue *given_value(const ConfigImport *import, const ImportRow *row) {
  const ImportedValue *value = &import->values[row - import_rows];
  return value->text ? value : NULL;
}

const char *import_value(const ConfigImport *import, const char *option) {
  const ImportRow *row = find_row(option);
  const ImportedValue *value = given_value(import, row);
  return value ? value->text : row->initial;
}

bool import_is_given(const ConfigImport *import, const char *option) {
  return given_value(import, find_row(option)) != NULL;
}

void import_about(ConfigImport *import, const char *option) {
  import->current = given_value(import, find_row(option));
}

Status import_number(const char *text, uint32_t *number, Error *err) {
  bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  const char *digits = hexadecimal ? text + 2 : text;
  const char *allowed = hexadecimal ? "0123456789abcdefABCDEF" : "0123456789";
  size_t length = strspn(digits, allowed);
  if (length == 0 || digits[length])
    return error_set(err, ERR_SYNTAX, "'%.80s' is not an integer", text);
  unsigned long long value =
      length > 18 ? UINT64_MAX : strtoull(digits, NULL, hexadecimal ? 16 : 10);
  if (value > UINT32_MAX) return error_set(err, ERR_SYNTAX, "'%.80s' is too large", text);
  *number = (uint32_t)value;
  return OK;
}

Status import_number_of(const ConfigImport *import, const char *option, uint32_t *number,
                        Error *err) {
  Status status = import_number(import_value(import, option), number, err);
  if (status != OK) error_prefix(err, "-%s", option);
  return status;
}

size_t import_split(ConfigImport *import, const char *text, char separator, const char **parts,
                    size_t limit) {
  size_t count = 0;
  for (const char *at = text;; at++, count++) {
    const char *end = strchr(at, separator);
    size_t length = end ? (size_t)(end - at) : strlen(at);
    if (count < limit) parts[count] = arena_strndup(&import->arena, at, length);
    at += length;
    if (!*at) return count + 1;
  }
}

// Our parameters.

static const char *split_target(const char *target, char section[64]) {
  const char *dot = strchr(target, '.');
  assert(dot && dot - target < 64);
  snprintf(section, 64, "%.*s", (int)(dot - target), target);
  return dot + 1;
}

const Param *import_param(const ConfigImport *import, const char *target) {
  char name[64];
  const char *key = split_target(target, name);
  for (const ParamSection *section = import->sections; section->name; section++) {
    if (strcmp(section->name, name) != 0) continue;
    for (const Param *param = section->params; param->name; param++)
      if (strcmp(param->name, key) == 0) return param;
  }
  return NULL;
}

void *import_section(const ConfigImport *import, const char *name) {
  const ParamSection *section = import->sections;
  while (strcmp(section->name, name) != 0) section++;
  return section->values;
}

void import_set(ConfigImport *import, const char *target, const char *text) {
  char section[64];
  const char *key = split_target(target, section);
  Error err = {0};
  assert(import_param(import, target));
  if (param_set(import->sections, section, key, text, &err) != OK)
    import_lost(import, "%s: %.400s", target, err.text);
}

void import_set_number(ConfigImport *import, const char *target, uint32_t number) {
  const Param *param = import_param(import, target);
  char text[16];
  assert(param);
  uint32_t set = number;
  if (param->type != PARAM_BOOL && set > param->maximum) set = (uint32_t)param->maximum;
  if (param->type != PARAM_BOOL && set < param->minimum) set = (uint32_t)param->minimum;
  if (set != number) import_changed(import, "%s = %u; %u is out of range", target, set, number);
  snprintf(text, sizeof text, "%u", set);
  import_set(import, target, text);
}

// Files.

typedef struct Lexer {
  const char *name, *at, *end;
  uint32_t line;
  Arena *arena;
  char *word;
  uint32_t word_line;
} Lexer;

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

static void skip_blanks(Lexer *lexer) {
  for (; lexer->at < lexer->end; lexer->at++) {
    if (*lexer->at == '#')
      while (lexer->at + 1 < lexer->end && lexer->at[1] != '\n') lexer->at++;
    else if (!is_blank(*lexer->at))
      return;
    else if (*lexer->at == '\n')
      lexer->line++;
  }
}

// A value in quotes; blanks, line ends and comments inside are dropped.
static Status read_quoted(Lexer *lexer, Error *err) {
  const char *first = ++lexer->at;
  const char *close = memchr(first, '"', (size_t)(lexer->end - first));
  if (!close)
    return error_set(err, ERR_SYNTAX, "%s:%u: unterminated quote", lexer->name, lexer->line);
  char *out = lexer->word = arena_alloc(lexer->arena, (size_t)(close - first) + 1);
  Lexer inside = *lexer;
  inside.end = close;
  for (skip_blanks(&inside); inside.at < close; skip_blanks(&inside)) *out++ = *inside.at++;
  lexer->line = inside.line;
  lexer->at = close + 1;
  return OK;
}

// *lexer->word is NULL at the end.
static Status read_word(Lexer *lexer, Error *err) {
  skip_blanks(lexer);
  lexer->word = NULL;
  lexer->word_line = lexer->line;
  if (lexer->at == lexer->end) return OK;
  if (*lexer->at == '"') return read_quoted(lexer, err);
  const char *first = lexer->at;
  while (lexer->at < lexer->end && !is_blank(*lexer->at) && *lexer->at != '#') lexer->at++;
  lexer->word = arena_strndup(lexer->arena, first, (size_t)(lexer->at - first));
  return OK;
}

static bool is_option(const char *word) {
  return word[0] == '-' &&
         ((word[1] >= 'a' && word[1] <= 'z') || (word[1] >= 'A' && word[1] <= 'Z'));
}

static void take_option(ConfigImport *import, ImportedValue value) {
  const ImportRow *row = find_row(value.option + 1);
  if (!row)
    add_note(import, (ImportNote){IMPORT_UNKNOWN, value.file, value.line, value.option, value.text,
                                  "not an option of the supported GPGPU-Sim versions"});
  import->given += !row || !given_value(import, row);
  if (row) import->values[row - import_rows] = value;
}

Status config_import_text(ConfigImport *import, const char *name, const char *text, size_t length,
                          Error *err) {
  if (memchr(text, '\0', length)) return error_set(err, ERR_SYNTAX, "%s: not a text file", name);
  const char *file = arena_strdup(&import->arena, name);
  Lexer lexer = {
      .name = file, .at = text, .end = text + length, .line = 1, .arena = &import->arena};
  for (;;) {
    TRY(read_word(&lexer, err));
    const char *option = lexer.word;
    uint32_t line = lexer.word_line;
    if (!option) return OK;
    if (!is_option(option))
      return error_set(err, ERR_SYNTAX,
                       "%s:%u: expected an option such as -gpgpu_n_mem, not '%.80s'", file, line,
                       option);
    TRY(read_word(&lexer, err));
    if (!lexer.word || is_option(lexer.word))
      return error_set(err, ERR_SYNTAX, "%s:%u: %.80s has no value", file, line, option);
    take_option(import, (ImportedValue){lexer.word, option, file, line});
  }
}

Status config_import_read(ConfigImport *import, const char *path, Error *err) {
  char *text;
  size_t length;
  TRY(file_read(path, FILE_LIMIT_BYTES, &text, &length, err));
  Status status = config_import_text(import, path, text, length, err);
  memory_free(text);
  return status;
}

// Setting.

static Status convert_row(ConfigImport *import, const ImportRow *row, Error *err) {
  const ImportedValue *given = given_value(import, row);
  const char *value = given ? given->text : row->initial;
  import->current = given;
  if (!row->convert) import_note(import, IMPORT_UNUSED, "%s", row->text);
  if (!row->convert || !value) return OK;
  Status status = row->convert(import, row, value, err);
  if (status != OK && given)
    error_prefix(err, "%s:%u: -%s", given->file, given->line, row->option);
  else if (status != OK)
    error_prefix(err, "-%s", row->option);
  return status;
}

// By kind, then by position.
static int compare_notes(const void *a, const void *b) {
  const ImportNote *x = a, *y = b;
  if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
  int by_file = strcmp(x->file, y->file);
  if (by_file) return by_file;
  return x->line != y->line ? (x->line > y->line) - (x->line < y->line) : strcmp(x->text, y->text);
}

Status config_import_apply(ConfigImport *import, Error *err) {
  for (const ImportRow *row = import_rows; row->option; row++) TRY(convert_row(import, row, err));
  import_settle(import);
  import->current = NULL;
  if (import->note_count)
    qsort(import->notes, import->note_count, sizeof *import->notes, compare_notes);
  return OK;
}

// Printing.

// What came from a file may hold anything, but must neither end the line nor
// talk to the terminal.
static void print_clean(const char *text, size_t limit, FILE *file) {
  for (size_t i = 0; text[i] && i < limit; i++)
    fputc((unsigned char)text[i] < ' ' || text[i] == 127 ? '?' : text[i], file);
  if (strlen(text) > limit) fputs("...", file);
}

static const struct {
  const char *word, *heading;
} note_kinds[] = {
#define X(name, word, heading) [IMPORT_##name] = {word, heading},
    IMPORT_NOTE_LIST(X)
#undef X
};

static size_t count_notes(const ConfigImport *import, ImportNoteKind kind) {
  size_t count = 0;
  for (size_t i = 0; i < import->note_count; i++) count += import->notes[i].kind == kind;
  return count;
}

static void print_note(const ImportNote *note, const char *prefix, FILE *file) {
  fprintf(file, "%s  %s:%u: ", prefix, note->file, note->line);
  print_clean(note->option, 80, file);
  fputc(' ', file);
  print_clean(note->value, 200, file);
  fputs(": ", file);
  print_clean(note->text, 1024, file);
  fputc('\n', file);
}

void config_import_print_notes(const ConfigImport *import, uint32_t kinds, const char *prefix,
                               FILE *file) {
  for (ImportNoteKind kind = 0; kind < IMPORT_NOTE_KINDS; kind++) {
    if (!(kinds >> kind & 1) || !count_notes(import, kind)) continue;
    fprintf(file, "%s%s:\n", prefix, note_kinds[kind].heading);
    for (size_t i = 0; i < import->note_count; i++)
      if (import->notes[i].kind == kind) print_note(&import->notes[i], prefix, file);
  }
}

void config_import_print_summary(const ConfigImport *import, FILE *file) {
  fprintf(file, "%u option%s", import->given, import->given == 1 ? "" : "s");
  for (ImportNoteKind kind = 0; kind < IMPORT_NOTE_KINDS; kind++)
    if (count_notes(import, kind))
      fprintf(file, ", %zu %s", count_notes(import, kind), note_kinds[kind].word);
}

void config_import_print(const ConfigImport *import, FILE *file) {
  fputs("# From option files of GPGPU-Sim: ", file);
  config_import_print_summary(import, file);
  fputs(".\n", file);
  config_import_print_notes(import, UINT32_MAX, "# ", file);
  fputc('\n', file);
  param_print(import->sections, file);
}
