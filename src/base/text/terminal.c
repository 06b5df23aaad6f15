// SPDX-License-Identifier: MIT
// Terminal width and colours; files and pipes get plain, unlimited lines.
#include "base/text/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

// The environment holds what children must know, too; there is no other state.
static const char color_variable[] = "HEDDLE_COLOR";      // always, never
static const char memory_variable[] = "HEDDLE_TERMINAL";  // "80 color", "80 plain"
enum { USUAL_WIDTH = 80, NARROWEST = 20 };

static const char *variable(const char *name) {
  const char *value = getenv(name);
  return value ? value : "";
}

static bool is_in_memory(FILE *file) {
  return fileno(file) < 0;
}

bool terminal_is(FILE *file) {
  return !is_in_memory(file) && isatty(fileno(file)) && strcmp(variable("TERM"), "dumb") != 0;
}

// Narrower terminals get lines that they wrap.
static int usable(long columns) {
  if (columns <= 0 || columns > 100000) return USUAL_WIDTH;
  return columns < NARROWEST ? NARROWEST : (int)columns;
}

int terminal_width(FILE *file) {
  struct winsize size = {0};
  int described = is_in_memory(file) ? atoi(variable(memory_variable)) : 0;
  if (is_in_memory(file)) return described > 0 ? usable(described) : 0;
  if (!isatty(fileno(file))) return 0;
  if (ioctl(fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return usable(size.ws_col);
  return usable(strtol(variable("COLUMNS"), NULL, 10));
}

bool terminal_has_color(FILE *file) {
  const char *choice = variable(color_variable);
  if (is_in_memory(file)) return strstr(variable(memory_variable), "color") != NULL;
  if (strcmp(choice, "always") == 0) return true;
  if (strcmp(choice, "never") == 0 || *variable("NO_COLOR")) return false;
  return terminal_is(file);
}

const char *terminal_begin(FILE *file, TextStyle style) {
  static const char *const sequences[] = {
#define X(name, code) "\033[" code "m",
      TEXT_STYLE_LIST(X)
#undef X
  };
  return style != STYLE_PLAIN && terminal_has_color(file) ? sequences[style] : "";
}

const char *terminal_end(FILE *file, TextStyle style) {
  return *terminal_begin(file, style) ? "\033[0m" : "";
}

Status terminal_choose_color(const char *when, Error *err) {
  bool is_auto = strcmp(when, "auto") == 0;
  if (!is_auto && strcmp(when, "always") != 0 && strcmp(when, "never") != 0)
    return error_set(err, ERR_USAGE, "--color %.40s: expected auto, always or never", when);
  if (is_auto)
    unsetenv(color_variable);
  else
    setenv(color_variable, when, 1);
  return OK;
}

void terminal_describe(FILE *file) {
  char text[64];
  snprintf(text, sizeof text, "%d %s", terminal_width(file),
           terminal_has_color(file) ? "color" : "plain");
  setenv(memory_variable, text, 1);
}

static TextStyle style_of(bool is_error, const char *text) {
  if (strncmp(text, "warning: ", 9) == 0) return STYLE_WARNING;
  return is_error ? STYLE_ERROR : STYLE_PLAIN;
}

// Only the first line is styled: what follows is a listing.
void terminal_message(bool is_error, const char *text) {
  TextStyle style = style_of(is_error, text);
  int first = (int)strcspn(text, "\n");
  fprintf(stderr, "heddle: %s%.*s%s%s\n", terminal_begin(stderr, style), first, text,
          terminal_end(stderr, style), text + first);
}
