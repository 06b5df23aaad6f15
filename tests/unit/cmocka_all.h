// SPDX-License-Identifier: MIT
// cmocka with the headers that it wants before it, and a short way to run.
#ifndef UNIT_CMOCKA_ALL_H
#define UNIT_CMOCKA_ALL_H

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#endif
