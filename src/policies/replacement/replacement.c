// SPDX-License-Identifier: MIT
#include "policies/replacement/replacement.h"

#include <assert.h>

#include "base/memory.h"

#define REPLACEMENT(name) extern const ReplacementType name##_replacement;
#include "policies/replacement/replacements.def"
#undef REPLACEMENT

static const PolicyType *const types[] = {
#define REPLACEMENT(name) &name##_replacement.policy,
#include "policies/replacement/replacements.def"
#undef REPLACEMENT
    NULL};

static const char *missing(const PolicyType *type) {
  return ((const ReplacementType *)type)->victim ? NULL : "victim";
}

const PolicyFamily replacement_family = {
    .name = "replacement",
    .question = "which line of a set is given up for a new one?",
    .types = types,
    .missing = missing,
};

Status replacement_init(Replacement *replacement, const PolicySet *more, const char *spec,
                        Error *err) {
  const PolicyType *type;
  *replacement = (Replacement){0};
  TRY(policy_find(&replacement_family, more, spec, &type, err));
  replacement->type = (const ReplacementType *)type;  // its first member
  replacement->state = memory_alloc(type->state_size ? type->state_size : 1);
  Status status = policy_init(type, spec, replacement->state, err);
  if (status != OK) replacement_clear(replacement);
  return status;
}

void replacement_clear(Replacement *replacement) {
  memory_free(replacement->state);
  *replacement = (Replacement){0};
}

uint32_t replacement_victim(const Replacement *replacement, const SetView *view) {
  assert(view->candidates);
  uint32_t way = replacement->type->victim(replacement->state, view);
  POLICY_REQUIRE(replacement->type, way < view->ways && (view->candidates >> way & 1));
  return way;
}
