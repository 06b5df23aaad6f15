// SPDX-License-Identifier: MIT
// Branches, calls and exits. They only move lanes on the SIMT stack (warp.h); the machine
// models the cost of a taken branch.
#include <string.h>

#include "exec/execute.h"

// A branch that all lanes take, or a loop that all continue, leaves the stack alone.
static void exec_bra(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask) {
  (void)context;
  if (in->leaves && warp_break(warp, mask, in->target)) return;
  SimtEntry *top = warp_top(warp);
  if (mask == top->mask) {
    top->pc = in->target;
    return;
  }
  // The path that jumps runs first, as in GPGPU-Sim.
  WarpPath paths[2] = {{top->pc, top->mask & ~mask}, {in->target, mask}};
  if (in->outer)
    warp_diverge_inside(warp, paths, 2, in->reconverge, in->outer);
  else
    warp_diverge(warp, paths, 2, in->reconverge);
}

// Groups the lanes of mask by target; lanes whose guard is false fall through. Returns the
// number of groups.
static uint32_t group_by_target(const Warp *warp, const uint32_t *targets, uint32_t mask,
                                WarpPath paths[WARP_LANES + 1]) {
  const SimtEntry *top = warp_top(warp);
  uint32_t count = 0, staying = top->mask & ~mask;
  if (staying) paths[count++] = (WarpPath){top->pc, staying};
  while (mask) {
    uint32_t target = targets[__builtin_ctz(mask)], lanes = 0;
    for (uint32_t left = mask; left; left &= left - 1)
      if (targets[__builtin_ctz(left)] == target) lanes |= left & -left;
    paths[count++] = (WarpPath){target, lanes};
    mask &= ~lanes;
  }
  return count;
}

static void exec_brx(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask) {
  const uint32_t *index = place_at(warp, in->src[0]);
  uint32_t targets[WARP_LANES];
  for (uint32_t left = mask; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    if (index[lane] >= (uint64_t)in->offset) {
      fault_raise(context, warp, FAULT_BAD_INDEX, lane);
      return;
    }
    targets[lane] = in->targets[index[lane]];
  }
  WarpPath paths[WARP_LANES + 1];
  uint32_t count = group_by_target(warp, targets, mask, paths);
  if (count == 1)
    warp_top(warp)->pc = paths[0].pc;
  else
    warp_diverge(warp, paths, count, in->reconverge);
}

static uint8_t *frame_of(const Warp *warp, uint32_t local_frame, uint32_t offset, int lane) {
  return warp->local + (size_t)warp->local_bytes * (size_t)lane + local_frame + offset;
}

// Location of one lane's parameter: a register or the stack frame.
static uint8_t *argument_at(const Warp *warp, const SimtEntry *entry, Place place, uint32_t offset,
                            uint32_t bytes, int lane) {
  if (place == NO_PLACE) return frame_of(warp, entry->local_frame, offset, lane);
  uint8_t *lanes = place >= 0 ? warp->registers + entry->frame + place : warp->base[1] + ~place;
  return lanes + (size_t)lane * (bytes == 8 ? 8 : 4);
}

// A narrow value in a register has its upper bits zero.
static void copy_argument(uint8_t *to, const uint8_t *from, uint32_t bytes, bool to_register) {
  if (to_register && bytes < 4) memset(to, 0, 4);
  memcpy(to, from, bytes);
}

static void copy_arguments(const Warp *warp, const CallSite *site, const Function *callee,
                           const SimtEntry *caller, const SimtEntry *called, uint32_t mask) {
  for (uint32_t k = 0; k < site->arg_count; k++) {
    const Argument *from = &site->args[k];
    const Slot *to = &callee->params[k];
    for (uint32_t left = mask; left; left &= left - 1) {
      int lane = __builtin_ctz(left);
      copy_argument(argument_at(warp, called, to->place, to->offset, to->size_bytes, lane),
                    argument_at(warp, caller, from->place, from->offset, from->size_bytes, lane),
                    to->size_bytes, to->place != NO_PLACE);
    }
  }
}

static void copy_results(const Warp *warp, const CallSite *site, const Function *callee,
                         const SimtEntry *caller, const SimtEntry *called, uint32_t mask) {
  for (uint32_t k = 0; k < site->result_count; k++) {
    const Argument *to = &site->results[k];
    const Slot *from = &callee->results[k];
    for (uint32_t left = mask; left; left &= left - 1) {
      int lane = __builtin_ctz(left);
      copy_argument(argument_at(warp, caller, to->place, to->offset, to->size_bytes, lane),
                    argument_at(warp, called, from->place, from->offset, from->size_bytes, lane),
                    to->size_bytes, to->place != NO_PLACE);
    }
  }
}

