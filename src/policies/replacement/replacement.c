// SPDX-License-Identifier: MIT
// The family table of replacement, and the checked choice of a victim.
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
    .question = "which line of a set is evicted?",
    .types = types,
    .missing = missing,
};

Status replacement_init(Replacement *replacement, PolicyHost *host, const char *spec,
                        const CacheShape *shape, Error *err) {
  const PolicyType *type;
  PolicyPlace place = {.sm = POLICY_EVERY_SM, .cluster = POLICY_EVERY_SM, .part = shape};
  *replacement = (Replacement){0};
  if (!host) host = replacement->own = memory_alloc(sizeof *host);
  Status status = policy_host_make(host, &replacement_family, spec, place, &type,
                                   &replacement->state, err);
  replacement->type = (const ReplacementType *)type;  // its first member
  if (status != OK) replacement_clear(replacement);
  return status;
}

void replacement_clear(Replacement *replacement) {
  if (replacement->own) policy_host_clear(replacement->own);
  memory_free(replacement->own);
  *replacement = (Replacement){0};
}

uint32_t replacement_victim(const Replacement *replacement, const SetView *view) {
  assert(view->candidates);
  uint32_t way = replacement->type->victim(replacement->state, view);
  POLICY_REQUIRE(replacement->type, way < view->ways && (view->candidates >> way & 1));
  return way;
}
