// SPDX-License-Identifier: MIT
// How many pages of memory a kernel accessed: a set of page numbers. Zeroed, it is empty.
#ifndef TRACE_PAGE_SET_H
#define TRACE_PAGE_SET_H

#include <stdint.h>

enum { PAGE_BYTES_LOG2 = 12 };

typedef struct PageSet {
  uint64_t *pages;  // plus one; 0: free
  uint64_t count, capacity;
  uint64_t last;  // page plus one that was added last: neighbours mostly add it again
} PageSet;

void page_set_add(PageSet *set, uint64_t address);
void page_set_clear(PageSet *set);

#endif
