// SPDX-License-Identifier: MIT
// Around declarations of functions that plugins written in C++ may call.
#ifndef BASE_LINKAGE_H
#define BASE_LINKAGE_H

#ifdef __cplusplus
#define C_DECLARATIONS_BEGIN extern "C" {
#define C_DECLARATIONS_END }
#else
#define C_DECLARATIONS_BEGIN
#define C_DECLARATIONS_END
#endif

#endif
