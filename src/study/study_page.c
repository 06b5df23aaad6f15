// SPDX-License-Identifier: MIT
// A page is short and its tables are long: a line has one row of a figure, with the columns that
// the paper states or, of a mean, all of them. Where the paper states some means of a figure, the
// others, and the rows, are left out, and where it states none, means of groups. The first figure
// with numbers of the paper is drawn, its means if it states such. Figures without such a row are
// only named.
#include "study/study_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/files/file.h"
#include "base/files/replaced_file.h"
#include "base/memory.h"
#include "study/figures/figure.h"
#include "study/figures/figure_file.h"
#include "study/results.h"

enum { MOST_PAGE_BYTES = 16 << 20, PICTURE_MM = 178, MOST_NAMES = 8 };

static const char *text_of(const json_t *object, const char *key) {
  return json_string_value(json_object_get(object, key));
}

// ---- figures

typedef struct Line {
  const char *label;
  const json_t *measured, *interval, *paper;  // by column; interval: NULL without seeds
  bool is_mean, is_of_group;
} Line;

static void print_number(FILE *file, double number) {
  fprintf(file, fabs(number) >= 100 ? "%.0f" : "%.3f", number);
}

static bool has_number(const json_t *list) {
  const json_t *item;
  size_t i;
  json_array_foreach(list, i, item) {
    if (json_is_number(item) || has_number(item)) return true;
  }
  return false;
}

static bool has_paper_mean(const json_t *figure) {
  const json_t *panel, *mean;
  size_t p, i;
  json_array_foreach(json_object_get(figure, "panels"), p, panel) {
    json_array_foreach(json_object_get(panel, "means"), i, mean) {
      if (has_number(json_object_get(mean, "paper"))) return true;
    }
  }
  return false;
}

static bool has_paper(const json_t *figure) {
  const json_t *panel;
  size_t p;
  json_array_foreach(json_object_get(figure, "panels"), p, panel) {
    if (has_number(json_object_get(panel, "paper"))) return true;
  }
  return has_paper_mean(figure);
}

static bool is_shown(const json_t *figure, const json_t *column, const Line *line, size_t i) {
  const char *baseline = text_of(figure, "baseline");
  if (json_is_number(json_array_get(line->paper, i))) return true;
  if (!line->is_mean || !(has_paper_mean(figure) ? has_number(line->paper) : !line->is_of_group))
    return false;
  return json_is_number(json_array_get(line->measured, i)) &&
         !(baseline && strcmp(baseline, text_of(column, "name")) == 0);
}

// "1.059", "1.059 ± 0.002" or "-"
static void print_measured(const Line *line, size_t i, FILE *file) {
  const json_t *measured = json_array_get(line->measured, i);
  const json_t *interval = json_array_get(line->interval, i);
  if (!json_is_number(measured)) {
    fputs("-", file);
    return;
  }
  print_number(file, json_number_value(measured));
  if (!json_is_number(interval)) return;
  fputs(" ± ", file);
  print_number(file, json_number_value(interval));
}

// "db 1.059 (1.04), ..." into the last cell; nothing if no column is shown. Returns how many are.
static int print_columns(const json_t *figure, const Line *line, FILE *file) {
  const json_t *column;
  size_t i;
  int count = 0;
  json_array_foreach(json_object_get(figure, "columns"), i, column) {
    if (!is_shown(figure, column, line, i)) continue;
    const json_t *paper = json_array_get(line->paper, i);
    if (file) {
      fprintf(file, "%s%s ", count ? ", " : "", text_of(column, "name"));
      print_measured(line, i, file);
      if (json_is_number(paper)) fprintf(file, " (%g)", json_number_value(paper));
    }
    count++;
  }
  return count;
}

// The head of the table says what a group alone stands for.
static const char *short_label(const Line *line) {
  static const char usual[] = "geometric mean, ";
  size_t length = strlen(usual);
  return strncmp(line->label, usual, length) == 0 ? line->label + length : line->label;
}

// head: of the figure's first line; "" below it.
static const char *print_line(const json_t *figure, const json_t *panel, const Line *line,
                              const char *head, FILE *file) {
  const char *title = text_of(panel, "title");
  if (!print_columns(figure, line, NULL)) return head;
  fprintf(file, "| %s | %s%s%s | ", head, title ? title : "", title ? ": " : "", short_label(line));
  print_columns(figure, line, file);
  fputs(" |\n", file);
  return "";
}

