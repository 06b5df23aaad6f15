// SPDX-License-Identifier: MIT
// Reads and writes tables of measured launches, and takes times from results.
#include "support/program_rows.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files/file.h"
#include "base/memory.h"
#include "support/tab_table.h"

enum { COLUMNS = 10, MAX_BYTES = 1 << 22 };

static const char *const columns[COLUMNS] = {"half",    "program",   "arguments", "caches",
                                             "kernel",  "launch",    "grid",      "block",
                                             "time_us", "dram_bytes"};

static Status add_row(void *to, char *const *cells, Error *err) {
  ProgramRows *rows = to;
  ProgramRow row = {.half = cells[0],
                    .program = cells[1],
                    .arguments = cells[2],
                    .caches = cells[3],
                    .kernel = cells[4],
                    .launch = (uint32_t)strtoul(cells[5], NULL, 10),
                    .grid = cells[6],
                    .block = cells[7],
                    .time_us = strtod(cells[8], NULL),
                    .dram_bytes = strtod(cells[9], NULL)};
  if (!(row.time_us > 0))
    return error_set(err, ERR_SYNTAX, "time_us is not positive");
  GROW(rows->rows, rows->count, rows->capacity);
  rows->rows[rows->count++] = row;
  return OK;
}

Status program_rows_read(ProgramRows *rows, const char *path, Error *err) {
  *rows = (ProgramRows){0};
  return tab_table_read(path, columns, COLUMNS, add_row, rows, &rows->arena, err);
}

void program_rows_clear(ProgramRows *rows) {
  memory_free(rows->rows);
  arena_clear(&rows->arena);
}

// ---- the CSV file

// What identifies a row there: its first six cells.
static const char *row_key(Arena *arena, const ProgramRow *row) {
  return arena_printf(arena, "%s,%s,%s,%u,%s,%s,", row->half, row->program, row->kernel,
                      row->launch, row->grid, row->block);
}

static void resume_line(ProgramRows *rows, const char *line) {
  for (uint32_t i = 0; i < rows->count; i++) {
    ProgramRow *row = &rows->rows[i];
    const char *key = row_key(&rows->arena, row);
    if (strncmp(line, key, strlen(key)) != 0) continue;
    row->is_done = sscanf(line + strlen(key), "%*f,%lf,%*f,%*f,%lf,%lf", &row->simulated_us,
                          &row->simulated_bytes, &row->cpu_seconds) == 3;
  }
}

Status program_rows_resume(ProgramRows *rows, const char *csv_path, const char *identity,
                           Error *err) {
  char *text, *rest;
  size_t length;
  FILE *there = fopen(csv_path, "r");
  if (!there) return OK;
  fclose(there);
  TRY(file_read(csv_path, MAX_BYTES, &text, &length, err));
  char *line = strtok_r(text, "\n", &rest);
  if (line && strcmp(line, identity) == 0)
    while ((line = strtok_r(NULL, "\n", &rest))) resume_line(rows, line);
  memory_free(text);
  return OK;
}

static void write_rows(const ProgramRows *rows, const char *identity, FILE *file) {
  Arena scratch = {0};
  fprintf(file, "%s\n", identity);
  fprintf(file,
          "half,program,kernel,launch,grid,block,hardware_us,simulated_us,off_percent,"
          "hardware_dram_bytes,simulated_dram_bytes,cpu_seconds\n");
  for (uint32_t i = 0; i < rows->count; i++) {
    const ProgramRow *row = &rows->rows[i];
    if (!row->is_done) continue;
    fprintf(file, "%s%.3f,%.3f,%.2f,%.0f,%.0f,%.1f\n", row_key(&scratch, row), row->time_us,
            row->simulated_us, (row->simulated_us / row->time_us - 1) * 100, row->dram_bytes,
            row->simulated_bytes, row->cpu_seconds);
  }
  arena_clear(&scratch);
}

