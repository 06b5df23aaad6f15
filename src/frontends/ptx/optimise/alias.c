// SPDX-License-Identifier: MIT
// Memory dependences: which instructions of a block may be reordered.
#include "frontends/ptx/optimise/alias.h"

static uint32_t element_count(const Instruction *in) {
  return in->form.vector > 1 ? in->form.vector : 1;
}

uint32_t access_bytes(const Instruction *in) {
  return (uint32_t)type_bytes((DataType)in->form.type) * element_count(in);
}

bool access_is_plain(const Instruction *in) {
  bool is_access = in->form.op == OP_LD || in->form.op == OP_LDU || in->form.op == OP_ST;
  return is_access && in->form.mode != MODE_ASYNC && !in->form.volatile_ &&
         in->form.scope == SCOPE_NONE && !in->special[0] && in->form.cache != CACHE_VOLATILE;
}

bool access_is_store(const Instruction *in) {
  return in->form.op == OP_ST;
}

bool access_same_base(const Instruction *a, const Instruction *b) {
  return a->form.space == b->form.space && a->src[0] == b->src[0] &&
         a->address_base == b->address_base && a->address_bytes == b->address_bytes;
}

bool access_is_read_only(const Instruction *in) {
  return access_is_plain(in) && in->form.op == OP_LD && in->form.cache == CACHE_NON_COHERENT;
}

// Constant and parameter memory do not change during a kernel.
static bool is_constant(const Instruction *in) {
  return in->form.space == SPACE_CONST || in->form.space == SPACE_PARAM;
}

static bool may_share_space(Space a, Space b) {
  if (a == b || a == SPACE_GENERIC || b == SPACE_GENERIC) return true;
  // Parameters of a function are in its frame, which is local memory.
  bool are_frames =
      (a == SPACE_LOCAL || a == SPACE_FRAME) && (b == SPACE_LOCAL || b == SPACE_FRAME);
  return are_frames;
}

static bool overlap(const Instruction *a, const Instruction *b) {
  uint64_t from = (uint64_t)b->offset - (uint64_t)a->offset;
  if (a->address_bytes == 4) from = (uint32_t)from;
  uint64_t back = 0 - from;
  if (a->address_bytes == 4) back = (uint32_t)back;
  return from < access_bytes(a) || back < access_bytes(b);
}

bool access_conflicts(const Instruction *a, const Instruction *b, bool is_base_unchanged) {
  if (!access_is_store(a) && !access_is_store(b)) return false;
  if (is_constant(a) || is_constant(b)) return false;
  if (!may_share_space((Space)a->form.space, (Space)b->form.space)) return false;
  return is_base_unchanged && access_same_base(a, b) ? overlap(a, b) : true;
}

bool access_is_fenced(const Instruction *in) {
  switch (opcode_info[in->form.op].family) {
    case FAMILY_ARITHMETIC:
    case FAMILY_VIDEO:
    case FAMILY_COMPARE:
    case FAMILY_CONVERT:
    case FAMILY_MOVE: return false;
    case FAMILY_MEMORY: return !access_is_plain(in);
    case FAMILY_MATRIX: return form_class(&in->form) != CLASS_TENSOR || in->form.op == OP_WGMMA;
    case FAMILY_TEXTURE: return in->form.op != OP_TEX && in->form.op != OP_TLD4;
    default: return true;
  }
}
