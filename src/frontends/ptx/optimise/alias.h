// SPDX-License-Identifier: MIT
// Memory dependences: which instructions of a block may be reordered.
#ifndef FRONTENDS_PTX_OPTIMISE_ALIAS_H
#define FRONTENDS_PTX_OPTIMISE_ALIAS_H

#include "frontends/ptx/optimise/graph.h"

// A plain ld, ldu or st: weak, of known size, without side effects.
bool access_is_plain(const Instruction *in);
bool access_is_store(const Instruction *in);
// ld.global.nc: no store of the kernel writes there, so it may pass stores and barriers, as ptxas
// lets it.
bool access_is_read_only(const Instruction *in);
uint32_t access_bytes(const Instruction *in);
// Whether base register and space are equal. That the register has the same contents is the
// caller's concern.
bool access_same_base(const Instruction *a, const Instruction *b);
// Whether two plain accesses may access the same byte and one of them writes.
// is_base_unchanged: an equal base register has the same contents at both.
bool access_conflicts(const Instruction *a, const Instruction *b, bool is_base_unchanged);
// Whether no memory access may be moved across the instruction, in either direction:
// barriers, fences, atomics, calls, volatile accesses and anything unknown.
bool access_is_fenced(const Instruction *in);

#endif