// False: none of its rows is for a page.
static bool print_figure(const json_t *figure, const char *head, FILE *file) {
  const json_t *panel, *item;
  size_t p, i;
  const char *first = head;
  json_array_foreach(json_object_get(figure, "panels"), p, panel) {
    json_array_foreach(json_object_get(panel, "means"), i, item) {
      Line line = {text_of(item, "label"),
                   json_object_get(item, "measured"),
                   json_object_get(item, "interval"),
                   json_object_get(item, "paper"),
                   true,
                   text_of(item, "group") != NULL};
      first = print_line(figure, panel, &line, first, file);
    }
    if (has_paper_mean(figure)) continue;
    json_array_foreach(json_object_get(figure, "rows"), i, item) {
      Line line = {text_of(item, "name"),
                   json_array_get(json_object_get(panel, "measured"), i),
                   json_array_get(json_object_get(panel, "interval"), i),
                   json_array_get(json_object_get(panel, "paper"), i),
                   false,
                   false};
      first = print_line(figure, panel, &line, first, file);
    }
  }
  return first != head;
}

// ---- what was run

int study_page_model(const char *version) {
  static const char words[] = "timing model ";
  const char *found = version ? strstr(version, words) : NULL;
  return found ? atoi(found + sizeof words - 1) : 0;
}

typedef struct Runs {
  int64_t wanted, complete;
  const char *first, *last, *version;  // days; of the run with the oldest model
  int model;
} Runs;

static void read_run(Runs *runs, const json_t *row, Arena *arena) {
  const char *version = json_string_value(json_array_get(row, 0));
  const char *ended = json_string_value(json_array_get(row, 1));
  runs->wanted++;
  if (!version || !ended) return;
  const char *day = arena_strndup(arena, ended, strcspn(ended, "T"));
  int model = study_page_model(version);
  if (!runs->complete++ || model < runs->model) {
    runs->model = model;
    runs->version = arena_strndup(arena, version, strcspn(version, "+,"));  // no commit
  }
  if (!runs->first || strcmp(day, runs->first) < 0) runs->first = day;
  if (!runs->last || strcmp(day, runs->last) > 0) runs->last = day;
}

static Status read_runs(Store *store, const char *name, Runs *runs, Arena *arena, Error *err) {
  json_t *table, *row;
  size_t i;
  TRY(store_select(store, &table, err,
                   "select r.version, r.ended from study_runs as s left join runs as r on r.job = "
                   "s.job and r.state = 'complete' where s.study = (select id from studies where "
                   "name = ?)",
                   "t", name));
  json_array_foreach(json_object_get(table, "rows"), i, row) read_run(runs, row, arena);
  json_decref(table);
  if (runs->complete && runs->complete == runs->wanted) return OK;
  return error_set(err, ERR_USAGE,
                   "the store has %lld of the %lld runs of the study %.80s; run `heddle study "
                   "%.80s` first",
                   (long long)runs->complete, (long long)runs->wanted, name, name);
}

static void print_items(const StudyDimension *dimension, FILE *file) {
  for (uint32_t i = 0; i < dimension->count; i++) {
    const StudyItem *item = &dimension->items[i];
    const char *more = item->arguments ? item->arguments : item->set;
    fprintf(file, "%s%s", i ? ", " : "", item->name);
    if (more) fprintf(file, " (`%s`)", more);
  }
}

static void print_head(const Study *study, const Runs *runs, FILE *file) {
  bool is_one_day = strcmp(runs->first, runs->last) == 0;
  fprintf(file, "Timing model %d, heddle %s, %lld runs, %s%s%s.", runs->model, runs->version,
          (long long)runs->complete, runs->first, is_one_day ? "" : " to ",
          is_one_day ? "" : runs->last);
  int seeds = study_seeds(study);
  if (seeds != NO_DIMENSION && study->dimensions[seeds].count > 1)
    fprintf(file, " Means of %u seeds ± 95 %% confidence.", study->dimensions[seeds].count);
  fputs(" GPU: ", file);
  print_items(&study->dimensions[BY_GPU], file);
  fputs(". Inputs: ", file);
  if (study->run.size) fprintf(file, "size `%s`; ", study->run.size);
  if (study->dimensions[BY_WORKLOAD].count > MOST_NAMES)
    fprintf(file, "%u programs with the arguments of the study",
            study->dimensions[BY_WORKLOAD].count);
  else
    print_items(&study->dimensions[BY_WORKLOAD], file);
  fputs(".\n\n| figure | row (groups: geometric mean) | here (paper) |\n|---|---|---|\n", file);
}

// ---- files

typedef struct Page {
  const char *name, *path;
  Study study;
  Runs runs;
  json_t *figures;
  Arena arena;
} Page;

static bool is_printed(const Page *page) {
  return strcmp(page->path, "-") == 0;
}

static const char *csv_name(Page *page, const json_t *figure) {
  return arena_printf(&page->arena, "csv/%s_%s.csv", page->name, text_of(figure, "id"));
}

static const char *picture_name(Page *page, const json_t *figure) {
  return arena_printf(&page->arena, "pictures/%s_%s.svg", page->name, text_of(figure, "id"));
}

