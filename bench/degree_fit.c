// SPDX-License-Identifier: MIT
// Fits the slopes of the degree predictor to stored runs and evaluates them by
// leave-one-out cross-validation.
//
//   degree_fit [-s SPEC] [-l LINES] [-f FILE -m MACHINE] STORE.db...
//
// L1Ds of more than LINES lines are evaluated, but excluded from the fit; default 0: all are
// fitted. SPEC has the other coefficients, such as "sampled:margin=0.1"; default "sampled". The
// stores are those of `heddle study threads`. Same stores, same output. FILE
// (.svg, .pdf, .png or .csv) is a figure of the time of a CTA, predicted and
// measured, on the machine whose name contains MACHINE, such as "L1D 32 KB".
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text/text_table.h"
#include "study/figures/figure_file.h"
#include "support/degree_fit.h"

enum { SHOWN = 8 };

static DegreeModel coefficients;  // all but the slopes

// A program on a machine: its launches are contiguous.
typedef struct Group {
  const DegreeProfile *first;
  uint32_t count, most;
} Group;

static Group next_group(const DegreeProfiles *profiles, uint32_t at) {
  Group group = {.first = &profiles->items[at]};
  for (uint32_t i = at; i < profiles->count; i++) {
    const DegreeProfile *each = &profiles->items[i];
    if (strcmp(each->program, group.first->program) || strcmp(each->machine, group.first->machine))
      break;
    group.count++;
    if (each->most > group.most) group.most = each->most;
  }
  return group;
}

// Launches with fewer degrees stay at their last.
static const DegreeMeasured *measured_at(const DegreeProfile *profile, uint32_t degree) {
  return &profile->at[(degree < profile->most ? degree : profile->most) - 1];
}

typedef struct Judged {
  double reads[DEGREE_MAX], cycles[DEGREE_MAX];  // predicted over measured, by degree
  double time[DEGREE_MAX];                       // of a CTA, measured, summed over CTAs
  double ours, best, all;                        // cycles of all launches
  double by_reads, by_time;                      // ... if these were known, not predicted
  uint32_t best_degree;
  double mean_degree;  // chosen, weighted by cycles
} Judged;

static double ratio(double a, double b) {
  return b > 0 ? a / b : NAN;
}

static void judge_errors(const Group *group, const DegreeModel *model, Judged *judged) {
  for (uint32_t degree = 1; degree <= group->most; degree++) {
    double reads[2] = {0, 0}, cycles[2] = {0, 0};
    for (uint32_t i = 0; i < group->count; i++) {
      const DegreeProfile *each = &group->first[i];
      DegreeStep steps[DEGREE_MAX];
      if (!each->is_sampled || degree > each->most) continue;
      degree_predict(model, &each->sample, each->most, steps);
      const DegreeMeasured *measured = &each->at[degree - 1];
      reads[0] += steps[degree - 1].dram_reads * each->ctas;
      reads[1] += measured->dram_reads;
      cycles[0] += steps[degree - 1].cta_cycles * each->ctas;
      cycles[1] += measured->cta_cycles * each->ctas;
    }
    judged->reads[degree - 1] = ratio(reads[0], reads[1]);
    judged->cycles[degree - 1] = ratio(cycles[0], cycles[1]);
    judged->time[degree - 1] = cycles[1];
  }
}

static void judge_choice(const Group *group, const DegreeModel *model, Judged *judged) {
  judged->best = INFINITY;
  for (uint32_t degree = 1; degree <= group->most; degree++) {
    double cycles = 0;
    for (uint32_t i = 0; i < group->count; i++)
      cycles += measured_at(&group->first[i], degree)->cycles;
    if (cycles < judged->best) {
      judged->best = cycles;
      judged->best_degree = degree;
    }
    judged->all = cycles;
  }
  double weight = 0, sum = 0;
  for (uint32_t i = 0; i < group->count; i++) {
    const DegreeProfile *each = &group->first[i];
    DegreeStep steps[DEGREE_MAX];
    uint32_t degree =
        each->is_sampled ? degree_predict(model, &each->sample, each->most, steps) : each->most;
    judged->ours += each->at[degree - 1].cycles;
    judged->by_reads += each->at[degree_of_measured_reads(model, each) - 1].cycles;
    judged->by_time += each->at[degree_of_measured_time(each) - 1].cycles;
    weight += each->at[each->most - 1].cycles;
    sum += degree * each->at[each->most - 1].cycles;
  }
  judged->mean_degree = ratio(sum, weight);
}

