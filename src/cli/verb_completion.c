// SPDX-License-Identifier: MIT
// heddle completion SHELL: what makes a shell complete heddle's words, from the
// tables of verbs. Names of GPUs and such are asked from heddle when they are
// needed, so that they are those of the program that is there.
#include <string.h>

#include "cli/verb.h"

// What stands behind an option, or where an operand does: a `heddle list` topic.
static const char *topic_of(const char *option) {
  static const struct {
    const char *option, *topic;
  } topics[] = {{"--gpu", "gpus"},
                {"--scheme", "schemes"},
                {"--schemes", "schemes"},
                {"--observe", "observers"},
                {"--study", "studies"}};
  for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
    if (strcmp(topics[i].option, option) == 0) return topics[i].topic;
  return NULL;
}

static const char *operand_topic(const Verb *verb) {
  if (strstr(verb->operands, "WORKLOAD")) return "workloads";
  if (verb == &study_verb) return "studies";
  return NULL;
}

// Operands that are words to choose from, such as bash|zsh, with blanks between.
static void print_choices(const char *text, FILE *file) {
  for (; *text && *text != ' '; text++) fputc(*text == '|' ? ' ' : *text, file);
}

static bool is_choice(const char *operands) {
  return operands[0] >= 'a' && operands[0] <= 'z';
}

static void print_verb_words(const Verb *verb, FILE *file) {
  for (const CliOption *option = verb->options; option->name; option++)
    if (!strchr(option->name, ',')) fprintf(file, "%s ", option->name);
  fputs("--help", file);
}

static void print_verbs(FILE *file) {
  for (const Verb *const *verb = all_verbs; *verb; verb++)
    fprintf(file, "%s%s", verb == all_verbs ? "" : " ", (*verb)->name);
}

// The part of both shells that knows the words: a function that prints those
// that may stand next, given the verb and the word before.
static void print_words_function(FILE *file) {
  fputs(
      "_heddle_list() { heddle list \"$1\" 2>/dev/null | sed -n '2,$s/^ "
      "*\\([A-Za-z0-9_.-]*\\).*/\\1/p'; }\n",
      file);
  fputs("_heddle_words() {  # verb, word before\n  case $2 in\n", file);
  static const char *const options[] = {"--gpu", "--scheme", "--schemes", "--observe", "--study"};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    fprintf(file, "    %s) _heddle_list %s; return ;;\n", options[i], topic_of(options[i]));
  fputs(
      "    --size) echo tiny small paper; return ;;\n    --stats-format) echo gpgpusim; return "
      ";;\n",
      file);
  fputs("  esac\n  case $1 in\n", file);
  for (const Verb *const *verb = all_verbs; *verb; verb++) {
    fprintf(file, "    %s) echo '", (*verb)->name);
    print_verb_words(*verb, file);
    if (is_choice((*verb)->operands)) {
      fputc(' ', file);
      print_choices((*verb)->operands, file);
    }
    if (*verb == &help_verb) {
      fputc(' ', file);
      print_verbs(file);
    }
    fputc('\'', file);
    if (operand_topic(*verb)) fprintf(file, "; _heddle_list %s", operand_topic(*verb));
    fputs(" ;;\n", file);
  }
  fputs("    *) echo '", file);
  print_verbs(file);
  fputs(" --help --version' ;;\n  esac\n}\n", file);
}

static void print_bash(FILE *file) {
  fputs("# bash completion for heddle, made by `heddle completion bash`\n", file);
  print_words_function(file);
  fputs(
      "_heddle() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb=\n"
      "  [ $COMP_CWORD -lt 2 ] || verb=${COMP_WORDS[1]}\n"
      "  COMPREPLY=($(compgen -W \"$(_heddle_words \"$verb\" \"$before\")\" -- \"$word\"))\n"
      "}\n"
      "complete -o default -F _heddle heddle\n",
      file);
}

static void print_zsh(FILE *file) {
  fputs("#compdef heddle\n# zsh completion for heddle, made by `heddle completion zsh`\n", file);
  print_words_function(file);
  fputs(
      "_heddle() {\n"
      "  local verb=\n"
      "  (( CURRENT < 3 )) || verb=$words[2]\n"
      "  compadd -- $(_heddle_words \"$verb\" \"$words[CURRENT-1]\")\n"
      "  (( CURRENT < 3 )) || _files\n"
      "}\n"
      "if [ \"$funcstack[1]\" = _heddle ]; then _heddle \"$@\"; else compdef _heddle heddle; fi\n",
      file);
}

static Status run_completion(const Arguments *arguments, Error *err) {
  const char *shell = arguments->operands[0];
  if (strcmp(shell, "bash") == 0)
    print_bash(stdout);
  else if (strcmp(shell, "zsh") == 0)
    print_zsh(stdout);
  else
    return error_set(err, ERR_USAGE, "no completion for '%.40s' (bash, zsh)", shell);
  return OK;
}

const Verb completion_verb = {
    .name = "completion",
    .summary = "prints what makes a shell complete heddle's words",
    .operands = "bash|zsh",
    .details =
        "`make install` puts it where shells look. To try it: source <(heddle completion bash)\n",
    .options = (const CliOption[]){{0}},
    .min_operands = 1,
    .max_operands = 1,
    .run = run_completion};
