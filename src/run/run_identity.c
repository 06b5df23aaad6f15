// SPDX-License-Identifier: MIT
// The identity of a run: a digest of everything that determines its result.
#include "run/run_identity.h"

#include <stdlib.h>

#include "run/run_json.h"

// As JSON, which tells an absent value, an empty list and an empty text apart.
uint64_t run_digest_add_values(uint64_t digest, const RunSpec *spec) {
  RunSpec counted = *spec;
  for (const RunRow *row = run_rows; row->name; row++)
    if (row->identity != RUN_BY_VALUE) run_spec_unset(&counted, row);
  json_t *json = run_spec_json(&counted);
  char *text = json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS);
  digest = digest_add_text(digest, text);
  free(text);
  json_decref(json);
  return digest;
}

uint64_t run_digest_add_config(uint64_t digest, GpuConfig *config) {
  ParamSection sections[GPU_SECTION_COUNT + 1];
  gpu_config_sections(config, sections);
  json_t *json = param_json(sections);
  char *text = json_dumps(json, JSON_COMPACT);
  digest = digest_add_text(digest, text);
  free(text);
  json_decref(json);
  return digest;
}
