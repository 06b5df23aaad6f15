// SPDX-License-Identifier: MIT
// Order of kernels' addresses in PTX. Private to cc/.
//
// clang 14 writes the variables that hold the addresses of child kernels (heddle::kernel_address in
// device_launch.h) in an order that differs from one compilation to the next. Addresses of all
// other variables and of code follow from it, and so do cycles: a program would not take the same
// time twice.
#ifndef CC_PTX_ORDER_H
#define CC_PTX_ORDER_H

#include <stdio.h>

// Writes the text with these variables, where they are, in the order of their names.
void ptx_order_print(const char *text, FILE *file);

#endif
