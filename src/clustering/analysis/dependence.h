// SPDX-License-Identifier: MIT
// Dependence analysis of the values in a kernel: on CTA coordinates, thread coordinates and
// memory; and the distance between neighbours along each axis.
//
// The analysis is flow-insensitive: a variable depends on everything ever assigned to it,
// and on the conditions of these assignments. Distances are estimates: a parameter that
// multiplies a coordinate counts as long, such as the length of a row, blockDim as the
// width of a warp.
#ifndef CLUSTERING_ANALYSIS_DEPENDENCE_H
#define CLUSTERING_ANALYSIS_DEPENDENCE_H

#include "clustering/analysis/calls.h"

typedef enum Axis { CTA_X, CTA_Y, CTA_Z, THREAD_X, THREAD_Y, THREAD_Z, AXIS_COUNT } Axis;

enum {
  DEPENDS_ON_CTA = 1 << CTA_X | 1 << CTA_Y | 1 << CTA_Z,
  DEPENDS_ON_THREAD = 1 << THREAD_X | 1 << THREAD_Y | 1 << THREAD_Z,
  DEPENDS_ON_MEMORY = 1 << AXIS_COUNT,      // a value in global memory, or what a call returns
  DEPENDS_ON_LOOP = 1 << (AXIS_COUNT + 1),  // is changed in a loop
  DEPENDS_ON_WARP = 1 << (AXIS_COUNT + 2),  // on threadIdx.x / 32: the same in a warp
};

typedef struct Value {
  unsigned depends;           // 1 << Axis, DEPENDS_ON_...
  unsigned chosen_by;         // the same, for conditions under which it was computed
  double stride[AXIS_COUNT];  // what one step along an axis adds, about
  double size;                // of what does not depend on an axis, about; 0 if unknown
} Value;

typedef struct Variable {
  CXCursor cursor;
  Value value;
  Node *definition;  // its initialiser
  int assignments;   // besides the initialiser; also through & and references
  bool is_parameter;
  const void *declaration;  // clang's, of the cursor
  UT_hash_handle hh;
} Variable;

typedef struct Dependence {
  Program *program;
  Body *body;
  Variable *variables;
  int count, capacity;
  Variable *by_declaration;
} Dependence;

void dependence_init(Dependence *dependence, Program *program, Body *body);
void dependence_clear(Dependence *dependence);

// Of an expression in the body.
Value dependence_value(const Dependence *dependence, const Node *expression);
// The variable that a reference names; NULL if it is none of the body's.
const Variable *dependence_variable(const Dependence *dependence, const Node *reference);
// What decides whether a statement is reached: conditions of ifs and loops around it.
unsigned dependence_control(const Dependence *dependence, const Node *statement);

// The operator of a unary, binary or assignment node, such as "+="; "" if it
// cannot be told, as in a macro.
const char *node_operator(const Tree *tree, const Node *node);
// Also of objects, by an operator that is a function.
bool node_is_assignment(const Tree *tree, const Node *node);
// Whether a statement can run again: it is in a loop of the body.
const Node *node_loop(const Node *node, const Node *root);

#endif
