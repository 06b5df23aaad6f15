// SPDX-License-Identifier: MIT
// Along which axis of the grid CTAs should be clustered: the axis along which
// they read the same data, or lines next to each other.
//
// Section 4.2.1 of Li et al. (ASPLOS 2017). An array reference that does not
// depend on blockIdx.x is the same for all CTAs of a row, which then belong
// together: row-major order. One that does not depend on blockIdx.y wants
// column-major order, by the same reason. Where both kinds are in a kernel, as
// in C = A B, the longer side of the grid decides at run time. A reference that
// depends on both touches neighbouring lines along the axis that is its last
// dimension, which counts only where nothing is shared outright.
//
// The paper's text says "A[f(blockIdx.x)] indicates locality across X"; its
// example, figure 8, has it the other way round, and so have we.
#ifndef CLUSTERING_ANALYSIS_DIRECTION_H
#define CLUSTERING_ANALYSIS_DIRECTION_H

#include <stdio.h>

#include "clustering/analysis/kernel.h"

typedef enum ArrayClass {
  ARRAY_SHARED_BY_ALL,  // does not depend on the CTA
  ARRAY_SHARED,         // by the CTAs along one axis, or two
  ARRAY_NEIGHBOURS,     // CTAs next to each other may use the same lines
  ARRAY_STREAM,         // each element is read once, by one CTA
  ARRAY_DATA,           // indices come from memory
  ARRAY_WRITTEN,        // not read
} ArrayClass;

// A parameter of a kernel that is indexed.
typedef struct ArrayUse {
  const char *name;
  const Node *first;  // a reference to it
  ArrayClass class;
  unsigned depends;       // of all reads
  unsigned
      shared_along;  // 1 << CTA_X ...: axes that a read does not depend on while it does on others
  int near_axis;          // the last dimension, if neighbours share lines; else -1
  int reads, writes;
} ArrayUse;

typedef struct Direction {
  ArrayUse *arrays;
  int count, capacity;
  unsigned axes;       // of the grid that the kernel uses
  RewriteOrder order;  // ORDER_ROW, ORDER_COLUMN, ORDER_LONGER or ORDER_AXES
  int fastest_first[3];
  const char *reason;
} Direction;

void direction_find(Direction *direction, Program *program, const Kernel *kernel);
void direction_clear(Direction *direction);
// Prints the conclusion for each array, and the reason.
void direction_explain(const Direction *direction, Program *program, const Kernel *kernel,
                       FILE *file);
const ArrayUse *direction_array(const Direction *direction, const char *name);

// The parameter that an element expression (ArraySubscriptExpr or UnaryOperator *) belongs
// to; NULL if none.
const Variable *array_of(const Dependence *dependence, const Node *expression);
// Dependences of the element's address.
Value array_address(const Dependence *dependence, const Node *expression);
// Whether the element is read, or written, or both (bits 1 and 2).
unsigned array_access(const Dependence *dependence, const Node *expression);
// Whether an expression is a whole reference to an element, not a part of one.
bool is_element(const Dependence *dependence, const Node *node);

#endif
