// SPDX-License-Identifier: MIT
// Dotted keywords of declarations: directives, state spaces, types.
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
  KEYWORD_PERFORMANCE_FLAG,   // hints to ptxas that affect no result
  KEYWORD_PERFORMANCE_VALUE,  // ... with a number
} KeywordKind;

typedef struct Keyword {
  KeywordKind kind;
  int value;  // Space, PtxLinkage, DataType or number of vector elements
} Keyword;

// Looks up a keyword, given without its dot; KEYWORD_NONE if unknown.
Keyword keyword_find(const char *text, size_t length);

// Looks up a type by name; TYPE_NONE if unknown.
DataType keyword_type(const char *text, size_t length);

#endif
