// SPDX-License-Identifier: MIT
// General cvt, for forms and registers without a specialised loop.
#ifndef EXEC_ARITHMETIC_EXEC_CONVERT_H
#define EXEC_ARITHMETIC_EXEC_CONVERT_H

#include "exec/execute.h"

// Whether PTX has this cvt, and we do.
bool exec_convert_is_valid(const Form *form);

// Interprets the form for each lane. in->dst_bytes and src_bytes are the
// registers' own; 0 means that they are as wide as their types.
void exec_convert_general(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask);

// tf32 and 8-bit floats (exec_convert_narrow.c): whether a form has one, and its function or NULL.
bool exec_convert_is_narrow(const Form *form);
ExecFn exec_find_convert_narrow(const Form *form);

#endif
