// SPDX-License-Identifier: MIT
// The manual page.
#include <string.h>

#include "base/version.h"
#include "cli/verb.h"

// Escapes text for roff: no hyphenation of options, no commands at line starts.
static void print_text(const char *text, FILE *file) {
  bool at_start = true;
  for (; *text; text++) {
    if (at_start && (*text == '.' || *text == '\'')) fputs("\\&", file);
    if (*text == '-')
      fputs("\\-", file);
    else if (*text == '\\')
      fputs("\\e", file);
    else
      fputc(*text, file);
    at_start = *text == '\n';
  }
}

static void print_option(const CliOption *option, FILE *file) {
  fputs(".TP\n\\fB", file);
  print_text(option->name, file);
  fputs("\\fR", file);
  if (option->argument) {
    fputs(" \\fI", file);
    print_text(option->argument, file);
    fputs("\\fR", file);
  }
  fputc('\n', file);
  print_text(option->help, file);
  fputc('\n', file);
}

static void print_verb(const Verb *verb, FILE *file) {
  fprintf(file, ".SS heddle ");
  print_text(verb->name, file);
  fputs(" ", file);
  print_text(verb->operands, file);
  fputs("\n", file);
  print_text(verb->summary, file);
  fputs(".\n", file);
  if (verb->details) {
    fputs(".PP\n.nf\n", file);
    print_text(verb->details, file);
    fputs(".fi\n", file);
  }
  for (const CliOption *option = verb->options; option->name; option++) print_option(option, file);
}

void man_page_print(FILE *file) {
  fprintf(file, ".TH HEDDLE 1 \"\" \"heddle %s\" \"User commands\"\n", version_text());
  fputs(
      ".SH NAME\nheddle \\- a cycle\\-level GPU simulator and data\\-locality laboratory\n"
      ".SH SYNOPSIS\n.B heddle\n.I COMMAND\n[\\fIOPTION\\fR...] [\\fIOPERAND\\fR...]\n"
      ".SH DESCRIPTION\nExecutes CUDA programs and PTX kernels on a configurable, simulated GPU, "
      "and reports where the cycles went.\n.SH COMMANDS\n",
      file);
  for (const Verb *const *verb = all_verbs; *verb; verb++) print_verb(*verb, file);
  fputs(".SS Options of every command but cc and cluster\n", file);
  for (const CliOption *option = common_options; option->name; option++) print_option(option, file);
  fputs(
      ".SH EXIT STATUS\n.TP\n0\nsuccess\n.TP\n1\nthe simulated program failed, was stopped, or "
      "left incomplete results, or has data races that \\-\\-check found\n"
      ".TP\n2\ninvalid input or command line\n.TP\n3\ninternal error (a bug in Heddle)\n"
      ".SH FILES\n.TP\ncompare.db, NAME.db\nthe stores of comparisons and studies, in the current "
      "folder\n.SH ENVIRONMENT\n.TP\nHEDDLE_RUN\nthe file of a run, for a program started without "
      "\\fBheddle run\\fR\n.TP\nHEDDLE_CLANG\nthe clang that \\fBheddle cc\\fR compiles with\n"
      ".TP\nXDG_CACHE_HOME\nwhere workloads are built if not next to heddle\n.TP\nNO_COLOR\nif "
      "set and not empty, no text is bold or coloured, unless \\-\\-color requests it\n"
      ".TP\nCOLUMNS\nwidth of a terminal that does not report its own\n",
      file);
}
