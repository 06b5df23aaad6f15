// SPDX-License-Identifier: MIT
// Chooses the order of CTA numbers and writes it as source text.
#include "clustering/analysis/order.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/permutation.h"

static const char *axes_text(Program *program, const int axes[3]) {
  static const char *const names[] = {"heddle::cluster::AXIS_X", "heddle::cluster::AXIS_Y",
                                      "heddle::cluster::AXIS_Z"};
  if (axes[0] == 0 && axes[1] == 1) return "heddle::cluster::RowMajor";
  if (axes[0] == 1 && axes[1] == 0) return "heddle::cluster::ColumnMajor";
  return arena_printf(&program->arena, "heddle::cluster::Axes<%s, %s, %s>", names[axes[0]],
                      names[axes[1]], names[axes[2]]);
}

// ---- tables

static const char *table_source(Program *program, const char *name, const char *path,
                                const uint32_t *numbers, uint32_t count) {
  char *list = arena_alloc(&program->arena, (size_t)count * 12 + 1), *at = list;
  for (uint32_t i = 0; i < count; i++)
    at += sprintf(at, "%s%u", i == 0 ? "" : i % 16 ? ", " : ",\n        ", numbers[i]);
  return arena_printf(&program->arena,
                      "// The numbers of a grid's CTAs, row by row, from %s.\n"
                      "struct %s {\n"
                      "  static const unsigned *numbers() {\n"
                      "    static const unsigned table[] = {\n        %s};\n"
                      "    return table;\n"
                      "  }\n"
                      "  static unsigned count() { return %u; }\n"
                      "};\n\n",
                      path, name, list, count);
}

static Status use_table(Program *program, Kernel *kernel, Error *err) {
  const char *path = kernel->rewriting->table_path;
  uint32_t *numbers, count;
  TRY(permutation_read(path, &numbers, &count, err));
  const char *name = arena_printf(&program->arena, "%s_order", kernel->function->name);
  kernel->order = arena_printf(&program->arena, "heddle::cluster::Table<%s>", name);
  kernel->preamble = table_source(program, name, path, numbers, count);
  memory_free(numbers);
  return OK;
}

// ---- choosing

Status order_choose(Program *program, Kernel *kernel, const Direction *direction, Error *err) {
  const Rewriting *rewriting = kernel->rewriting;
  bool is_auto = rewriting->order == ORDER_AUTO;
  switch (is_auto ? direction->order : rewriting->order) {
    case ORDER_COLUMN: kernel->order = "heddle::cluster::ColumnMajor"; break;
    case ORDER_LONGER: kernel->order = "heddle::cluster::LongerSide"; break;
    case ORDER_TILE:
      kernel->order = arena_printf(&program->arena, "heddle::cluster::Tiles<%d, %d>",
                                   rewriting->tile_width, rewriting->tile_height);
      break;
    case ORDER_AXES:
      kernel->order = axes_text(program, is_auto ? direction->fastest_first : rewriting->axes);
      break;
    case ORDER_TABLE: return use_table(program, kernel, err);
    default: kernel->order = "heddle::cluster::RowMajor"; break;
  }
  return OK;
}