// ---- printing

static void add_ratio(TextTable *table, double value) {
  if (isnan(value))
    text_table_add(table, "-");
  else
    text_table_add(table, "%.2f", value);
}

// Fitted to the other programs (NULL: to all): a program's own profile never
// helps to predict it.
static DegreeModel model_without(const DegreeProfiles *profiles, const char *program) {
  DegreeModel model = coefficients;
  degree_fit(profiles, program, &model);
  return model;
}

static void add_names(TextTable *table, const Group *group) {
  text_table_add(table, "%s", group->first->program);
  text_table_add(table, "%s", group->first->machine);
}

static void print_errors(const DegreeProfiles *profiles, const char *title, bool of_time) {
  static const char *const columns[] = {"program", "machine", ">1", ">2", ">3", ">4",
                                        ">5",      ">6",      ">7", ">8", NULL};
  TextTable table = {0};
  text_table_init(&table, columns);
  for (uint32_t at = 0; at < profiles->count;) {
    Group group = next_group(profiles, at);
    Judged judged = {0};
    DegreeModel model = model_without(profiles, group.first->program);
    judge_errors(&group, &model, &judged);
    add_names(&table, &group);
    for (uint32_t degree = 1; degree <= SHOWN; degree++)
      add_ratio(&table, degree > group.most ? NAN
                        : of_time           ? judged.cycles[degree - 1]
                                            : judged.reads[degree - 1]);
    at += group.count;
  }
  printf("\n%s\n", title);
  text_table_print(&table, stdout, 2);
  text_table_clear(&table);
}

static void add_loss(TextTable *table, double cycles, double best) {
  text_table_add(table, "%+.1f %%", (ratio(cycles, best) - 1) * 100);
}

static void print_choices(const DegreeProfiles *profiles) {
  static const char *const columns[] = {
      "program",      "machine",         ">chosen",      ">best",       ">speed-up",
      ">static best", ">time over best", ">reads known", ">time known", NULL};
  TextTable table = {0};
  text_table_init(&table, columns);
  for (uint32_t at = 0; at < profiles->count;) {
    Group group = next_group(profiles, at);
    Judged judged = {0};
    DegreeModel model = model_without(profiles, group.first->program);
    judge_choice(&group, &model, &judged);
    add_names(&table, &group);
    text_table_add(&table, "%.1f", judged.mean_degree);
    text_table_add(&table, "%u", judged.best_degree);
    text_table_add(&table, "%.3f", ratio(judged.all, judged.ours));
    text_table_add(&table, "%.3f", ratio(judged.all, judged.best));
    add_loss(&table, judged.ours, judged.best);
    add_loss(&table, judged.by_reads, judged.best);
    add_loss(&table, judged.by_time, judged.best);
    at += group.count;
  }
  printf(
      "\nchoice, from static runs: cycles of every launch at its chosen degree; time over best "
      "also of\nchoices from DRAM reads, and from the time of a CTA, as measured at each degree\n");
  text_table_print(&table, stdout, 2);
  text_table_clear(&table);
}

static void print_model(const DegreeProfiles *profiles) {
  DegreeModel model = coefficients;
  uint32_t count = degree_fit(profiles, NULL, &model);
  printf("fitted to %u of %u launches:\n  sampled:", count, profiles->count);
  for (int i = 0; i < DEGREE_SEGMENTS; i++)
    printf("%sslope_%d=%.3f", i ? "," : "", i + 1, model.slope[i]);
  printf("\n");
}

// ---- the figure: docs/report-data.md

static json_t *titled(const char *name) {
  return json_pack("{s:s, s:s, s:n, s:b}", "name", name, "title", name, "group", "mean", false);
}

// Time of a CTA by degree over that measured at degree 1: [degree][predicted, measured].
static json_t *growth_panel(const Group *group, const Judged *judged) {
  json_t *values = json_array(), *papers = json_array();
  for (uint32_t i = 0; i < group->most && i < SHOWN; i++) {
    double measured = ratio(judged->time[i], judged->time[0]);
    if (isnan(measured)) break;
    json_array_append_new(values, json_pack("[f, f]", measured * judged->cycles[i], measured));
    json_array_append_new(papers, json_pack("[n, n]"));
  }
  const char *program = group->first->program;
  return json_pack("{s:s, s:s, s:b, s:o, s:o, s:[]}", "name", program, "title", program, "mean",
                   false, "measured", values, "paper", papers, "means");
}

