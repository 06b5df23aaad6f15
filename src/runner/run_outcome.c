// SPDX-License-Identifier: MIT
// Outcome of a run of a case file or a program, to be written or stored.
#include "runner/run_outcome.h"

#include <string.h>

#include "base/text/json_text.h"
#include "report/run_result.h"

void run_outcome_clear(RunOutcome *outcome) {
  json_decref(outcome->result);
  json_records_close(outcome->launches);
  *outcome = (RunOutcome){0};
}

// `complete` says whether all launches are there, `state` also what became of the program.
void run_outcome_conclude(RunOutcome *outcome, Status status, const char *failure) {
  json_t *result = outcome->result;
  const char *state = json_string_value(json_object_get(result, "state"));
  if (status == OK || !state) return;
  if (strcmp(state, "complete") != 0 && status != ERR_INCOMPLETE) return;
  json_object_set_new(result, "state", json_string(run_state(status)));
  json_object_set_new(result, "error", json_text(failure));
  if (status == ERR_INCOMPLETE) json_object_set_new(result, "complete", json_false());
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
