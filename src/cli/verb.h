// SPDX-License-Identifier: MIT
// Commands (verbs) of heddle. One file per command; verbs.c lists them. Help,
// option parsing and suggestions all read the tables here.
#ifndef CLI_VERB_H
#define CLI_VERB_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

typedef struct CliOption {
  const char *name;      // "--gpu"
  const char *argument;  // "NAME"; NULL for a flag
  const char *help;
} CliOption;

typedef struct Verb Verb;

// A parsed command line (arguments.c).
typedef struct Arguments {
  const Verb *verb;
  const char **operands;  // words that are not options
  int operand_count;
  const struct GivenOption {
    const CliOption *option;
    const char *value;
  } * given;
  int given_count;
  char **program;  // the words after "--", NULL-terminated; or NULL
  bool wants_help;
} Arguments;

struct Verb {
  const char *name, *summary;
  const char *operands;      // "FILE.case", for the usage line
  const char *details;       // further lines of help, or NULL
  const CliOption *options;  // terminated by {0}
  bool takes_all_words;      // options are operands, too, except --help
  bool takes_program;        // "-- PROGRAM ARGUMENTS" may replace its operands
  int min_operands, max_operands;
  Status (*run)(const Arguments *arguments, Error *err);
};

extern const Verb run_verb, record_verb, perform_verb, compare_verb, study_verb, report_verb,
    figure_verb, query_verb, export_verb, merge_verb, bundle_verb, trace_events_verb, cc_verb,
    cluster_verb, partition_verb, classify_verb, tune_verb, explain_verb, diff_verb, list_verb,
    config_verb, completion_verb, help_verb;
extern const Verb *const all_verbs[];  // NULL-terminated
// Of every command that parses its options; terminated by {0}.
extern const CliOption common_options[];

// Returns NULL and an error with the closest name if unknown.
const Verb *verb_find(const char *name, Error *err);

void help_print_all(FILE *file);
void help_print_verb(const Verb *verb, FILE *file);
// The manual page, generated from the tables of verbs.
void man_page_print(FILE *file);

// Completions at a shell's cursor: verbs, options, GPUs, workloads, policies, parameters and their
// values. words: the arguments of `heddle` up to the cursor, NULL-terminated; the last one is
// incomplete and may be empty. Prints its completions, one per line. Those that end in '.', '=' or
// ':' can be completed further.
void completion_words(char *const *words, FILE *file);

#endif
