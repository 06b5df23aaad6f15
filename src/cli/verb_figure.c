// SPDX-License-Identifier: MIT
// heddle figure: draws one figure of a store for a paper.
#include <stdlib.h>
#include <string.h>

#include "base/text/text_table.h"
#include "cli/arguments.h"
#include "study/figures/figure_file.h"
#include "study/figures/figure_source.h"
#include "study/report/stat_meanings.h"

// ---- appearance

static Status read_width(const char *text, double *width_mm, Error *err) {
  enum { COLUMN_MM = 84, PAGE_MM = 178, LEAST_MM = 50, MOST_MM = 500 };
  char *end = "";
  *width_mm = strcmp(text, "column") == 0 ? COLUMN_MM : strcmp(text, "page") == 0 ? PAGE_MM : 0;
  if (*width_mm == 0) *width_mm = strtod(text, &end);
  if (!*end && *width_mm >= LEAST_MM && *width_mm <= MOST_MM) return OK;
  return error_set(err, ERR_USAGE,
                   "--width %.40s: expected column (%d mm), page (%d mm), or millimetres from %d "
                   "to %d",
                   text, COLUMN_MM, PAGE_MM, LEAST_MM, MOST_MM);
}

static Status check_word(const Arguments *arguments, const char *option, const char *const *words,
                         Error *err) {
  const char *value = arguments_value(arguments, option, words[0]);
  for (int i = 0; words[i]; i++)
    if (strcmp(words[i], value) == 0) return OK;
  return error_set(err, ERR_USAGE, "%s %.40s: expected %s, %s%s%s", option, value, words[0],
                   words[1], words[2] ? ", " : "", words[2] ? words[2] : "");
}

static Status read_look(const Arguments *arguments, FigureLook *look, Error *err) {
  static const char *const themes[] = {"light", "dark", NULL};
  static const char *const scales[] = {"auto", "linear", "log2", NULL};
  TRY(check_word(arguments, "--theme", themes, err));
  TRY(check_word(arguments, "--scale", scales, err));
  look->theme = arguments_value(arguments, "--theme", "light");
  return read_width(arguments_value(arguments, "--width", "column"), &look->width_mm, err);
}

// ---- options that are keys of a figure

static const struct {
  const char *option, *key;
} key_options[] = {{"--metric", "statistic"}, {"--x", "rows"},    {"--series", "columns"},
                   {"--panels", "panels"},    {"--as", "as"},     {"--baseline", "baseline"},
                   {"--mean", "mean"},        {"--axis", "axis"}, {"--title", "title"}};

static Status read_keys(const Arguments *arguments, FigureRequest *request, Arena *arena,
                        Error *err) {
  const char *value;
  for (size_t i = 0; i < sizeof key_options / sizeof *key_options; i++)
    if ((value = arguments_value(arguments, key_options[i].option, NULL)))
      request->keys[request->key_count++] = (FigureKey){key_options[i].key, value};
  for (int i = 0; (value = arguments_next(arguments, "--where", &i));) {
    const char *equals = strchr(value, '=');
    if (!equals || equals == value)
      return error_set(err, ERR_USAGE,
                       "--where %.80s: expected DIMENSION=VALUE, such as gpu=gtx480", value);
    if (request->key_count > MOST_FIGURE_KEYS / 2)
      return error_set(err, ERR_USAGE, "too many --where options");
    const char *dimension = arena_strndup(arena, value, (size_t)(equals - value));
    request->keys[request->key_count++] = (FigureKey){dimension, equals + 1};
  }
  return OK;
}

static Status read_request(const Arguments *arguments, FigureRequest *request, Arena *arena,
                           Error *err) {
  *request = (FigureRequest){.db = arguments->operands[0],
                             .figure = arguments->operand_count > 1 ? arguments->operands[1] : NULL,
                             .study = arguments_value(arguments, "--study", NULL),
                             .runs = arguments_has(arguments, "--runs"),
                             .scale = arguments_value(arguments, "--scale", "auto")};
  return read_keys(arguments, request, arena, err);
}

// ---- --list

