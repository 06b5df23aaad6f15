// SPDX-License-Identifier: MIT
// What a terminal can show: its width, and whether text may be coloured. Files and pipes have
// unlimited lines and plain text.
//
// Colour follows --color (terminal_choose_color), else NO_COLOR (no-color.org) and TERM=dumb
// disable it. A text in memory (open_memstream) is shaped for the file that its reader prints it
// to, which terminal_describe names: heddle run prints the tables of programs that it starts.
#ifndef BASE_TEXT_TERMINAL_H
#define BASE_TEXT_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

// name, SGR parameters
#define TEXT_STYLE_LIST(X) \
  X(PLAIN, "")             \
  X(HEADING, "1")          \
  X(ERROR, "1;31")         \
  X(WARNING, "33")         \
  X(BETTER, "32")          \
  X(WORSE, "31")

typedef enum TextStyle {
#define X(name, code) STYLE_##name,
  TEXT_STYLE_LIST(X)
#undef X
} TextStyle;

C_DECLARATIONS_BEGIN
// Whether lines can be rewritten: a terminal other than TERM=dumb.
bool terminal_is(FILE *file);
// Columns, from the terminal or else COLUMNS; 0: unlimited, as it is not a terminal.
int terminal_width(FILE *file);
bool terminal_has_color(FILE *file);

// Escape sequences around styled text; empty if the file has no colour.
const char *terminal_begin(FILE *file, TextStyle style);
const char *terminal_end(FILE *file, TextStyle style);

// when: auto, always or never. Applies to this process and those that it starts.
Status terminal_choose_color(const char *when, Error *err);
// Texts in the memory of processes started from now on are for this file.
void terminal_describe(FILE *file);

// Prints "heddle: TEXT" and a line break to standard error. Texts that begin with "warning: " or
// "note: " are styled as such, others as STYLE_ERROR if is_error.
void terminal_message(bool is_error, const char *text);
C_DECLARATIONS_END

#endif
