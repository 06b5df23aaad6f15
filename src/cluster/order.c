// SPDX-License-Identifier: MIT
#include "cluster/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"

enum { MAX_TABLE_BYTES = 64 << 20, MAX_TABLE_NUMBERS = 1 << 20 };

static const char *axes_text(Program *program, const int axes[3]) {
  static const char *const names[] = {"heddle::cluster::AXIS_X", "heddle::cluster::AXIS_Y",
                                      "heddle::cluster::AXIS_Z"};
  if (axes[0] == 0 && axes[1] == 1) return "heddle::cluster::RowMajor";
  if (axes[0] == 1 && axes[1] == 0) return "heddle::cluster::ColumnMajor";
  return arena_printf(&program->arena, "heddle::cluster::Axes<%s, %s, %s>", names[axes[0]],
                      names[axes[1]], names[axes[2]]);
}

// ---- tables

static Status bad_table(const char *path, Error *err, const char *text) {
  return error_set(err, ERR_CONFIG,
                   "%s: '%.20s': a table has the number of each CTA of the grid, row by row: 0 to "
                   "the count of CTAs less 1, each once",
                   path, text);
}

static Status read_numbers(const char *path, const char *text, unsigned **numbers, int *count,
                           Error *err) {
  int capacity = 0;
  for (const char *at = text; *(at += strspn(at, " \t\r\n,"));) {
    char *end;
    unsigned long number = strtoul(at, &end, 10);
    if (end == at || *at == '-' || number >= MAX_TABLE_NUMBERS || *count == MAX_TABLE_NUMBERS)
      return bad_table(path, err, at);
    GROW(*numbers, *count, capacity);
    (*numbers)[(*count)++] = (unsigned)number;
    at = end;
  }
  return *count ? OK : bad_table(path, err, "");
}

static Status check_permutation(const char *path, const unsigned *numbers, int count, Error *err) {
  bool *seen = memory_alloc((size_t)count);
  Status status = OK;
  for (int i = 0; i < count && status == OK; i++) {
    char text[16];
    snprintf(text, sizeof text, "%u", numbers[i]);
    if (numbers[i] >= (unsigned)count || seen[numbers[i]])
      status = bad_table(path, err, text);
    else
      seen[numbers[i]] = true;
  }
  memory_free(seen);
  return status;
}

static const char *table_source(Program *program, const char *name, const char *path,
                                const unsigned *numbers, int count) {
  char *list = arena_alloc(&program->arena, (size_t)count * 12 + 1), *at = list;
  for (int i = 0; i < count; i++)
    at += sprintf(at, "%s%u", i == 0 ? "" : i % 16 ? ", " : ",\n        ", numbers[i]);
  return arena_printf(&program->arena,
                      "// The numbers of a grid's CTAs, row by row, from %s.\n"
                      "struct %s {\n"
                      "  static const unsigned *numbers() {\n"
                      "    static const unsigned table[] = {\n        %s};\n"
                      "    return table;\n"
                      "  }\n"
                      "  static unsigned count() { return %d; }\n"
                      "};\n\n",
                      path, name, list, count);
}

static Status use_table(const ClusterRequest *request, Program *program, Kernel *kernel,
                        Error *err) {
  char *text;
  size_t length;
  unsigned *numbers = NULL;
  int count = 0;
  TRY(file_read(request->table_path, MAX_TABLE_BYTES, &text, &length, err));
  Status status = read_numbers(request->table_path, text, &numbers, &count, err);
  if (status == OK) status = check_permutation(request->table_path, numbers, count, err);
  if (status == OK) {
    const char *name = arena_printf(&program->arena, "%s_order", kernel->function->name);
    kernel->order = arena_printf(&program->arena, "heddle::cluster::Table<%s>", name);
    kernel->preamble = table_source(program, name, request->table_path, numbers, count);
  }
  memory_free(text);
  memory_free(numbers);
  return status;
}

// ---- choosing

Status order_choose(const ClusterRequest *request, Program *program, Kernel *kernel,
                    const Direction *direction, Error *err) {
  bool is_auto = request->order == ORDER_AUTO;
  switch (is_auto ? direction->order : request->order) {
    case ORDER_COLUMN: kernel->order = "heddle::cluster::ColumnMajor"; break;
    case ORDER_LONGER: kernel->order = "heddle::cluster::LongerSide"; break;
    case ORDER_TILE:
      kernel->order = arena_printf(&program->arena, "heddle::cluster::Tiles<%d, %d>",
                                   request->tile_width, request->tile_height);
      break;
    case ORDER_AXES:
      kernel->order = axes_text(program, is_auto ? direction->fastest_first : request->axes);
      break;
    case ORDER_TABLE: return use_table(request, program, kernel, err);
    default: kernel->order = "heddle::cluster::RowMajor"; break;
  }
  return OK;
}
