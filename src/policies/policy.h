// SPDX-License-Identifier: MIT
// What all policies have in common.
//
// A family is a question that the machine asks, such as "which ready warp
// issues next?"; a policy is one answer: a file that ends with a constant of
// its family's type, whose first member is a PolicyType, and one line in the
// family's .def file. The machine owns a policy's state: state_size bytes,
// zeroed, then set from its parameters.
//
// A spec names a policy and may set its parameters: "two_level:active_warps=8".
#ifndef POLICIES_POLICY_H
#define POLICIES_POLICY_H

#include "base/param.h"
#include "base/stats.h"

typedef struct PolicyType {
  const char *name;     // as a configuration spells it
  const char *summary;  // one line for `heddle list policies`
  size_t state_size;    // private state; parameters and counters are fields of it
  const Param *params;  // or NULL
  const Stat *stats;    // or NULL
  // Bits that hardware would keep for it in an SM with so many warps; NULL: not
  // said. The papers' tables of costs.
  uint64_t (*storage_bits)(const void *state, uint32_t warps);
} PolicyType;

typedef struct PolicyFamily {
  const char *name, *question;
  const PolicyType *const *types;  // ends with NULL
  // The function that a policy owes and does not have; NULL: it has all.
  const char *(*missing)(const PolicyType *type);
} PolicyFamily;

// Policies that a run has besides the built-in ones (plugin.h). NULL stands
// for none wherever one is asked for.
typedef struct PolicySet {
  struct ExtraPolicy {
    const PolicyFamily *family;
    const PolicyType *type;
    void *library;
  } * extras;
  uint32_t count, capacity;
} PolicySet;

enum { POLICY_SPEC_BYTES = 128 };

// A family's policies by index, the built-in ones first; NULL behind the last.
const PolicyType *policy_at(const PolicyFamily *family, const PolicySet *more, size_t index);
// Whether the spec names the policy, with or without parameters.
bool policy_is_named(const PolicyType *type, const char *spec);
// Writes "lrr, gto, two_level"; returns out.
enum { POLICY_NAMES_BYTES = 512 };
const char *policy_names(const PolicyFamily *family, const PolicySet *more,
                         char out[POLICY_NAMES_BYTES]);

// The policy that a spec names. An unknown one is an error that lists those
// there are.
Status policy_find(const PolicyFamily *family, const PolicySet *more, const char *spec,
                   const PolicyType **type, Error *err);
// Sets a zeroed state from the defaults and then from the spec.
Status policy_init(const PolicyType *type, const char *spec, void *state, Error *err);
// Both, with a state from the arena.
Status policy_make(const PolicyFamily *family, const PolicySet *more, const char *spec,
                   Arena *arena, const PolicyType **type, void **state, Error *err);

// An answer that is not allowed ends the program at the call and says whose it
// was: a bug of the policy, not of the simulated program.
_Noreturn void policy_is_broken(const PolicyType *type, const char *rule);
#define POLICY_REQUIRE(type, rule)                                               \
  do {                                                                           \
    if (__builtin_expect(!(rule), 0)) policy_is_broken(&(type)->policy, #rule); \
  } while (0)

#endif
