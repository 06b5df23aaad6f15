// SPDX-License-Identifier: MIT
// Runs as JSON: an object with one member per field that is not at its default, by the names of
// run_rows.def. Written and read back, a run is equal to itself. A text that is not UTF-8, such as
// an argument of a program, is written as {"hex": "ff00"}.
//
// HEDDLE_RUN names the file of a run for a process whose CUDA libraries are Heddle's. Written by
// hand, it configures a program that is started without `heddle run`:
//
//   {"gpu": "v100", "scheme": "lrr", "set": ["gpu.sm_count=4"], "table": "-"}
#ifndef RUN_RUN_JSON_H
#define RUN_RUN_JSON_H

#include <jansson.h>

#include "gpu/config/gpu_config.h"
#include "run/run_spec.h"

#define RUN_FILE_VARIABLE "HEDDLE_RUN"

json_t *run_spec_json(const RunSpec *spec);
// Sets the fields that the object has. Unknown members and values of the wrong type are errors.
Status run_spec_from_json(RunSpec *spec, const json_t *json, Arena *arena, Error *err);

// The file of a run. config: the resolved configuration, a further member "config" from which
// another process makes the same machine; NULL: none. Reading sets *has_config; with a NULL config
// the member is an error, as any unknown one.
Status run_spec_write(const RunSpec *spec, GpuConfig *config, const char *path, Error *err);
Status run_spec_read(RunSpec *spec, GpuConfig *config, bool *has_config, const char *path,
                     Arena *arena, Error *err);

// Makes the paths of a run absolute, for a process that may change its working directory. Names of
// shipped GPUs, schemes and workloads are left as they are.
void run_spec_from_folder(RunSpec *spec, const char *folder, Arena *arena);

#endif
