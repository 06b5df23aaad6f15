// SPDX-License-Identifier: MIT
// A program: linked and decoded modules, ready to execute. It is immutable after loading;
// each device has its own, because it contains device addresses.
//
// Addresses of a program's variables are assigned at link time, from an address chosen by
// the device; program_place_variables allocates and initialises them in device memory.
#ifndef ISA_PROGRAM_H
#define ISA_PROGRAM_H

#include "base/arena.h"
#include "base/error.h"
#include "isa/instruction.h"

// A function implemented natively, such as vprintf: executed for all lanes of mask in one
// step. Arguments and result are accessed with native_* (native.h).
typedef void (*NativeFn)(ExecContext *context, Warp *warp, const CallSite *site, uint32_t mask);

// A parameter or result of a function, or a variable in its frame.
typedef struct Slot {
  const char *name;
  uint32_t offset;  // kernel: in the parameter block; .func: in the stack frame
  uint32_t size_bytes;
  uint32_t alignment;
  Place place;    // of a .func parameter or result declared .reg; else NO_PLACE
  DataType type;  // of an element
} Slot;

// A register of a kernel that is preloaded with a parameter or a launch dimension:
// hardware reads these as operands from constant memory, without a separate instruction.
typedef struct Preload {
  Place place;
  uint32_t offset;     // in the parameter block
  uint8_t size_bytes;  // 4 or 8
  uint8_t special;     // not 0: a SpecialRegister of 32 bits instead of a parameter
} Preload;

typedef struct Function {
  const char *name;
  const char *title;  // what people call it (base/text/readable_name.h); NULL: its name
  const char *path;  // of its module's file, for messages
  bool is_kernel;
  NativeFn native;             // not NULL: has no code
  uint32_t index;              // in Program.functions
  uint32_t entry, code_count;  // in Program.code
  uint32_t frame_bytes;        // of registers, all 32 lanes
  uint32_t local_bytes;  // of a thread's stack frame: .local variables, and .param ones of a .func
  uint32_t stack_bytes;  // local_bytes and what everything it calls needs
  uint32_t variable_bytes;  // .local variables alone, with those of everything it calls
  bool stack_is_unbounded;  // it recurses, calls through pointers or takes more: stack_bytes is no bound
  uint32_t static_shared_bytes;
  uint32_t registers;  // 32-bit registers a thread, for occupancy
  bool moves_registers;  // between warps of a CTA (setmaxnreg), from `registers` each on
  uint32_t predicate_count;
  uint32_t param_bytes;  // kernel
  Slot *params, *results;
  uint32_t param_count, result_count;
  Preload *preloads;  // by the optimising pass only
  uint32_t preload_count;
  uint32_t max_threads[3], required_threads[3];  // .maxntid .reqntid; 0 = not given
  uint32_t min_ctas_per_sm, max_registers;       // .minnctapersm .maxnreg
  uint32_t cluster[3];                           // .reqnctapercluster; 0 = not given
} Function;

// One end of a parameter passed at a call: in the caller's frame or in a register.
typedef struct Argument {
  uint32_t offset;
  uint32_t size_bytes;
  Place place;  // not NO_PLACE: a register or constant
} Argument;

struct CallSite {
  const Function *callee;    // NULL: indirect, src[0] holds the function's address
  Argument *args, *results;  // as many as the callee (or the prototype) has
  uint32_t arg_count, result_count;
};

typedef struct Variable {
  const char *name;
  Space space;  // GLOBAL, CONST or TEXTURE (a .texref)
  uint64_t address, size_bytes, alignment;
  const uint8_t *initial;  // the first initial_bytes; the rest is zero
  uint64_t initial_bytes;
} Variable;

typedef struct SourceLine {
  const char *file;
  uint32_t line, column;  // column 0: unknown
} SourceLine;

typedef struct Program {
  Instruction *code;
  RegisterUse *register_uses;  // parallel to code
  uint32_t code_count;
  uint32_t register_id_count;  // ids are below this, in every function
  Function *functions;
  uint32_t function_count;
  Variable *variables;
  uint32_t variable_count;
  SourceLine *sources;  // [0] means unknown
  uint32_t source_count;
  uint8_t *pool;  // constants; Place ~x is at pool + x
  uint32_t pool_bytes;
  const char *path;      // of its first file, for messages
  uint64_t end_address;  // first free address after its variables
  Arena arena;           // owns all of the above
} Program;

static inline const char *function_title(const Function *function) {
  return function->title ? function->title : function->name;
}

const Function *program_find_kernel(const Program *program, const char *name);
const Variable *program_find_variable(const Program *program, const char *name);
// The function that contains pc.
const Function *program_function_at(const Program *program, uint32_t pc);
void program_destroy(Program *program);

// Function addresses as the simulated program sees them.
#define FUNCTION_WINDOW 0x04000000u
enum { FUNCTION_STRIDE = 16 };
static inline uint64_t function_address(uint32_t index) {
  return FUNCTION_WINDOW + (uint64_t)index * FUNCTION_STRIDE;
}
// NULL if no function is there.
const Function *program_function_from_address(const Program *program, uint64_t address);

#endif
