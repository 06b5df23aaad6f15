// SPDX-License-Identifier: MIT
// Sets and prefixes error texts; exit code of each status.
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

Status error_set(Error *err, Status status, const char *format, ...) {
  if (!err) return status;
  err->status = status;
  va_list args;
  va_start(args, format);
  vsnprintf(err->text, sizeof err->text, format, args);
  va_end(args);
  return status;
}

Status error_prefix(Error *err, const char *format, ...) {
  if (!err) return ERR_INTERNAL;
  char before[ERROR_TEXT_BYTES];
  memcpy(before, err->text, sizeof before);
  va_list args;
  va_start(args, format);
  int n = vsnprintf(err->text, sizeof err->text, format, args);
  va_end(args);
  size_t at = n < 0 ? 0 : (size_t)n;
  if (at + 3 > sizeof err->text) return err->status;  // the prefix alone filled it
  size_t length = strlen(before), room = sizeof err->text - at - 3;
  memcpy(err->text + at, ": ", 2);
  memcpy(err->text + at + 2, before, length < room ? length : room);
  err->text[at + 2 + (length < room ? length : room)] = '\0';
  return err->status;
}

const char *status_text(Status status) {
  static const char *const texts[] = {
#define X(name, text, exit_code) text,
      STATUS_LIST(X)
#undef X
  };
  return texts[status];
}

int status_exit_code(Status status) {
  static const int codes[] = {
#define X(name, text, exit_code) exit_code,
      STATUS_LIST(X)
#undef X
  };
  return codes[status];
}
