// SPDX-License-Identifier: MIT
// Packs the arguments of a launch in a case file into the kernel's parameter block.
#include "runner/case/case_arguments.h"

#include <string.h>

#include "isa/types.h"

static Status refuse(const Slot *slot, const CaseValue *value, const char *why, Error *err) {
  return error_set(err, ERR_SYNTAX, "argument %s for parameter %s (.%s, %u bytes): %s",
                   value->text, slot->name, type_name(slot->type), slot->size_bytes, why);
}

static bool is_scalar(const Slot *slot) {
  return slot->size_bytes == 1 || slot->size_bytes == 2 || slot->size_bytes == 4 ||
         slot->size_bytes == 8;
}

// Whether the integer, signed or unsigned, fits in this many bytes.
static bool integer_fits(const CaseValue *value, uint32_t bytes) {
  if (bytes == 8) return true;
  uint64_t limit = 1ull << (8 * bytes);
  return value->negative ? value->integer >= (uint64_t)0 - limit / 2 : value->integer < limit;
}

static Status pack_integer(const Slot *slot, const CaseValue *value, uint8_t *to, Error *err) {
  if (type_kind(slot->type) == KIND_FLOAT)
    return refuse(slot, value, "the parameter is a float; write f:V", err);
  if (!integer_fits(value, slot->size_bytes)) return refuse(slot, value, "does not fit", err);
  for (uint32_t i = 0; i < slot->size_bytes; i++) to[i] = (uint8_t)(value->integer >> (8 * i));
  return OK;
}

static Status pack_float(const Slot *slot, const CaseValue *value, uint8_t *to, Error *err) {
  float single = (float)value->number;
  if (slot->size_bytes == 4)
    memcpy(to, &single, sizeof single);
  else if (slot->size_bytes == 8)
    memcpy(to, &value->number, sizeof value->number);
  else
    return refuse(slot, value, "a float has 4 or 8 bytes", err);
  return OK;
}

Status case_arguments_pack(const Function *kernel, const CaseLaunch *launch, uint8_t *block,
                           Error *err) {
  if (launch->arg_count != kernel->param_count)
    return error_set(err, ERR_SYNTAX, "kernel %s takes %u arguments, not %u", kernel->name,
                     kernel->param_count, launch->arg_count);
  for (uint32_t i = 0; i < kernel->param_count; i++) {
    const Slot *slot = &kernel->params[i];
    const CaseValue *value = &launch->args[i];
    if (!is_scalar(slot))
      return refuse(slot, value, "case files do not support structs or arrays", err);
    if (value->kind == CASE_FLOAT)
      TRY(pack_float(slot, value, block + slot->offset, err));
    else
      TRY(pack_integer(slot, value, block + slot->offset, err));
  }
  return OK;
}
