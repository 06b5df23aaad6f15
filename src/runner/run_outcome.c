// SPDX-License-Identifier: MIT
#include "runner/run_outcome.h"

void run_outcome_clear(RunOutcome *outcome) {
  json_decref(outcome->result);
  json_records_close(outcome->launches);
  *outcome = (RunOutcome){0};
}

Status run_outcome_gather(RunOutcome *outcome, Error *err) {
  if (!outcome->result || !outcome->launches) return OK;
  json_t *kernels = json_array(), *kernel;
  Status status = json_records_check(outcome->launches, err);
  uint64_t end = json_records_end(outcome->launches);
  for (uint64_t id = 0; id < end && status == OK; id++) {
    status = json_records_get(outcome->launches, id, &kernel, err);
    if (kernel) json_array_append_new(kernels, kernel);
  }
  json_object_set_new(outcome->result, "kernels", kernels);
  json_records_close(outcome->launches);
  outcome->launches = NULL;
  return status;
}
