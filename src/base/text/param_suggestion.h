// SPDX-License-Identifier: MIT
// "Did you mean ...?" for parameters: those that a misspelt or incomplete name may stand for.
#ifndef BASE_TEXT_PARAM_SUGGESTION_H
#define BASE_TEXT_PARAM_SUGGESTION_H

#include "base/param.h"

enum { PARAM_SUGGESTION_BYTES = 256 };

// "; did you mean 'size_kb'?", with up to three names, or "". A name is suggested if it is close
// in spelling to `key` or contains it; if `section` has none, those of its name in other sections
// are. section: NULL if none was given. with_sections: names are "section.key" as
// on the command line; otherwise only those of other sections are. Returns out.
const char *param_suggestion(const ParamSection *sections, const char *section, const char *key,
                             bool with_sections, char out[PARAM_SUGGESTION_BYTES]);

#endif
