// SPDX-License-Identifier: MIT
// Errors travel up as a Status with a text; nothing below cli/ exits or jumps.
//
// A function that can fail returns Status and takes an Error * last. It fails
// with `return error_set(err, ERR_IO, "cannot open %s", path)`, and forwards a
// failure from below with TRY(call(..., err)).
//
// Two kinds of failure are distinguished: errors of the user or the simulated program
// are a Status; bugs of heddle are assertions.
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "base/linkage.h"

// name, one line for people, exit code of the program that ends with it
#define STATUS_LIST(X)                                             \
  X(OK, "fine", 0)                                                 \
  X(ERR_IO, "I/O error", 2)                                        \
  X(ERR_SYNTAX, "malformed input file", 2)                         \
  X(ERR_CONFIG, "unknown parameter or value out of range", 2)      \
  X(ERR_USAGE, "invalid command line", 2)                          \
  X(ERR_UNSUPPORTED, "the program uses an unsupported feature", 2) \
  X(ERR_LINK, "undefined or duplicate symbol", 2)                  \
  X(ERR_PROGRAM, "the simulated program failed", 1)                \
  X(ERR_DEADLOCK, "the simulated program is deadlocked", 1)        \
  X(ERR_LIMIT, "a requested limit was reached", 1)                 \
  X(ERR_INTERRUPTED, "stopped by the user", 1)                     \
  X(ERR_INCOMPLETE, "part of the results is missing", 1)           \
  X(ERR_INTERNAL, "internal error (a bug in Heddle)", 3)

typedef enum Status {
#define X(name, text, exit_code) name,
  STATUS_LIST(X)
#undef X
} Status;

enum { ERROR_TEXT_BYTES = 4096 };

typedef struct Error {
  Status status;
  char text[ERROR_TEXT_BYTES];  // without a trailing newline; may hold several lines
} Error;

C_DECLARATIONS_BEGIN
// Sets err (which may be NULL) and returns status, so that it can be returned.
Status error_set(Error *err, Status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Puts "prefix: " before the text that is already there; returns its status.
Status error_prefix(Error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

const char *status_text(Status status);
int status_exit_code(Status status);
C_DECLARATIONS_END

#define TRY(call)                              \
  do {                                         \
    Status try_status_ = (call);               \
    if (try_status_ != OK) return try_status_; \
  } while (0)

#endif