static Status list_figures(FigureSource *source, Error *err) {
  TextTable table;
  json_t *figures, *figure;
  size_t i;
  TRY(figure_source_all(source, &figures, err));
  text_table_init(&table, (const char *const[]){"figure", "drawn as", "description", NULL});
  json_array_foreach(figures, i, figure) {
    text_table_add(&table, "%s", json_string_value(json_object_get(figure, "id")));
    text_table_add(&table, "%s", json_string_value(json_object_get(figure, "kind")));
    text_table_add(&table, "%s", json_string_value(json_object_get(figure, "title")));
  }
  text_table_print(&table, stdout, 0);
  text_table_clear(&table);
  json_decref(figures);
  printf("dimensions:");
  for (uint32_t d = 0; d < source->study.dimension_count; d++)
    printf("%s %s (%u)", d ? "," : "", source->study.dimensions[d].name,
           source->study.dimensions[d].count);
  putchar('\n');
  return OK;
}

static Status draw(FigureSource *source, FigureLook *look, const char *path, Error *err) {
  json_t *figure, *meanings = stat_meanings();
  Status status = figure_source_one(source, &figure, err);
  if (status == OK) {
    const char *statistic = json_string_value(json_object_get(figure, "statistic"));
    look->meaning =
        json_string_value(json_object_get(json_object_get(meanings, statistic), "meaning"));
    look->baseline = source->baseline;
    look->made = source->made;
    status = figure_write(figure, look, path, err);
    json_decref(figure);
  }
  json_decref(meanings);
  if (status == OK) printf("%s\n", path);
  return status;
}

static Status show(const FigureRequest *request, FigureLook *look, const char *path, Error *err) {
  FigureSource source;
  TRY(figure_source_open(&source, request, err));
  Status status = path ? draw(&source, look, path, err) : list_figures(&source, err);
  figure_source_close(&source);
  return status;
}

static Status run_figure(const Arguments *arguments, Error *err) {
  FigureRequest request;
  FigureLook look = {0};
  Arena arena = {0};
  const char *path = arguments_value(arguments, "-o", NULL);
  bool lists = arguments_has(arguments, "--list");
  TRY(read_look(arguments, &look, err));
  if (!path && !lists)
    return error_set(err, ERR_USAGE, "no output file given: -o FILE.svg, .pdf, .png or .csv");
  if (!lists) TRY(figure_check_path(path, err));
  Status status = read_request(arguments, &request, &arena, err);
  if (status == OK) status = show(&request, &look, lists ? NULL : path, err);
  arena_clear(&arena);
  return status;
}

static const CliOption figure_options[] = {
    {"-o", "FILE", "output file: .svg, .pdf, .png or .csv"},
    {"--list", NULL, "list the figures and dimensions of the study"},
    {"--study", "NAME", "comparison or study of the store; default the latest"},
    {"--runs", NULL, "use the single runs of the store, not a study"},
    {"--metric", "STATISTIC", "statistic (`heddle list stats`) or expression to draw"},
    {"--x", "DIMENSION", "workload, gpu, scheme, or a parameter such as l1d.size_kb"},
    {"--series", "DIMENSION",
     "one line or bar per value; default: a dimension with several values"},
    {"--panels", "DIMENSION", "one panel per value"},
    {"--where", "DIMENSION=VALUE",
     "restrict to this value; workload=mean for the mean; repeatable"},
    {"--as", "value|speedup|ratio", "plot the value, or relative to the baseline; default value"},
    {"--baseline", "NAME|DIMENSION=VALUE,...", "baseline of speedup and ratio"},
    {"--mean", "geometric|arithmetic|none", "mean over workloads; default geometric"},
    {"--axis", "TEXT", "label of the value axis, with unit"},
    {"--title", "TEXT", "title in the file's metadata (not drawn)"},
    {"--scale", "auto|linear|log2", "scale of a numeric x axis"},
    {"--width", "column|page|MM", "84 mm, 178 mm, or a width in mm; default column"},
    {"--theme", "light|dark", "colour theme; default light"},
    {0}};

const Verb figure_verb = {
    .name = "figure",
    .summary = "draws a figure from a store as SVG, PDF or PNG, or writes its data as CSV",
    .operands = "DB [FIGURE]",
    .details =
        "FIGURE is a figure of the study (--list), modified by options; without it, the "
        "options\ndescribe the figure. Requires node; PDF and PNG require rsvg-convert. Examples "
        "are in\ndocs/studies.md.\n  heddle figure compare.db speedup -o speedup.pdf\n  heddle "
        "figure compare.db --metric l1d.hit_rate --x l1d.size_kb --series scheme -o f.svg\n",
    .options = figure_options,
    .min_operands = 1,
    .max_operands = 2,
    .run = run_figure};
