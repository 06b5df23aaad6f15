// SPDX-License-Identifier: MIT
// The list of commands, and lookup by name.
#include <string.h>

#include "base/text/closest.h"
#include "cli/verb.h"

const Verb *const all_verbs[] = {
    &run_verb,      &record_verb,       &perform_verb, &compare_verb, &study_verb,
    &report_verb,   &figure_verb,       &query_verb,   &export_verb,  &merge_verb,
    &bundle_verb,   &trace_events_verb, &cc_verb,      &cluster_verb, &partition_verb,
    &classify_verb, &tune_verb,         &explain_verb, &diff_verb,    &list_verb,
    &config_verb,   &completion_verb,   &help_verb,    NULL};

const CliOption common_options[] = {
    {"--color", "auto|always|never",
     "bold and coloured text; auto, the default: on a terminal, unless NO_COLOR is set"},
    {0}};

const Verb *verb_find(const char *name, Error *err) {
  Closest closest = closest_start(name);
  for (const Verb *const *verb = all_verbs; *verb; verb++) {
    if (strcmp((*verb)->name, name) == 0) return *verb;
    closest_offer(&closest, (*verb)->name);
  }
  error_set(err, ERR_USAGE, "unknown command '%.80s'%s%s%s (`heddle help` lists them)", name,
            CLOSEST_HINT(closest));
  return NULL;
}
