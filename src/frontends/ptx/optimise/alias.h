// SPDX-License-Identifier: MIT
// Which instructions of a block may change places where memory is concerned.
#ifndef FRONTENDS_PTX_OPTIMISE_ALIAS_H
#define FRONTENDS_PTX_OPTIMISE_ALIAS_H

#include "frontends/ptx/optimise/graph.h"

// A plain ld, ldu or st: weak, of a known size, and nothing but an access.
bool access_is_plain(const Instruction *in);
bool access_is_store(const Instruction *in);
uint32_t access_bytes(const Instruction *in);
// The same base register (with the same contents, which the caller knows) and space.
bool access_same_base(const Instruction *a, const Instruction *b);
// Whether two plain accesses may touch the same byte, one of them writing. The
// caller knows whether base registers of the same name hold the same.
bool access_conflicts(const Instruction *a, const Instruction *b, bool is_base_unchanged);
// An instruction that no access of memory moves past, in either direction:
// barriers, fences, atomics, calls, volatile accesses and all that is not known.
bool access_is_fenced(const Instruction *in);

#endif
