// SPDX-License-Identifier: MIT
// Bit fields that reach beyond 64 bits in PTX. Private to cc/.
//
// LLVM up to 14 selects bfe.u64 for (x >> start) & mask, but refuses fields with bits that were
// shifted in only if x has 32 bits: it compares with the width of the shift amount. Of an
// arithmetic shift, as in (x < 0 ? 7 : 0), which is (x >> 63) & 7, bfe.u64 loses the copies of the
// sign. A logical shift never gets here: LLVM knows its upper bits and drops the mask.
#ifndef CC_PTX_FIELDS_H
#define CC_PTX_FIELDS_H

#include <stdio.h>

// Writes the text with such fields as a shift and a mask.
void ptx_fields_print(const char *text, FILE *file);

#endif
