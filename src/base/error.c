// SPDX-License-Identifier: MIT
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
  if (n >= 0 && (size_t)n < sizeof err->text)
    snprintf(err->text + n, sizeof err->text - (size_t)n, ": %s", before);
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
