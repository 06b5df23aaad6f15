// SPDX-License-Identifier: MIT
// LLVM's intermediate code of kernels as clang writes it, before any optimisation: a repair
// that LLVM 14 needs. Private to cc/.
//
// A device function returns a structure as one value:
//
//   %9 = load %struct.Pair, %struct.Pair* %4, align 4
//   ret %struct.Pair %9
//
// LLVM splits the load into members, inserted one by one into a value that is poison. A
// member that was never written, such as padding or the value of an empty optional, is
// undefined, and LLVM 14 drops an insertion of something undefined: the member becomes poison.
// That is a mistake, for poison is worse than undefined: where the structure is then copied as
// one integer, all members are poison, and comparisons of them are deleted. So loads of
// structures are split here, into a value that is undefined from the start.
#ifndef CC_IR_TEXT_H
#define CC_IR_TEXT_H

#include <stdio.h>

// Writes the text with loads of structures split into loads of their members.
void ir_text_print(const char *text, FILE *file);

#endif
