// SPDX-License-Identifier: MIT
// Reads bench/hardware/GPU.tsv and takes the same counters from a simulated run.
#include "support/hardware_rows.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "support/tab_table.h"

enum { TEXT_COLUMNS = 5, COLUMNS = TEXT_COLUMNS + HARDWARE_COUNTER_COUNT };

const char *const hardware_counter_names[HARDWARE_COUNTER_COUNT] = {
#define X(counter) #counter,
    HARDWARE_COUNTERS(X)
#undef X
};

static const char *const columns[COLUMNS] = {"kernel", "suite", "workload", "launch", "options",
#define X(counter) #counter,
                                             HARDWARE_COUNTERS(X)
#undef X
};

static Status add_row(void *to, char *const *cells, Error *err) {
  HardwareRows *rows = to;
  (void)err;
  GROW(rows->rows, rows->count, rows->capacity);
  HardwareRow *row = &rows->rows[rows->count++];
  *row = (HardwareRow){.kernel = cells[0],
                       .suite = cells[1],
                       .workload = cells[2],
                       .launch = cells[3],
                       .options = cells[4]};
  double *counters = (double *)&row->counted;
  for (int i = 0; i < HARDWARE_COUNTER_COUNT; i++)
    counters[i] = strtod(cells[TEXT_COLUMNS + i], NULL);
  return OK;
}

Status hardware_rows_read(HardwareRows *rows, const char *path, Error *err) {
  *rows = (HardwareRows){0};
  return tab_table_read(path, columns, COLUMNS, add_row, rows, &rows->arena, err);
}

void hardware_rows_clear(HardwareRows *rows) {
  memory_free(rows->rows);
  arena_clear(&rows->arena);
}

static double number(const json_t *kernel, const char *name) {
  return json_number_value(json_object_get(kernel, name));
}

// Reads of the L2 are those that the L1 and the texture cache send: as on hardware,
// instructions and constants are not among them. An L1 read miss is a sector that
// the L1 asks for.
static void take_counters(HardwareCounters *counters, const json_t *kernel) {
  double asked = number(kernel, "l2_slice.read_lookups");
  double reads = number(kernel, "l1d.reads");
  *counters = (HardwareCounters){
      .cycles = number(kernel, "cycles"),
      .l1_read_hit_sectors = reads > asked ? reads - asked : 0,
      .l1_read_miss_sectors = asked,
      .l1_write_sectors = number(kernel, "l1d.writes"),
      .constant_requests = number(kernel, "l1c.accesses"),
      .shared_instructions = number(kernel, "lsu.shared_accesses"),
      .l2_read_sectors = asked + number(kernel, "l2_slice.texture_lookups"),
      .l2_read_miss_sectors =
          number(kernel, "l2_slice.read_misses") + number(kernel, "l2_slice.texture_misses"),
      .l2_write_sectors = number(kernel, "l2_slice.write_lookups"),
      .dram_read_sectors = number(kernel, "dram.reads"),
      .dram_write_sectors = number(kernel, "dram.writes"),
      // f64 is in two of the hardware's counters, of its own pipeline and of the shared one.
      .pipe_cycles = number(kernel, "sm.pipe_cycles") + number(kernel, "sm.fp64_cycles"),
  };
}

Status hardware_counters_read(HardwareCounters *counters, const char *json_path, Error *err) {
  json_error_t where;
  json_t *run = json_load_file(json_path, 0, &where);
  if (!run) return error_set(err, ERR_SYNTAX, "%s: %s", json_path, where.text);
  size_t i, timed = 0;
  const json_t *kernel;
  json_array_foreach(json_object_get(run, "kernels"), i, kernel) {
    if (number(kernel, "cycles") == 0) continue;  // ran functionally
    take_counters(counters, kernel);
    timed++;
  }
  json_decref(run);
  if (timed != 1)
    return error_set(err, ERR_SYNTAX, "%s: %zu timed launches, expected one", json_path, timed);
  return OK;
}