static json_t *growth_panels(const DegreeProfiles *profiles, const char *machine) {
  json_t *panels = json_array();
  for (uint32_t at = 0; at < profiles->count;) {
    Group group = next_group(profiles, at);
    at += group.count;
    if (!strstr(group.first->machine, machine)) continue;
    Judged judged = {0};
    DegreeModel model = model_without(profiles, group.first->program);
    judge_errors(&group, &model, &judged);
    json_array_append_new(panels, growth_panel(&group, &judged));
  }
  return panels;
}

static Status write_figure(const DegreeProfiles *profiles, const char *machine, const char *path,
                           Error *err) {
  json_t *panels = growth_panels(profiles, machine), *rows = json_array();
  if (!json_array_size(panels)) {
    json_decref(panels);
    json_decref(rows);
    return error_set(err, ERR_USAGE, "no machine of the stores has '%s' in its name", machine);
  }
  for (int degree = 1; degree <= SHOWN; degree++) {
    char name[8];
    snprintf(name, sizeof name, "%d", degree);
    json_t *row = titled(name);
    json_object_set_new(row, "value", json_integer(degree));
    json_array_append_new(rows, row);
  }
  json_t *figure = json_pack(
      "{s:s, s:s, s:n, s:s, s:s, s:s, s:s, s:n, s:n, s:s, s:s, s:s, s:[], s:{s:s, s:s}, s:o, "
      "s:[o, o], s:o, s:n}",
      "id", "predicted", "title", "Time of a CTA, predicted and measured", "note", "kind", "lines",
      "statistic", "sm.cta_time", "axis", "time over that of one CTA per SM", "as", "value",
      "baseline", "baseline_label", "row_dimension", "degree", "column_dimension", "time",
      "panel_dimension", "workload", "fixed", "x", "title", "CTAs per SM", "scale", "linear",
      "rows", rows, "columns", titled("predicted"), titled("measured"), "panels", panels, "source");
  FigureLook look = {.width_mm = 178, .theme = "light"};
  Status status = figure_write(figure, &look, path, err);
  json_decref(figure);
  return status;
}

static Status read_stores(DegreeProfiles *profiles, int count, char **paths, Error *err) {
  for (int i = 0; i < count; i++) {
    Store *store;
    TRY(store_open(&store, paths[i], STORE_READ, err));
    Status status = degree_profiles_read(profiles, store, err);
    store_close(store);
    TRY(status);
  }
  return degree_profiles_close(profiles, err);
}

static void print_all(const DegreeProfiles *profiles) {
  print_model(profiles);
  print_errors(profiles, "leave-one-out: DRAM reads per CTA, predicted over measured, by degree",
               false);
  print_errors(profiles, "leave-one-out: time of a CTA, predicted over measured, by degree", true);
  print_choices(profiles);
}

int main(int argc, char **argv) {
  const char *path = NULL, *machine = "", *spec = "sampled";
  DegreeProfiles profiles = {0};
  for (int option; (option = getopt(argc, argv, "s:l:f:m:")) != -1;) {
    if (option == 'l') profiles.fit_lines = strtoull(optarg, NULL, 10);
    if (option == 's') spec = optarg;
    if (option == 'f') path = optarg;
    if (option == 'm') machine = optarg;
    if (option == '?') return 2;
  }
  if (optind == argc) {
    fprintf(stderr, "usage: degree_fit [-s SPEC] [-l LINES] [-f FILE -m MACHINE] STORE.db...\n");
    return 2;
  }
  Error err;
  Status status = path ? figure_check_path(path, &err) : OK;
  if (status == OK) status = degree_model_read(&coefficients, spec, &err);
  if (status == OK) status = read_stores(&profiles, argc - optind, argv + optind, &err);
  if (status == OK) print_all(&profiles);
  if (status == OK && path) status = write_figure(&profiles, machine, path, &err);
  if (status != OK) fprintf(stderr, "degree_fit: %s\n", err.text);
  degree_profiles_clear(&profiles);
  return status == OK ? 0 : 2;
}
