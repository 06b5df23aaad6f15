// SPDX-License-Identifier: MIT
// The parts of the table for people.
#ifndef REPORT_RUN_TEXT_H
#define REPORT_RUN_TEXT_H

#include "report/run_result.h"

enum { SIZE_BYTES = 40 };
// "12x12" for {12, 12, 1}; returns out.
const char *size_text(const uint32_t size[3], char out[SIZE_BYTES]);

// Prints the timing results, kernel by kernel or, if there are many, one line each and the
// total.
void run_text_timing(const RunResult *result, FILE *file);

// The accesses of a kernel or of a run that lost most of its issue slots, of which
// there are so many with a resident warp. True: some have no line in a CUDA source.
bool run_text_accesses(const RunResult *result, const ResultTables *tables, double slots,
                       FILE *file);

// The tables that are short enough (ResultTableType.in_text): of one kernel; of
// several, those that have a row per kernel.
void run_text_tables(const ResultTables *tables, FILE *file);
void run_text_kernel_rows(const RunResult *result, uint32_t kernels, FILE *file);

// What the race check found, if there was one.
void run_text_races(const RunResult *result, FILE *file);

#endif
