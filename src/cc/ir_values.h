// SPDX-License-Identifier: MIT
// Numbered values of a function in LLVM's intermediate code, before any optimisation. Private
// to cc/.
//
// Integer arithmetic that does not overflow (nsw), and local variables of type int, which clang
// keeps in memory:
//
//   %12 = alloca i32, align 4
//   %33 = load i32, i32* %12, align 4
//   %34 = add nsw i32 %32, %33
#ifndef CC_IR_VALUES_H
#define CC_IR_VALUES_H

#include <stdbool.h>

#include "cc/span.h"

typedef enum IrKind {
  IR_OTHER,
  IR_VARIABLE,
  IR_BYTES,  // a variable's address as that of bytes
  IR_LOAD,
  IR_SUM,
  IR_DIFFERENCE,
  IR_PRODUCT,
  IR_EXTENSION  // of a sign, from 32 bits to 64
} IrKind;

// A value, or a constant if it has the number IR_NO_VALUE.
typedef struct IrOperand {
  long number, constant;
} IrOperand;

enum { IR_NO_VALUE = -1 };

typedef struct IrValue {
  IrKind kind;
  IrOperand a, b;  // of arithmetic; a: of IR_BYTES and IR_LOAD the variable

  // Of a variable. Nothing else is known of one that is_shared: its address is used otherwise.
  bool is_shared;
  int starts, stores, loads_before;  // loads before the first store
  int start_block, store_block;
  IrOperand stored;          // by the last store
  IrOperand first, end;      // the constants it begins with, and is compared with first
  long step;                 // what is added to it
  bool is_rolled;            // it has a loop that is not to be unrolled
  bool is_compared, is_set;  // set: otherwise than by a constant or a step
} IrValue;

typedef struct IrFunction {
  IrValue *values;
  size_t count, capacity;
  int block;
  long stepped;  // the last variable that was
  const char *notes;
} IrFunction;

// Reads a function, up to its last line. Values of an earlier one are forgotten. `notes`: where
// the metadata of the module begins; NULL: there is none.
void ir_function_read(IrFunction *function, const char *text, const char *notes);
void ir_function_clear(IrFunction *function);

// Never NULL.
const IrValue *ir_value(const IrFunction *function, long number);

// The variable that a value was loaded from; NULL: it was not.
const IrValue *ir_loaded_variable(const IrFunction *function, IrOperand operand);

// A variable of loops from a constant to another by constant steps, which may be unrolled.
static inline bool ir_is_counter(const IrValue *variable) {
  return !variable->is_shared && !variable->is_set && !variable->is_rolled &&
         variable->is_compared && variable->step;
}

// A variable that is declared with its value and keeps it: the store is in the block where its
// life begins, which every use of it comes after.
static inline bool ir_is_settled(const IrValue *variable) {
  return !variable->is_shared && variable->stores == 1 && variable->starts == 1 &&
         !variable->loads_before && variable->start_block == variable->store_block;
}

// `%12` or a constant at the start of a text, which it moves on.
bool ir_operand_parse(const char **at, IrOperand *operand);

static inline bool span_contains(Span line, const char *words) {
  return memmem(line.at, line.length, words, strlen(words)) != NULL;
}

#endif
