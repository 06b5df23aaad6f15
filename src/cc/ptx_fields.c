// SPDX-License-Identifier: MIT
// Replaces lines with `bfe.u64 to, from, start, length;` where start + length is above 64.
#include "cc/ptx_fields.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>

#include "cc/span.h"

enum { MAX_NAME = 31 };

typedef struct Field {
  char to[MAX_NAME + 1], from[MAX_NAME + 1];
  unsigned start, length;
} Field;

static bool field_parse(Field *field, Span line) {
  static const char name[] = "\tbfe.u64";
  return begins(line, name) &&
         sscanf(line.at, " bfe.u64 %31[^ ,], %31[^ ,], %u, %u;", field->to, field->from,
                &field->start, &field->length) == 4 &&
         field->start < 64 && field->length < 64 && field->start + field->length > 64;
}

void ptx_fields_print(const char *text, FILE *file) {
  Span line;
  for (const char *at = text; *at; at += line.length) {
    Field field;
    line = line_at(at);
    if (!field_parse(&field, line)) {
      fwrite(line.at, 1, line.length, file);
      continue;
    }
    fprintf(file, "\tshr.s64 \t%s, %s, %u;\n", field.to, field.from, field.start);
    fprintf(file, "\tand.b64  \t%s, %s, %" PRIu64 ";\n", field.to, field.to,
            (UINT64_C(1) << field.length) - 1);
  }
}
