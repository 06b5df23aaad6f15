// SPDX-License-Identifier: MIT
// nvcc's options, a line each.
#ifndef CC_OPTIONS_H
#define CC_OPTIONS_H

#include "cc/request.h"

typedef struct CcOption CcOption;
struct CcOption {
  const char *name, *short_name;  // without dashes; the short one may be NULL
  bool takes_value;
  // value is NULL for a flag.
  Status (*take)(CcRequest *request, const CcOption *option, const char *value, Error *err);
  const char *text;  // its replacement, or why it has none
  int number;
};

extern const CcOption cc_options[];  // ends with a NULL name

// Looks up an option, and the start of its value within the word, or NULL. Returns NULL if
// there is no such option.
const CcOption *cc_option_find(const char *word, const char **value);

#endif
