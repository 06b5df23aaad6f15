// SPDX-License-Identifier: MIT
// Marks lines such as `@_ZL5table = internal addrspace(4) global [4 x i32] zeroinitializer`.
#define _GNU_SOURCE  // memmem
#include "cc/ir_statics.h"

#include "cc/span.h"

// The part of a line that is replaced, or an empty one.
static Span linkage_of(Span line, int *space) {
  static const char *const kinds[] = {" = internal addrspace(1) global ",
                                      " = internal addrspace(4) global "};
  static const int spaces[] = {1, 4};
  for (size_t i = 0; begins(line, "@") && i < sizeof kinds / sizeof *kinds; i++) {
    size_t length = strlen(kinds[i]);
    const char *found = memmem(line.at, line.length, kinds[i], length);
    *space = spaces[i];
    if (found) return (Span){found, length};
  }
  return (Span){line.at, 0};
}

void ir_statics_print(const char *text, FILE *file) {
  Span line;
  for (const char *at = text; *at; at += line.length) {
    int space;
    line = line_at(at);
    Span linkage = linkage_of(line, &space);
    const char *rest = linkage.at + linkage.length;
    fwrite(line.at, 1, (size_t)(linkage.at - line.at), file);
    if (linkage.length) fprintf(file, " = addrspace(%d) externally_initialized global ", space);
    fwrite(rest, 1, (size_t)(line.at + line.length - rest), file);
  }
}
