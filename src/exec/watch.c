// SPDX-License-Identifier: MIT
// Translates executed instructions to the calls of a watcher such as the race check.
#include "exec/watch.h"

#include "exec/memory/memory_access.h"

void watch_step(const ExecContext *context, const Warp *warp, const Instruction *in,
                uint32_t mask) {
  const ExecWatch *watch = context->watch;
  if (!watch || context->fault.kind) return;
  if (watch->stepped) watch->stepped(watch->self, context, warp, in, mask);
  if (!mask) return;
  if (context->access.mask) watch->accessed(watch->self, context, warp, in);
  if (opcode_info[in->form.op].family == FAMILY_BARRIER || warp->state == WARP_DONE)
    watch->synchronised(watch->self, context, warp, in, mask);
}

uint32_t watch_stored_word(const Warp *warp, const Instruction *in, int lane, uint32_t offset) {
  uint32_t size = element_bytes(in->form.type);
  uint32_t lane_bytes = size == 8 || in->src_bytes == 8 ? 8 : 4;
  const uint8_t *lanes = place_at(warp, vector_sources(in)[offset / size]);
  uint32_t word = 0;
  memcpy(&word, lanes + (size_t)lane * lane_bytes + offset % size,
         size < 4 ? size - offset % size : 4);
  return word;
}
