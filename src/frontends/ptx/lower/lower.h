// SPDX-License-Identifier: MIT
// From a parsed function to its instructions, one for one.
//
// While a function is lowered, a place at or above zero is the number of a
// virtual register: the parsed function's registers first, hidden ones behind
// them. registers.c then replaces it by the register's place in the frame.
#ifndef FRONTENDS_PTX_LOWER_LOWER_H
#define FRONTENDS_PTX_LOWER_LOWER_H

#include "frontends/ptx/lower/flow.h"
#include "frontends/ptx/link/linker.h"
#include "exec/execute.h"

typedef struct Lowering {
  Linker *linker;
  LinkedFunction *function;
  Function *linked;
  const PtxFunction *syntax;
  const PtxModule *module;
  const PtxInstruction *in;    // being lowered
  RegisterUse *register_uses;  // beside code
  Instruction *code;           // of the function; targets count from its start
  uint32_t code_count;
  uint32_t last_source;  // the last line of the user's own files, as in Instruction.source
  DataType *register_types;
  uint32_t register_count, register_capacity;
  // Of registers behind the program's own, those that the optimising pass makes
  // are the machine's too, but for preloaded ones; the others are hidden.
  uint32_t first_made;  // 0: none
  uint32_t first_preloaded, end_preloaded;
} Lowering;

// How strictly an operand's width must be the expected type's.
typedef enum WidthRule {
  WIDTH_EXACT,
  WIDTH_AT_LEAST,  // ld, st and cvt may use wider registers than their type
} WidthRule;

// lower_operand.c
Status lower_source(Lowering *lowering, const PtxOperand *operand, DataType expected,
                    WidthRule rule, Instruction *out, Place *place, Error *err);
Status lower_destination(Lowering *lowering, const PtxOperand *operand, DataType expected,
                         WidthRule rule, Place *place, Error *err);
// A predicate source k, which may be negated.
Status lower_predicate(Lowering *lowering, const PtxOperand *operand, int k, Instruction *out,
                       Error *err);
// [base + offset] into src[source], offset, address_bytes and address_base;
// sets form.space where only the name tells it.
Status lower_address(Lowering *lowering, const PtxOperand *operand, int source, Instruction *out,
                     Error *err);
// The address that a variable or function has: a constant, or relative to a base.
Status lower_symbol(Lowering *lowering, const PtxOperand *operand, uint64_t *value,
                    AddressBase *base, Space *space, Error *err);
// The name of a variable, parameter, result or function.
bool operand_is_symbol(const PtxOperand *operand);
// Room for the operands of an instruction that has more than dst and src hold: all NO_PLACE.
PlaceList *lower_new_list(Lowering *lowering, uint32_t dst_count, uint32_t src_count);
// A register that the program does not see.
Place lower_hidden(Lowering *lowering, DataType type);
int lower_register_bytes(const Lowering *lowering, Place place);
Status lower_error(const Lowering *lowering, PtxPosition position, Error *err, Status status,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));
Status lower_want_operands(const Lowering *lowering, uint32_t least, uint32_t most, Error *err);

// Reserves room for this many instructions of the function; its code may move.
void lower_reserve(Lowering *lowering, uint32_t count);

// lower_async.c
Status lower_cp(Lowering *lowering, Instruction *out, Error *err);
Status lower_mbarrier(Lowering *lowering, Instruction *out, Error *err);
Status lower_policy(Lowering *lowering, Instruction *out, Error *err);

// One a family; each fills in operands and exec.
Status lower_table(Lowering *lowering, Instruction *out, Error *err);  // by opcodes.def
Status lower_video(Lowering *lowering, Instruction *out, Error *err);
Status lower_compare(Lowering *lowering, Instruction *out, Error *err);
Status lower_convert(Lowering *lowering, Instruction *out, Error *err);
Status lower_move(Lowering *lowering, Instruction *out, Error *err);
Status lower_memory(Lowering *lowering, Instruction *out, Error *err);
Status lower_atomic(Lowering *lowering, Instruction *out, Error *err);
Status lower_texture(Lowering *lowering, Instruction *out, Error *err);
Status lower_control(Lowering *lowering, Instruction *out, Error *err);
Status lower_barrier(Lowering *lowering, Instruction *out, Error *err);
Status lower_lane(Lowering *lowering, Instruction *out, Error *err);
Status lower_matrix(Lowering *lowering, Instruction *out, Error *err);

// registers.c: replaces virtual registers by places in the frame; sets
// frame_bytes, registers and predicate_count.
Status registers_allocate(Lowering *lowering, const Flow *flow, Error *err);
// register_estimate.c: what a thread would need on hardware; before allocation.
uint32_t registers_estimate(const Lowering *lowering, const Flow *flow);
// register_allocation.c: what optimised code needs, by colouring; before allocation.
uint32_t registers_allocation(const Lowering *lowering, const Flow *flow);

#endif