// Recursion beyond the stack size is a fault, as on hardware.
static bool stack_has_room(const Warp *warp, uint32_t caller, const Function *callee,
                           uint32_t mask) {
  const SimtEntry *entry = &warp->stack[caller];
  uint64_t needed = (uint64_t)entry->local_frame + entry->function->local_bytes + CALL_STACK_BYTES +
                    callee->local_bytes;
  return needed + warp_taken(warp, mask) <= warp->local_bytes;
}

// A callee reached through a pointer must have the signature of the call.
static bool signature_fits(const CallSite *site, const Function *callee) {
  if (callee->is_kernel || callee->param_count != site->arg_count ||
      callee->result_count != site->result_count)
    return false;
  for (uint32_t k = 0; k < site->arg_count; k++)
    if (callee->params[k].size_bytes != site->args[k].size_bytes) return false;
  for (uint32_t k = 0; k < site->result_count; k++)
    if (callee->results[k].size_bytes != site->results[k].size_bytes) return false;
  return true;
}

static void call(ExecContext *context, Warp *warp, uint32_t caller, const Function *callee,
                 const CallSite *site, uint32_t mask) {
  if (callee->native) {
    callee->native(context, warp, site, mask);
    return;
  }
  if (!stack_has_room(warp, caller, callee, mask)) {
    fault_raise(context, warp, FAULT_STACK_OVERFLOW, __builtin_ctz(mask));
    return;
  }
  warp_enter(warp, caller, callee, site, mask);
  copy_arguments(warp, site, callee, &warp->stack[caller], warp_top(warp), mask);
}

// Lanes may call different functions: one entry each on top of the caller's,
// all of which return to it. Natives come first, since they look for their
// arguments in the top entry's frame.
static void call_groups(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask,
                        const uint64_t address[WARP_LANES], uint32_t caller, bool natives) {
  while (mask && !context->fault.kind) {
    int lane = __builtin_ctz(mask);
    uint32_t together = 0;
    for (uint32_t left = mask; left; left &= left - 1)
      if (address[__builtin_ctz(left)] == address[lane]) together |= left & -left;
    mask &= ~together;
    const Function *callee =
        program_function_from_address(warp->cta->launch->program, address[lane]);
    if (!callee || !signature_fits(in->call, callee))
      fault_raise_access(context, warp, FAULT_BAD_CALL, lane, SPACE_GENERIC, address[lane], 0,
                         false);
    else if ((callee->native != NULL) == natives)
      call(context, warp, caller, callee, in->call, together);
  }
}

static void call_indirect(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask) {
  uint64_t address[WARP_LANES];
  const void *lanes = place_at(warp, in->src[0]);
  for (int i = 0; i < WARP_LANES; i++)
    address[i] =
        in->address_bytes == 8 ? ((const uint64_t *)lanes)[i] : ((const uint32_t *)lanes)[i];
  uint32_t caller = warp->stack_depth - 1;
  call_groups(context, warp, in, mask, address, caller, true);
  call_groups(context, warp, in, mask, address, caller, false);
}

static void exec_call(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask) {
  if (in->call->callee)
    call(context, warp, warp->stack_depth - 1, in->call->callee, in->call, mask);
  else
    call_indirect(context, warp, in, mask);
}

static void exec_ret(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask) {
  (void)context;
  (void)in;
  SimtEntry called = *warp_top(warp);
  if (called.depth == 0) {
    warp_exit(warp, mask);
    return;
  }
  const SimtEntry *begun = warp_top(warp);
  while (!begun->site) begun--;
  SimtEntry caller = {.frame = begun->caller_frame, .local_frame = begun->caller_local_frame};
  copy_results(warp, begun->site, called.function, &caller, &called, mask);
  warp_leave(warp, mask);
}

static void exec_exit(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask) {
  (void)context;
  (void)in;
  warp_exit(warp, mask);
}

static void exec_trap(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask) {
  (void)in;
  fault_raise(context, warp, FAULT_TRAP, __builtin_ctz(mask));
}

ExecFn exec_find_control(const Form *form) {
  switch (form->op) {
    case OP_BRA: return exec_bra;
    case OP_BRX: return exec_brx;
    case OP_CALL: return exec_call;
    case OP_RET: return exec_ret;
    case OP_EXIT: return exec_exit;
    case OP_TRAP:
    case OP_BRKPT: return exec_trap;
    default: return NULL;
  }
}
