// SPDX-License-Identifier: MIT
// The source of a kernel with what its lines cost in the margin: executions, active lanes,
// transactions per access against the ideal, hits, share of the issue slots, and a bar.
#include <stdlib.h>
#include <string.h>

#include "base/files/file.h"
#include "base/memory.h"
#include "explain/explain.h"

enum { AROUND = 2, MOST_SOURCE_BYTES = 1 << 24, BAR = 8 };

typedef struct Annotation {
  double executions, lanes, issue_share, lost_share;
} Annotation;

static double number_at(const json_t *row, const char *key) {
  return json_number_value(json_object_get(row, key));
}

// The file with most executions of the kernel.
static const char *main_file(const json_t *kernels, const char *name) {
  const json_t *kernel, *row;
  const char *best = NULL;
  double most = 0;
  size_t i, j;
  json_array_foreach(kernels, i, kernel) {
    const char *its = json_string_value(json_object_get(kernel, "readable_name"));
    if (!its || strcmp(its, name) != 0) continue;
    json_array_foreach(json_object_get(kernel, "lines"), j, row) {
      double weight = number_at(row, "executions");
      if (weight <= most) continue;
      most = weight;
      best = json_string_value(json_object_get(row, "file"));
    }
  }
  return best;
}

static void annotate(const json_t *kernels, const KernelFacts *kernel, const char *file,
                     Annotation *lines, size_t count) {
  const json_t *launch, *row;
  size_t i, j;
  json_array_foreach(kernels, i, launch) {
    const char *name = json_string_value(json_object_get(launch, "readable_name"));
    if (!name || strcmp(name, kernel->name) != 0) continue;
    json_array_foreach(json_object_get(launch, "lines"), j, row) {
      const char *its = json_string_value(json_object_get(row, "file"));
      size_t line = (size_t)number_at(row, "line");
      if (!its || strcmp(its, file) != 0 || !line || line > count) continue;
      lines[line].executions += number_at(row, "executions");
      lines[line].lanes += number_at(row, "lanes");
      lines[line].issue_share += number_at(row, "executions") / kernel->all_slots;
      lines[line].lost_share += number_at(row, "slots") / kernel->all_slots;
    }
  }
}

static const AccessFacts *access_at(const KernelFacts *kernel, const char *file, size_t line) {
  const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
  for (size_t i = 0; i < kernel->access_count; i++) {
    const char *where = kernel->accesses[i].where, *colon = strrchr(where, ':');
    if (!colon || (size_t)atol(colon + 1) != line) continue;
    if (strncmp(where, base, (size_t)(colon - where)) == 0) return &kernel->accesses[i];
  }
  return NULL;
}

static void print_line(const KernelFacts *kernel, const char *file, size_t number,
                       const Annotation *line, const char *text, int length, FILE *out) {
  static const char bars[BAR + 1] = "########";
  const AccessFacts *access = access_at(kernel, file, number);
  double heat = line->lost_share + line->issue_share;
  int width = (int)(heat * BAR + 0.5);
  if (width > BAR) width = BAR;
  if (line->executions <= 0) {
    fprintf(out, "%48s %5zu  %.*s\n", "", number, length, text);
    return;
  }
  fprintf(out, "%9.0f %5.1f %5.1f %% ", line->executions, line->lanes / line->executions,
          heat * 100);
  if (access && access->executions > 0)
    fprintf(out, "%4.1f/%-4.1f", access->transactions / access->executions,
            access->ideal / access->executions);
  else
    fprintf(out, "%9s", "");
  if (access && access->lookups > 0)
    fprintf(out, " %3.0f %%", 100 * access->hits / access->lookups);
  else
    fprintf(out, "%6s", "");
  fprintf(out, " %-8.*s %5zu  %.*s\n", width, bars, number, length, text);
}

// The source of a kernel; false if there is none. memory_free lines and text.
typedef struct Source {
  const char *file;
  char *text;
  Annotation *lines;  // by number, from 1
  size_t count;
} Source;

