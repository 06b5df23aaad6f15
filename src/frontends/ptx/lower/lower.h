// SPDX-License-Identifier: MIT
// Lowers a parsed function to instructions, one for one.
//
// During lowering, a non-negative place is the number of a virtual register:
// first the registers of the parsed function, then hidden ones. registers.c
// replaces it with the register's place in the frame.
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
  const PtxInstruction *in;    // current instruction
  RegisterUse *register_uses;  // parallel to code
  Instruction *code;           // of the function; branch targets are relative to it
  uint32_t code_count;
  uint32_t last_source;  // last line in a file of the user, as in Instruction.source
  DataType *register_types;
  uint32_t register_count, register_capacity;
  // Registers of the optimising pass follow those of the program. Except for
  // preloaded ones, the machine has them, too; all others are hidden.
  uint32_t first_made;  // 0 = none
  uint32_t first_preloaded, end_preloaded;
} Lowering;

// How the width of an operand must match that of the expected type.
typedef enum WidthRule {
  WIDTH_EXACT,
  WIDTH_AT_LEAST,  // ld, st and cvt may use wider registers than their type
} WidthRule;

// lower_operand.c
Status lower_source(Lowering *lowering, const PtxOperand *operand, DataType expected,
                    WidthRule rule, Instruction *out, Place *place, Error *err);
Status lower_destination(Lowering *lowering, const PtxOperand *operand, DataType expected,
                         WidthRule rule, Place *place, Error *err);
// Predicate source k, which may be negated.
Status lower_predicate(Lowering *lowering, const PtxOperand *operand, int k, Instruction *out,
                       Error *err);
// Lowers [base + offset] to src[source], offset, address_bytes and address_base.
// Sets form.space if only the variable determines it.
Status lower_address(Lowering *lowering, const PtxOperand *operand, int source, Instruction *out,
                     Error *err);
// Address of a variable or function: a constant, or relative to a base.
Status lower_symbol(Lowering *lowering, const PtxOperand *operand, uint64_t *value,
                    AddressBase *base, Space *space, Error *err);
// Whether the operand names a variable, parameter, result or function.
bool operand_is_symbol(const PtxOperand *operand);
// Allocates an operand list for an instruction with more operands than dst and src hold; all
// entries are NO_PLACE.
PlaceList *lower_new_list(Lowering *lowering, uint32_t dst_count, uint32_t src_count);
// Allocates a register that is invisible to the program.
Place lower_hidden(Lowering *lowering, DataType type);
int lower_register_bytes(const Lowering *lowering, Place place);
Status lower_error(const Lowering *lowering, PtxPosition position, Error *err, Status status,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));
Status lower_want_operands(const Lowering *lowering, uint32_t least, uint32_t most, Error *err);

// Reserves capacity for this many instructions of the function; code may move.
void lower_reserve(Lowering *lowering, uint32_t count);

// lower_async.c
Status lower_group_count(Lowering *lowering, Instruction *out, Error *err);  // to offset
Status lower_cp(Lowering *lowering, Instruction *out, Error *err);
// The mbarrier of an asynchronous operation: src[3], src[4] and dst_bytes.
Status lower_barrier_address(Lowering *lowering, const PtxOperand *operand, Instruction *out,
                             Error *err);
Status lower_tensormap(Lowering *lowering, Instruction *out, Error *err);
Status lower_mbarrier(Lowering *lowering, Instruction *out, Error *err);
Status lower_policy(Lowering *lowering, Instruction *out, Error *err);

// One function per family; each sets the operands and exec.
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

// address_params.c: sets Instruction.param; call before optimisation.
void addresses_trace(Lowering *lowering);
// registers.c: replaces virtual registers with places in the frame; sets
// frame_bytes, registers and predicate_count.
Status registers_allocate(Lowering *lowering, const Flow *flow, Error *err);
// register_estimate.c: registers per thread on hardware; call before allocation.
uint32_t registers_estimate(const Lowering *lowering, const Flow *flow);
// register_allocation.c: registers per thread of optimised code, by colouring; call before
// allocation.
uint32_t registers_allocation(const Lowering *lowering, const Flow *flow);

#endif
