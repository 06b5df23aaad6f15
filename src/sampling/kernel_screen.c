// SPDX-License-Identifier: MIT
// Searches a kernel's code for reasons not to sample it.
#include "sampling/kernel_screen.h"

#include "base/memory.h"
#include "isa/special.h"

static const Screen fine = {SCREEN_SAMPLE, NULL};

// The stricter of two; of equal ones the first.
static Screen stricter(Screen a, Screen b) {
  return b.verdict > a.verdict ? b : a;
}

static Screen of_special(uint8_t special) {
  switch (special) {
    case SPECIAL_CLOCK:
    case SPECIAL_CLOCK_HI:
    case SPECIAL_CLOCK64:
    case SPECIAL_GLOBALTIMER:
    case SPECIAL_GLOBALTIMER_LO:
    case SPECIAL_GLOBALTIMER_HI: return (Screen){SCREEN_TIMED, "it reads clocks"};
    case SPECIAL_SMID:
    case SPECIAL_WARPID: return (Screen){SCREEN_TIMED, "it reads %smid or %warpid"};
    default: return fine;
  }
}

static bool has_destination(const Instruction *in) {
  for (uint32_t k = 0; k < MAX_DESTINATIONS; k++)
    if (in->dst[k] != NO_PLACE) return true;
  return in->list && in->list->dst_count;
}

// Shared and local memory are a CTA's own.
static bool is_common(const Instruction *in) {
  return in->form.space != SPACE_SHARED && in->form.space != SPACE_LOCAL;
}

static Screen of_instruction(const Instruction *in) {
  Screen screen = fine;
  for (uint32_t k = 0; k < MAX_SPECIALS; k++) screen = stricter(screen, of_special(in->special[k]));
  switch (in->form.op) {
    case OP_ATOM:
      if (is_common(in) && has_destination(in))
        screen = stricter(screen, (Screen){SCREEN_WHOLE, "it uses results of global atomics"});
      break;
    case OP_LD:
      if (is_common(in) && in->form.volatile_)
        screen = stricter(screen, (Screen){SCREEN_WHOLE, "it has volatile or ordered loads"});
      break;
    case OP_MEMBAR:
    case OP_FENCE:
      if (in->form.scope != SCOPE_CTA)
        screen = stricter(screen, (Screen){SCREEN_WHOLE, "it has memory fences"});
      break;
    default: break;
  }
  return screen;
}

static Screen of_call(const Instruction *in) {
  if (!in->call->callee) return (Screen){SCREEN_WHOLE, "it calls through pointers"};
  if (in->call->callee->native)
    return (Screen){SCREEN_TIMED, "it launches kernels, allocates or prints"};
  return fine;
}

// Visits every function that the kernel may call; one through a pointer may be any.
static Screen of_function(const Program *program, const Function *function, bool *was_visited) {
  Screen screen = fine;
  if (was_visited[function->index]) return fine;
  was_visited[function->index] = true;
  for (uint32_t pc = function->entry; pc < function->entry + function->code_count; pc++) {
    const Instruction *in = &program->code[pc];
    screen = stricter(screen, of_instruction(in));
    if (in->form.op != OP_CALL) continue;
    screen = stricter(screen, of_call(in));
    if (in->call->callee && !in->call->callee->native)
      screen = stricter(screen, of_function(program, in->call->callee, was_visited));
    for (uint32_t f = 0; !in->call->callee && f < program->function_count; f++) {
      const Function *any = &program->functions[f];
      if (any->native || any->is_kernel) continue;
      screen = stricter(screen, of_function(program, any, was_visited));
    }
  }
  return screen;
}

Screen kernel_screen(const Launch *launch) {
  const Program *program = launch->program;
  if (launch->replay) return (Screen){SCREEN_TIMED, "it is replayed from a trace"};
  if (launch->workspace) return (Screen){SCREEN_WHOLE, "it is a cooperative launch"};
  if (launch_cluster_size(launch) > 1) return (Screen){SCREEN_WHOLE, "its CTAs form clusters"};
  bool *was_visited = memory_alloc(sizeof(bool) * program->function_count);
  Screen screen = of_function(program, launch->kernel, was_visited);
  for (uint32_t i = 0; i < launch->kernel->preload_count; i++)
    screen = stricter(screen, of_special(launch->kernel->preloads[i].special));
  memory_free(was_visited);
  return screen;
}
