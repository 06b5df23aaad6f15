// SPDX-License-Identifier: MIT
// The built-in observers, as listed by `heddle list observers`.
#include "observers/observers.h"

#define OBSERVER(name) extern const ObserverType name##_observer;
#include "observers/observers.def"
#undef OBSERVER

static const PolicyType *const types[] = {
#define OBSERVER(name) &name##_observer.policy,
#include "observers/observers.def"
#undef OBSERVER
    NULL};

const PolicyFamily observer_family = {
    .name = "observer",
    .question = "which additional tables are recorded?",
    .types = types,
};

Status observer_find(const char *spec, const PolicySet *more, const ObserverType **type,
                     Error *err) {
  const PolicyType *found;
  TRY(policy_find(&observer_family, more, spec, &found, err));
  *type = (const ObserverType *)found;  // its first member
  return OK;
}
