// SPDX-License-Identifier: MIT
// A run in the words of GPGPU-Sim's output, for scripts that read that:
// `name = value` lines for each kernel. As there, cycles and instructions are
// the kernel's, names with `tot` and those of caches, network and DRAM count
// from the beginning of the run.
#ifndef REPORT_GPGPUSIM_TEXT_H
#define REPORT_GPGPUSIM_TEXT_H

#include <jansson.h>
#include <stdio.h>

// result: what run_result_json makes.
void gpgpusim_text(const json_t *result, FILE *file);

#endif
