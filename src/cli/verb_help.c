// SPDX-License-Identifier: MIT
// heddle help [VERB]: generated from the tables of verbs.
#define _GNU_SOURCE  // realpath
#include <limits.h>
#include <stdlib.h>

#include "base/files/own_folder.h"
#include "base/text/text_table.h"
#include "base/version.h"
#include "cli/arguments.h"

// docs/ is in share/doc/heddle after installation, else in the source next to the
// build tree.
static bool find_documents(char folder[PATH_MAX]) {
  static const char *const places[] = {"../share/doc/heddle/docs", "../docs"};
  char own[OWN_FOLDER_BYTES], path[PATH_MAX];
  if (own_folder(own, NULL) != OK) return false;
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    snprintf(path, sizeof path, "%s/%s", own, places[i]);
    if (realpath(path, folder)) return true;
  }
  return false;
}

void help_print_all(FILE *file) {
  TextTable table;
  fprintf(file, "heddle %s, a GPU simulator\n\nusage: heddle COMMAND [OPTION...] [OPERAND...]\n\n",
          version_text());
  text_table_init(&table, (const char *const[]){"", "", NULL});
  for (const Verb *const *verb = all_verbs; *verb; verb++) {
    text_table_add(&table, "%s", (*verb)->name);
    text_table_add(&table, "%s", (*verb)->summary);
  }
  text_table_add(&table, "--version");
  text_table_add(&table, "print the version");
  text_table_print(&table, file, 2);
  text_table_clear(&table);
  fputs(
      "\n`heddle help COMMAND` describes a command and its options.\n"
      "Exit codes: 0 success, 1 the simulated program failed, was stopped, or left incomplete "
      "results,\n2 invalid input or command line, 3 internal error (a bug in Heddle).\n",
      file);
  char folder[PATH_MAX];
  if (find_documents(folder)) fprintf(file, "Documents (docs/NAME.md) are in %s.\n", folder);
}

static void add_options(TextTable *table, const CliOption *options) {
  for (const CliOption *option = options; option->name; option++) {
    text_table_add(table, "%s%s%s", option->name, option->argument ? " " : "",
                   option->argument ? option->argument : "");
    text_table_add(table, "%s", option->help);
  }
}

void help_print_verb(const Verb *verb, FILE *file) {
  TextTable table;
  fprintf(file, "heddle %s: %s\n\nusage: heddle %s %s%s\n", verb->name, verb->summary, verb->name,
          verb->options[0].name || !verb->takes_all_words ? "[OPTION...] " : "", verb->operands);
  if (verb->options[0].name || !verb->takes_all_words) fputc('\n', file);
  text_table_init(&table, (const char *const[]){"", "", NULL});
  add_options(&table, verb->options);
  if (!verb->takes_all_words) add_options(&table, common_options);
  text_table_print(&table, file, 2);
  text_table_clear(&table);
  if (verb->details) fprintf(file, "\n%s", verb->details);
}

static Status run_help(const Arguments *arguments, Error *err) {
  if (arguments_has(arguments, "--man")) {
    man_page_print(stdout);
    return OK;
  }
  if (!arguments->operand_count) {
    help_print_all(stdout);
    return OK;
  }
  const Verb *verb = verb_find(arguments->operands[0], err);
  if (!verb) return err->status;
  help_print_verb(verb, stdout);
  return OK;
}

static const CliOption help_options[] = {{"--man", NULL, "print the manual page"}, {0}};

const Verb help_verb = {.name = "help",
                        .summary = "describes a command",
                        .operands = "[COMMAND]",
                        .options = help_options,
                        .max_operands = 1,
                        .run = run_help};
