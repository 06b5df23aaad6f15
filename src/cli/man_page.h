// SPDX-License-Identifier: MIT
// Prints the manual page, generated from the tables of verbs.
#ifndef CLI_MAN_PAGE_H
#define CLI_MAN_PAGE_H

#include <stdio.h>

void man_page_print(FILE *file);

#endif
