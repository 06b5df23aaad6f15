// SPDX-License-Identifier: MIT
// Random files of HEDDLE_RUN: a machine or a clear error; a run that is read is equal to itself
// when it is written and read again.
#include <stdlib.h>

#include "device/process/device_run.h"
#include "fuzz_file.h"
#include "run/run_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_round_trip(const RunSpec *spec) {
  Arena arena = {0};
  RunSpec again = {0};
  json_t *json = run_spec_json(spec);
  if (run_spec_from_json(&again, json, &arena, NULL) != OK || !run_spec_equal(spec, &again))
    abort();
  json_decref(json);
  arena_clear(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static DeviceRun run;
  static RunMachine machine;
  Error err = {0};
  setenv(RUN_FILE_VARIABLE, fuzz_file(data, size), 1);
  device_run_read(&run, NULL);
  if (run.error.status == OK) check_round_trip(&run.spec);
  if (device_run_resolve(&run, &machine, &err) != OK && !err.text[0]) abort();
  run_machine_clear(&machine);
  arena_clear(&run.arena);
  return 0;
}
