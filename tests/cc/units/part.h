// SPDX-License-Identifier: MIT
// Shared by the files of one program.
#ifndef TESTS_CC_PART_H
#define TESTS_CC_PART_H

#ifdef __cplusplus
extern "C"
#endif
    int
    add_in_c(int a, int b);
int run_on_device(int value);
int check_results(int first, int second);

#endif