Status program_rows_write(const ProgramRows *rows, const char *csv_path, const char *identity,
                          Error *err) {
  Arena scratch = {0};
  const char *part = arena_printf(&scratch, "%s.part", csv_path);
  FILE *file = fopen(part, "w");
  Status status = OK;
  if (file) write_rows(rows, identity, file);
  if (!file || fclose(file) != 0 || rename(part, csv_path) != 0)
    status = error_set(err, ERR_IO, "%s: %s", csv_path, strerror(errno));
  arena_clear(&scratch);
  return status;
}

// ---- results

static double number(const json_t *kernel, const char *name) {
  return json_number_value(json_object_get(kernel, name));
}

static const char *shape(Arena *arena, const json_t *kernel, const char *name) {
  const json_t *sizes = json_object_get(kernel, name);
  return arena_printf(arena, "%.0fx%.0fx%.0f", json_number_value(json_array_get(sizes, 0)),
                      json_number_value(json_array_get(sizes, 1)),
                      json_number_value(json_array_get(sizes, 2)));
}

static const json_t *find_launch(const json_t *run, uint32_t launch) {
  size_t i;
  const json_t *kernel;
  json_array_foreach(json_object_get(run, "kernels"), i,
                     kernel) if ((uint32_t)number(kernel, "launch") == launch) return kernel;
  return NULL;
}

static double ctas_of(const char *grid) {
  double x = 0, y = 0, z = 0;
  return sscanf(grid, "%lfx%lfx%lf", &x, &y, &z) == 3 ? x * y * z : 0;
}

// What a part of the launch stands for: all CTAs, on all SMs. 1 if it is no part, 0 if of another.
static double part_factor(const ProgramRow *row, const char *grid, double sms) {
  double all_sms, ctas = ctas_of(grid), all = ctas_of(row->grid);
  if (sscanf(row->caches, "part:%lf", &all_sms) != 1) return strcmp(grid, row->grid) == 0;
  return ctas > 0 && ctas <= all && all_sms > 0 ? all / ctas * sms / all_sms : 0;
}

// Returns NULL, or why the row has no time.
static const char *take_row(Arena *arena, ProgramRow *row, const json_t *run) {
  const json_t *kernel = find_launch(run, row->launch);
  if (!kernel) return arena_printf(arena, "no launch %u", row->launch);
  const char *name = json_string_value(json_object_get(kernel, "name"));
  const char *grid = shape(arena, kernel, "grid"), *block = shape(arena, kernel, "block");
  const json_t *gpu = json_object_get(json_object_get(run, "config"), "gpu");
  double factor = part_factor(row, grid, number(gpu, "sm_count"));
  if (!name || !strstr(name, row->kernel) || factor <= 0 || strcmp(block, row->block))
    return arena_printf(arena, "launch %u is %s, %s, %s", row->launch, name ? name : "unnamed",
                        grid, block);
  double mhz = number(gpu, "core_clock_mhz");
  if (!json_is_true(json_object_get(kernel, "complete")) || !(number(kernel, "cycles") > 0) ||
      !(mhz > 0))
    return arena_printf(arena, "launch %u did not end", row->launch);
  row->simulated_us = factor * number(kernel, "cycles") / mhz;
  row->simulated_bytes = number(kernel, "dram.bytes");
  row->is_done = true;
  return NULL;
}

bool program_rows_are_of_one_run(const ProgramRow *a, const ProgramRow *b) {
  return strcmp(a->program, b->program) == 0 && strcmp(a->arguments, b->arguments) == 0 &&
         strcmp(a->caches, b->caches) == 0;
}

Status program_rows_take(ProgramRows *rows, const ProgramRow *program, const char *json_path,
                         const char **why, Error *err) {
  json_error_t where;
  json_t *run = json_load_file(json_path, 0, &where);
  if (!run) return error_set(err, ERR_SYNTAX, "no results");
  *why = NULL;
  for (uint32_t i = 0; i < rows->count; i++) {
    ProgramRow *row = &rows->rows[i];
    if (row->is_done || !program_rows_are_of_one_run(row, program)) continue;
    const char *reason = take_row(&rows->arena, row, run);
    if (reason) *why = reason;
  }
  json_decref(run);
  return OK;
}