static const char *linked(Page *page, const json_t *figure, const char *words) {
  if (is_printed(page)) return words;
  return arena_printf(&page->arena, "[%s](%s)", words, csv_name(page, figure));
}

// NULL: none.
static const json_t *drawn_figure(const Page *page) {
  const json_t *figure;
  size_t i;
  json_array_foreach(page->figures, i, figure) {
    if (has_paper(figure)) return figure;
  }
  return NULL;
}

static void print_part(Page *page, FILE *file) {
  const json_t *figure;
  size_t i;
  const char *others = "";
  print_head(&page->study, &page->runs, file);
  json_array_foreach(page->figures, i, figure) {
    if (print_figure(figure, linked(page, figure, text_of(figure, "title")), file)) continue;
    others = arena_printf(&page->arena, "%s%s%s", others, *others ? ", " : "",
                          linked(page, figure, text_of(figure, "id")));
  }
  if (*others) fprintf(file, "\nBy row alone: %s.\n", others);
  figure = drawn_figure(page);
  if (figure && !is_printed(page))
    fprintf(file, "\n![%s](%s)\n", text_of(figure, "title"), picture_name(page, figure));
}

// Means alone if the paper states some: a page has no room for bars of every program.
static Status draw(Page *page, const json_t *figure, const FigureLook *look, Error *err) {
  json_t *drawn = json_deep_copy(figure), *panel;
  size_t p;
  if (has_paper_mean(figure)) {
    json_array_clear(json_object_get(drawn, "rows"));
    json_array_foreach(json_object_get(drawn, "panels"), p, panel) {
      json_array_clear(json_object_get(panel, "measured"));
      json_array_clear(json_object_get(panel, "paper"));
    }
  }
  Status status = figure_write(
      drawn, look, path_beside(&page->arena, page->path, picture_name(page, figure)), err);
  json_decref(drawn);
  return status;
}

static Status write_figures(Page *page, Error *err) {
  const json_t *figure;
  size_t i;
  const FigureLook look = {.width_mm = PICTURE_MM, .theme = "light"};
  mkdir(path_beside(&page->arena, page->path, "csv"), 0777);  // may exist; else writing fails
  mkdir(path_beside(&page->arena, page->path, "pictures"), 0777);
  json_array_foreach(page->figures, i, figure) TRY(figure_write(
      figure, &look, path_beside(&page->arena, page->path, csv_name(page, figure)), err));
  figure = drawn_figure(page);
  return figure ? draw(page, figure, &look, err) : OK;
}

// The line of a marker; *after is what follows it.
static Status find_marker(Page *page, const char *text, const char *kind, const char **after,
                          Error *err) {
  const char *marker =
      arena_printf(&page->arena, "<!-- %s: heddle study %s -->\n", kind, page->name);
  const char *found = strstr(text, marker);
  if (!found)
    return error_set(err, ERR_USAGE, "%.200s: no line '<!-- %s: heddle study %.80s -->'",
                     page->path, kind, page->name);
  *after = found + strlen(marker);
  return OK;
}

static Status write_between(Page *page, const char *text, Error *err) {
  const char *begin, *end;
  ReplacedFile out;
  TRY(find_marker(page, text, "begin", &begin, err));
  TRY(find_marker(page, begin, "end", &end, err));
  TRY(write_figures(page, err));
  TRY(replaced_file_begin(&out, page->path, err));
  fwrite(text, 1, (size_t)(begin - text), out.file);
  print_part(page, out.file);
  fprintf(out.file, "<!-- end: heddle study %s -->\n%s", page->name, end);
  return replaced_file_end(&out, OK, err);
}

static Status write_page(Page *page, Error *err) {
  char *text;
  size_t length;
  if (is_printed(page)) {
    print_part(page, stdout);
    return OK;
  }
  TRY(file_read(page->path, MOST_PAGE_BYTES, &text, &length, err));
  Status status = write_between(page, text, err);
  memory_free(text);
  return status;
}

// The study as it was run: the store has its file.
static Status open_page(Page *page, Store *store, Error *err) {
  json_t *row;
  TRY(study_stored(store, page->name, &row, err));
  const char *text = json_string_value(json_array_get(row, 1));
  Status status = text ? study_read(&page->study, page->name, text, err)
                       : error_set(err, ERR_SYNTAX, "corrupt store: its study has no definition");
  json_decref(row);
  if (status != OK) return status;
  status = read_runs(store, page->name, &page->runs, &page->arena, err);
  if (status == OK) status = figures_measure(store, &page->study, &page->figures, err);
  if (status != OK) study_clear(&page->study);
  return status;
}

Status study_page_write(Store *store, const char *name, const char *path, Error *err) {
  Page page = {.name = name, .path = path};
  Status status = open_page(&page, store, err);
  if (status == OK) {
    status = write_page(&page, err);
    json_decref(page.figures);
    study_clear(&page.study);
  }
  arena_clear(&page.arena);
  return status;
}
