// SPDX-License-Identifier: MIT
// The order in which rows of a triangular matrix can be solved: rows of a level depend on rows
// of earlier levels only.
#ifndef CUSPARSE_LEVELS_H
#define CUSPARSE_LEVELS_H

#include <memory>
#include <vector>

#include "context.h"

// Arrays on the device. Rows order[starts[l]], ... are those of level l. Row i has the entries
// offsets[i] to offsets[i + 1], each in a column and with its value at a place in the matrix;
// diagonal[i] is the place of its diagonal, or -1.
struct LevelView {
  int n, count;
  int *order, *starts, *offsets, *columns, *places, *diagonal;
};

struct Levels {
  LevelView view = {};
  void *memory = nullptr;
  ~Levels() { cudaFree(memory); }
};

// Of the lower or upper half of op(A), without its diagonal; is_whole: entries of the rest are
// kept, too. NULL: a copy failed. Simplified: found on the host, in no simulated time.
std::unique_ptr<Levels> levels_find(cusparseConstSpMatDescr_t a, bool is_transposed, bool is_lower,
                                    bool is_whole);

#endif
