// SPDX-License-Identifier: MIT
// heddle run: the command line as a run (run/run_spec.h), which is then performed. The options are
// rows of run/run_rows.def.
#include "cli/arguments.h"
#include "cli/run_arguments.h"
#include "gpu/config/gpu_config.h"
#include "run/run_json.h"
#include "runner/runner.h"

static Status print(RunSpec *spec, Error *err) {
  spec->print_run = false;
  json_t *json = run_spec_json(spec);
  int failed = json_dumpf(json, stdout, JSON_INDENT(2));
  json_decref(json);
  return failed || putchar('\n') == EOF ? error_set(err, ERR_IO, "cannot write to standard output")
                                        : OK;
}

static Status run_run(const Arguments *arguments, Error *err) {
  RunSpec spec = {0};
  Arena arena = {0};
  Status status = run_arguments_read(arguments, &spec, &arena, err);
  if (status == OK) status = spec.print_run ? print(&spec, err) : run_perform(&spec, err);
  arena_clear(&arena);
  return status;
}

static const CliOption run_options[] = {
#include "cli/run_options.def"
    {0}};

const Verb run_verb = {
    .name = "run",
    .summary = "runs a workload, a CUDA program, the kernels of a case file, or a trace",
    .operands =
        "WORKLOAD [-- OPTIONS] | FILE.case | FILE.htrace | --trace FILE | -- PROGRAM ARGUMENTS",
    .details =
        "A workload is a program that ships with Heddle (`heddle list workloads`), built on first\n"
        "use. Its own options follow `--`: heddle run matrixMul -- --n 64\n"
        "\n"
        "A case file loads PTX, allocates and fills buffers, launches kernels and sums\n"
        "buffers, one command per line; tests/reference/README.md describes the format.\n"
        "\n"
        "Schemes with prior knowledge of a program's reuse (dp_kernel, dp_wg, dp_wavefront) run\n"
        "it twice: once to record the reuse, with its output discarded, then as requested.\n"
        "\n"
        "A trace of Accel-Sim has what a program's warps executed on a real GPU; it is timed on "
        "any\n"
        "GPU (docs/traces.md): heddle run --trace kernelslist.g --gpu a100\n"
        "\n"
        "A program is an executable built by nvcc or by `heddle cc`. It runs\n"
        "unmodified on the simulated GPU; see docs/cuda.md.\n",
    .options = run_options,
    .min_operands = 0,
    .max_operands = 1,
    .takes_program = true,
    .run = run_run};
