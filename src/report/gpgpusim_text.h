// SPDX-License-Identifier: MIT
// A run in the words of GPGPU-Sim's output, for scripts that read that:
// `name = value` lines for each kernel. As there, cycles and instructions are
// the kernel's, names with `tot` and those of caches, network and DRAM count
// from the beginning of the run.
#ifndef REPORT_GPGPUSIM_TEXT_H
#define REPORT_GPGPUSIM_TEXT_H

#include <stdio.h>

#include "base/text/json_records.h"

// result: what run_result_json makes; kernels: its list of kernels, or NULL if
// the result has it.
Status gpgpusim_text(const json_t *result, JsonRecords *kernels, FILE *file, Error *err);

#endif
