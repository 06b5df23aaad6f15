// SPDX-License-Identifier: MIT
// Stack and registers of a function including everything that it calls, computed in
// post-order. A function that is reached again while its callees are being processed
// is recursive.
#include "base/memory.h"
#include "frontends/ptx/link/linker.h"
#include "exec/warp.h"

typedef enum Mark { MARK_NEW, MARK_OPEN, MARK_DONE } Mark;

typedef struct Visit {
  uint32_t function;
  uint32_t next;  // callee
} Visit;

static uint32_t larger(uint32_t a, uint32_t b) {
  return a > b ? a : b;
}

// Adds the requirements of a callee to its caller's.
static void include(Linker *linker, uint32_t caller, uint32_t callee) {
  Function *into = &linker->program->functions[caller];
  const Function *from = &linker->program->functions[callee];
  if (from->native) return;
  into->stack_is_unbounded |= from->stack_is_unbounded;
  into->moves_registers |= from->moves_registers;
  into->stack_bytes =
      larger(into->stack_bytes, into->local_bytes + CALL_STACK_BYTES + from->stack_bytes);
  into->variable_bytes =
      larger(into->variable_bytes, linker->functions[caller].variable_bytes + from->variable_bytes);
  uint32_t across = linker->functions[caller].live_at_calls + from->registers;
  into->registers = larger(into->registers, across);
}

static void finish_from(Linker *linker, uint32_t start, Mark *marks, Visit *stack) {
  uint32_t depth = 0;
  stack[depth++] = (Visit){start, 0};
  marks[start] = MARK_OPEN;
  while (depth) {
    Visit *visit = &stack[depth - 1];
    const LinkedFunction *function = &linker->functions[visit->function];
    Function *linked = &linker->program->functions[visit->function];
    if (visit->next == function->callee_count) {
      marks[visit->function] = MARK_DONE;
      depth--;
      if (depth) include(linker, stack[depth - 1].function, visit->function);
      continue;
    }
    uint32_t callee = function->callees[visit->next++];
    if (marks[callee] == MARK_OPEN) {
      linked->stack_is_unbounded = true;
    } else if (marks[callee] == MARK_DONE) {
      include(linker, visit->function, callee);
    } else {
      marks[callee] = MARK_OPEN;
      stack[depth++] = (Visit){callee, 0};
    }
  }
}

// The calling convention reserves registers for calls that are not inlined.
static void reserve_for_calls(const Linker *linker, uint32_t f) {
  enum { CALL_REGISTERS = 24 };
  const LinkedFunction *function = &linker->functions[f];
  Function *linked = &linker->program->functions[f];
  bool calls = linked->stack_is_unbounded;
  for (uint32_t i = 0; i < function->callee_count; i++)
    calls |= linker->functions[function->callees[i]].native != NULL;
  if (calls) linked->registers = larger(linked->registers, CALL_REGISTERS);
}

// Registers per thread under .maxntid and .minnctapersm: 65,536 per SM, as on every
// GPU since Kepler, in multiples of eight.
static uint32_t launch_bound(const Function *function) {
  enum { SM_REGISTERS = 65536, UNIT = 8, WARP = 32, MOST = 255 };
  const uint32_t *most =
      function->required_threads[0] ? function->required_threads : function->max_threads;
  uint64_t threads = (uint64_t)most[0] * most[1] * most[2];
  if (!threads) return MOST;
  uint64_t warps = (threads + WARP - 1) / WARP, ctas = larger(function->min_ctas_per_sm, 1);
  uint64_t each = SM_REGISTERS / WARP / UNIT / (warps * ctas) * UNIT;
  return each < MOST ? (uint32_t)each : MOST;
}

// Warps that pass registers on start with as many as .maxnreg or the launch bounds allow. Without
// either their number is not known, and setmaxnreg has no effect (PTX: it may be ignored).
static void find_moved_registers(Function *function) {
  bool is_bounded = function->max_threads[0] || function->required_threads[0];
  if (!function->moves_registers) return;
  function->moves_registers = function->max_registers || is_bounded;
  if (function->max_registers)
    function->registers = function->max_registers;
  else if (is_bounded)
    function->registers = launch_bound(function);
}

static void cap_registers(Function *function) {
  enum { LEAST = 16 };
  uint32_t bound = larger(launch_bound(function), LEAST);
  if (function->registers > bound) function->registers = bound;
  if (function->max_registers && function->registers > function->max_registers)
    function->registers = function->max_registers;
}

void call_graph_finish(Linker *linker) {
  uint32_t count = linker->function_count;
  for (uint32_t f = 0; f < count; f++) {
    Function *function = &linker->program->functions[f];
    function->stack_bytes = function->local_bytes;
    function->variable_bytes = linker->functions[f].variable_bytes;
    function->moves_registers = linker->functions[f].moves_registers;
    function->stack_is_unbounded =
        linker->functions[f].calls_indirectly || linker->functions[f].takes_stack;
  }
  Mark *marks = memory_alloc(sizeof *marks * (count + 1));
  Visit *stack = memory_alloc(sizeof *stack * (count + 1));
  for (uint32_t f = 0; f < count; f++)
    if (marks[f] == MARK_NEW) finish_from(linker, f, marks, stack);
  for (uint32_t f = 0; f < count; f++) {
    reserve_for_calls(linker, f);
    find_moved_registers(&linker->program->functions[f]);
    cap_registers(&linker->program->functions[f]);
  }
  memory_free(marks);
  memory_free(stack);
}
