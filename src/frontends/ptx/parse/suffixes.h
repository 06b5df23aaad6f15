// SPDX-License-Identifier: MIT
// The dotted suffixes of an opcode, turned into a Form.
#ifndef FRONTENDS_PTX_PARSE_SUFFIXES_H
#define FRONTENDS_PTX_PARSE_SUFFIXES_H

#include "base/error.h"
#include "isa/form.h"

// Reads "add.rn.ftz.f32" (or "cp.async.ca.shared.global", "ld.global.L1::no_allocate.v2.f32", ...) into
// form. OK, or ERR_UNSUPPORTED with a text that says what is not supported and
// what would be needed, without position.
Status form_parse(Form *form, const char *text, Error *err);

#endif
