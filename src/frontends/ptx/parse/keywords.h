// SPDX-License-Identifier: MIT
// The dotted words of declarations: directives, state spaces, types.
#ifndef FRONTENDS_PTX_PARSE_KEYWORDS_H
#define FRONTENDS_PTX_PARSE_KEYWORDS_H

#include <stddef.h>

#include "isa/types.h"

typedef enum KeywordKind {
  KEYWORD_NONE,
  KEYWORD_ADDRESS_SIZE,
  KEYWORD_ALIAS,
  KEYWORD_ALIGN,
  KEYWORD_ATTRIBUTE,
  KEYWORD_BRANCH_TARGETS,
  KEYWORD_CALL_PROTOTYPE,
  KEYWORD_CALL_TARGETS,
  KEYWORD_CLUSTER_SIZE,
  KEYWORD_ENTRY,
  KEYWORD_FILE,
  KEYWORD_FUNC,
  KEYWORD_LINKAGE,
  KEYWORD_LOC,
  KEYWORD_MAX_REGISTERS,
  KEYWORD_MAX_THREADS,
  KEYWORD_MIN_CTAS,
  KEYWORD_NO_RETURN,
  KEYWORD_POINTER,
  KEYWORD_PRAGMA,
  KEYWORD_REGISTER,
  KEYWORD_REQUIRED_THREADS,
  KEYWORD_SECTION,
  KEYWORD_SPACE,
  KEYWORD_TARGET,
  KEYWORD_TYPE,
  KEYWORD_VECTOR,
  KEYWORD_VERSION,
  KEYWORD_PERFORMANCE_FLAG,   // hints to ptxas that change no result
  KEYWORD_PERFORMANCE_VALUE,  // ... with a number
} KeywordKind;

typedef struct Keyword {
  KeywordKind kind;
  int value;  // Space, PtxLinkage, DataType or the elements of a vector
} Keyword;

// The keyword of that text, without its dot; KEYWORD_NONE if it is none.
Keyword keyword_find(const char *text, size_t length);

// The type of that name, or TYPE_NONE.
DataType keyword_type(const char *text, size_t length);

#endif
