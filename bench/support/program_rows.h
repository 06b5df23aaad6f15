// SPDX-License-Identifier: MIT
// bench/hardware/GPU-programs.tsv: launches of public CUDA programs, measured on a real GPU;
// and what was simulated of them so far, a CSV file that a later run continues.
#ifndef SUPPORT_PROGRAM_ROWS_H
#define SUPPORT_PROGRAM_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

typedef struct ProgramRow {
  // "fit", "fit2" and "fit3" (causes sought later), or "held": run once rules were fixed
  const char *half;
  const char *program;    // path of the executable in the suite's folder
  const char *arguments;  // as in a shell
  // "cold": empty before the launch; "warm": launches before it are timed; "part:N": cold, and the
  // program may launch a part of the grid on a part of the N SMs, whose time counts in proportion
  const char *caches;
  const char *kernel;     // its name, without namespaces, template and other arguments
  uint32_t launch;        // the program's how manieth, from 0
  const char *grid, *block;
  double time_us, dram_bytes;  // measured; dram_bytes 0: not measured
  bool is_done;
  double simulated_us, simulated_bytes, cpu_seconds;  // cpu_seconds: of all rows of the program
} ProgramRow;

typedef struct ProgramRows {
  ProgramRow *rows;
  uint32_t count, capacity;
  Arena arena;
} ProgramRows;

// Refuses a file that lacks a column, and a row that lacks a cell or has no time.
Status program_rows_read(ProgramRows *rows, const char *path, Error *err);
void program_rows_clear(ProgramRows *rows);

// Marks rows that the CSV file has, if its first line is `identity`; a missing file has none.
Status program_rows_resume(ProgramRows *rows, const char *csv_path, const char *identity,
                           Error *err);
// Writes the rows that are done, by way of a second file: an interruption loses nothing.
Status program_rows_write(const ProgramRows *rows, const char *csv_path, const char *identity,
                          Error *err);

// Takes the times of all rows of a program from its results, a file of `heddle run --json`. Rows
// whose launch has not been timed, or has another name, grid or block, stay as they are; *why
// then says what was found.
Status program_rows_take(ProgramRows *rows, const ProgramRow *program, const char *json_path,
                         const char **why, Error *err);

bool program_rows_are_of_one_run(const ProgramRow *a, const ProgramRow *b);

#endif