static bool read_source(const Explanation *explanation, uint32_t k, Source *source) {
  const KernelFacts *kernel = &explanation->facts.kernels[k];
  const json_t *kernels = json_object_get(explanation->facts.result, "kernels");
  size_t length = 0;
  Error why;
  *source = (Source){.file = main_file(kernels, kernel->name), .count = 1};
  if (!source->file ||
      file_read(source->file, MOST_SOURCE_BYTES, &source->text, &length, &why) != OK)
    return false;
  for (size_t i = 0; i < length; i++) source->count += source->text[i] == '\n';
  source->lines = memory_alloc(sizeof *source->lines * (source->count + 2));
  annotate(kernels, kernel, source->file, source->lines, source->count);
  return true;
}

static bool is_near_code(const Source *source, size_t number) {
  for (size_t n = number > AROUND ? number - AROUND : 1; n <= number + AROUND && n <= source->count;
       n++)
    if (source->lines[n].executions > 0) return true;
  return false;
}

static void print_lines(const KernelFacts *kernel, const Source *source, FILE *out) {
  const char *text = source->text;
  bool was_shown = true;
  for (size_t number = 1; number <= source->count; number++) {
    size_t length = strcspn(text, "\n");
    bool is_near = is_near_code(source, number);
    if (is_near)
      print_line(kernel, source->file, number, &source->lines[number], text, (int)length, out);
    if (!is_near && was_shown && number > 1) fprintf(out, "%48s   ...\n", "");
    was_shown = is_near;
    text += length + (text[length] == '\n');
  }
}

void explanation_print_source(const Explanation *explanation, uint32_t k, FILE *out) {
  Source source;
  if (!read_source(explanation, k, &source)) {
    fprintf(out, "\n  no source: compile with -lineinfo, and keep the file\n");
    return;
  }
  fprintf(out, "\n%s\n%9s %5s %7s %9s %5s %-8s %5s\n", source.file, "executed", "lanes", "slots",
          "per/ideal", "hits", "heat", "line");
  print_lines(&explanation->facts.kernels[k], &source, out);
  memory_free(source.lines);
  memory_free(source.text);
}

// ---- JSON

static json_t *number_or_null(double number, double of) {
  return of > 0 ? json_real(number / of) : json_null();
}

static json_t *line_json(const KernelFacts *kernel, const char *file, size_t number,
                         const Annotation *line, const char *text, size_t length) {
  static const AccessFacts none = {0};
  const AccessFacts *access = line->executions > 0 ? access_at(kernel, file, number) : NULL;
  if (!access) access = &none;
  json_t *source = json_stringn(text, length);
  return json_pack("[I, o, f, o, f, f, o, o, o]", (json_int_t)number,
                   source ? source : json_string("(not UTF-8)"), line->executions,
                   number_or_null(line->lanes, line->executions), line->issue_share,
                   line->lost_share, number_or_null(access->transactions, access->executions),
                   number_or_null(access->ideal, access->executions),
                   number_or_null(access->hits, access->lookups));
}

json_t *explanation_source_json(const Explanation *explanation, uint32_t k) {
  Source source;
  json_t *rows = json_array();
  if (!read_source(explanation, k, &source)) {
    json_decref(rows);
    return json_null();
  }
  const char *text = source.text;
  for (size_t number = 1; number <= source.count; number++) {
    size_t length = strcspn(text, "\n");
    if (is_near_code(&source, number))
      json_array_append_new(rows, line_json(&explanation->facts.kernels[k], source.file, number,
                                            &source.lines[number], text, length));
    text += length + (text[length] == '\n');
  }
  json_t *result = json_pack("{s:s, s:[s,s,s,s,s,s,s,s,s], s:o}", "file", source.file, "columns",
                             "line", "source", "executions", "lanes", "issued", "lost",
                             "transactions", "ideal", "hits", "rows", rows);
  memory_free(source.lines);
  memory_free(source.text);
  return result;
}
