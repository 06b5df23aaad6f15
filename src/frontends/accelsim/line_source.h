// SPDX-License-Identifier: MIT
// The lines of a text file that may be compressed (byte_source.h).
#ifndef FRONTENDS_ACCELSIM_LINE_SOURCE_H
#define FRONTENDS_ACCELSIM_LINE_SOURCE_H

#include "base/error.h"
#include "frontends/accelsim/byte_source.h"

// Longest line: a v6 instruction with 32 addresses and values of eight operands has about 4 KB.
enum { MAX_TRACE_LINE_BYTES = 1 << 15 };

typedef struct LineSource {
  ByteSource *bytes;
  const char *path;  // the caller's
  uint64_t number;   // of the line that was read last, from 1
  size_t at, count;
  char buffer[1 << 16];
  char line[MAX_TRACE_LINE_BYTES];
} LineSource;

// Zeroed before; clear it also after an error.
Status line_source_open(LineSource *source, const char *path, Error *err);
// *line: without its end and trailing blanks, valid until the next call; NULL at the end.
Status line_source_next(LineSource *source, char **line, Error *err);
// The same without empty lines.
Status line_source_next_text(LineSource *source, char **line, Error *err);
void line_source_clear(LineSource *source);

// "path:line: ..." of the line that was read last.
Status line_source_error(const LineSource *source, Error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
