// SPDX-License-Identifier: MIT
// Reads and resolves the run of this process from HEDDLE_RUN.
#include "device/process/device_run.h"

#include <stdlib.h>

#include "run/run_json.h"

void device_run_read(DeviceRun *run, const char *folder) {
  const char *path = getenv(RUN_FILE_VARIABLE);
  *run = (DeviceRun){0};
  if (!path || !*path) return;
  if (folder && *path != '/') path = arena_printf(&run->arena, "%s/%s", folder, path);
  if (run_spec_read(&run->spec, &run->config, &run->is_resolved, path, &run->arena, &run->error))
    error_prefix(&run->error, RUN_FILE_VARIABLE);
  else if (folder)
    run_spec_from_folder(&run->spec, folder, &run->arena);
}

Status device_run_resolve(const DeviceRun *run, RunMachine *machine, Error *err) {
  if (run->error.status != OK) return error_set(err, run->error.status, "%s", run->error.text);
  if (run->is_resolved) return run_resolve_with(machine, &run->spec, &run->config, err);
  return run_resolve(machine, &run->spec, err);
}
