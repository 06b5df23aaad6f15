// SPDX-License-Identifier: MIT
// Parses the command line of a verb: --name, --name value, --name=value, and operands; after `--`
// every word is an operand.
#include "cli/arguments.h"

#include <stdlib.h>
#include <string.h>

#include "base/text/closest.h"
#include "base/memory.h"
#include "base/text/terminal.h"

static bool is_spelt(const char *word, const char *name, const char **value) {
  size_t length = strlen(name);
  if (strncmp(word, name, length) != 0) return false;
  *value = word[length] == '=' ? word + length + 1 : NULL;
  return word[length] == '\0' || word[length] == '=';
}

// Whichever of -o and --output a command has, the other one is accepted, too.
static bool names_option(const char *word, const char *name, const char **value) {
  if (is_spelt(word, name, value)) return true;
  if (strcmp(name, "-o") == 0) return is_spelt(word, "--output", value);
  return strcmp(name, "--output") == 0 && is_spelt(word, "-o", value);
}

static Status unknown_option(const Verb *verb, const char *word, Error *err) {
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
  Closest closest = closest_start(name);
  closest_offer(&closest, "--help");
  for (const CliOption *option = common_options; option->name; option++)
    closest_offer(&closest, option->name);
  for (const CliOption *option = verb->options; option->name; option++)
    closest_offer(&closest, option->name);
  return error_set(err, ERR_USAGE, "unknown option '%s'%s%s%s (`heddle help %s` lists them)", name,
                   CLOSEST_HINT(closest), verb->name);
}

// Consumes words[*at] and, if its value is a separate word, the next one. given->option is NULL
// if the table has no such option.
static Status take_from(const CliOption *options, int count, char **words, int *at,
                        struct GivenOption *given, Error *err) {
  const char *value;
  *given = (struct GivenOption){0};
  for (const CliOption *option = options; option->name; option++) {
    if (!names_option(words[*at], option->name, &value)) continue;
    if (!option->argument && value)
      return error_set(err, ERR_USAGE, "%s takes no value", option->name);
    if (option->argument && !value) {
      if (*at + 1 == count)
        return error_set(err, ERR_USAGE, "%s needs a value: %s %s", option->name, option->name,
                         option->argument);
      value = words[++*at];
    }
    *given = (struct GivenOption){option, value};
    return OK;
  }
  return OK;
}

Status arguments_take_common(int count, char **words, int *at, bool *is_common, Error *err) {
  struct GivenOption given;
  TRY(take_from(common_options, count, words, at, &given, err));
  *is_common = given.option;
  return *is_common ? terminal_choose_color(given.value, err) : OK;
}

static Status take_option(Arguments *arguments, int count, char **words, int *at,
                          struct GivenOption *given, Error *err) {
  bool is_common;
  TRY(arguments_take_common(count, words, at, &is_common, err));
  if (is_common) return OK;
  TRY(take_from(arguments->verb->options, count, words, at, given, err));
  if (!given->option) return unknown_option(arguments->verb, words[*at], err);
  arguments->given_count++;
  return OK;
}

static Status check_operands(const Arguments *arguments, Error *err) {
  const Verb *verb = arguments->verb;
  if (arguments->wants_help) return OK;
  if (arguments->operand_count < verb->min_operands)
    return error_set(err, ERR_USAGE, "missing argument; usage: heddle %s %s", verb->name,
                     verb->operands);
  bool is_program = verb->takes_program && arguments->program;
  if (arguments->operand_count > verb->max_operands && !is_program)
    return error_set(err, ERR_USAGE, "unexpected argument '%s'; usage: heddle %s %s",
                     arguments->operands[verb->max_operands], verb->name, verb->operands);
  return OK;
}

Status arguments_parse(Arguments *arguments, const Verb *verb, int count, char **words,
                       Error *err) {
  struct GivenOption *given = memory_alloc(sizeof *given * (size_t)(count + 1));
  *arguments = (Arguments){.verb = verb, .given = given};
  arguments->operands = memory_alloc(sizeof *arguments->operands * (size_t)(count + 1));
  bool only_operands = false;
  for (int i = 0; i < count; i++) {
    if (verb->takes_all_words && strcmp(words[i], "--help") != 0 && strcmp(words[i], "-h") != 0)
      arguments->operands[arguments->operand_count++] = words[i];
    // A lone "-" is an operand (standard output), not an option.
    else if (only_operands || words[i][0] != '-' || !words[i][1])
      arguments->operands[arguments->operand_count++] = words[i];
    else if (strcmp(words[i], "--") == 0)
      only_operands = true, arguments->program = words + i + 1;
    else if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0)
      arguments->wants_help = true;
    else
      TRY(take_option(arguments, count, words, &i, &given[arguments->given_count], err));
  }
  return check_operands(arguments, err);
}

void arguments_clear(Arguments *arguments) {
  memory_free(arguments->operands);
  memory_free((void *)(size_t)arguments->given);
  *arguments = (Arguments){0};
}

static bool is_option(const struct GivenOption *given, const char *option) {
  return strcmp(given->option->name, option) == 0;
}

bool arguments_has(const Arguments *arguments, const char *option) {
  for (int i = 0; i < arguments->given_count; i++)
    if (is_option(&arguments->given[i], option)) return true;
  return false;
}

const char *arguments_value(const Arguments *arguments, const char *option, const char *otherwise) {
  for (int i = arguments->given_count; i-- > 0;)
    if (is_option(&arguments->given[i], option)) return arguments->given[i].value;
  return otherwise;
}

const char *arguments_next(const Arguments *arguments, const char *option, int *at) {
  while (*at < arguments->given_count) {
    const struct GivenOption *given = &arguments->given[(*at)++];
    if (is_option(given, option)) return given->value;
  }
  return NULL;
}

RunList arguments_list(const Arguments *arguments, const char *option, Arena *arena) {
  RunList list = {0};
  const char *value;
  for (int i = 0; (value = arguments_next(arguments, option, &i));)
    run_list_add(&list, value, arena);
  return list;
}

Status arguments_number(const Arguments *arguments, const char *option, uint32_t least,
                        uint32_t most, uint32_t *number, Error *err) {
  const char *text = arguments_value(arguments, option, NULL);
  char *end;
  if (!text) return OK;
  unsigned long value = strtoul(text, &end, 10);
  if (*text < '0' || *text > '9' || *end || value < least || value > most)
    return error_set(err, ERR_USAGE, "%s %.40s: expected a number from %u to %u", option, text,
                     least, most);
  *number = (uint32_t)value;
  return OK;
}

int arguments_behind(const Arguments *arguments) {
  int count = 0;
  while (arguments->program && arguments->program[count]) count++;
  return count;
}
