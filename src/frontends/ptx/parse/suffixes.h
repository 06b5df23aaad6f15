// SPDX-License-Identifier: MIT
// Converts an opcode and its dotted suffixes to a Form.
#ifndef FRONTENDS_PTX_PARSE_SUFFIXES_H
#define FRONTENDS_PTX_PARSE_SUFFIXES_H

#include "base/error.h"
#include "isa/form.h"

// Parses "add.rn.ftz.f32", "cp.async.ca.shared.global",
// "ld.global.L1::no_allocate.v2.f32", ... into form. Fails with ERR_UNSUPPORTED
// and a message, without position, that names the unsupported feature.
Status form_parse(Form *form, const char *text, Error *err);

#endif
