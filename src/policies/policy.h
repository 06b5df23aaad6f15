// SPDX-License-Identifier: MIT
// Common part of all policies.
//
// A family is a decision of the machine, such as "which ready warp issues next?"; a
// policy implements it: a file that ends with a constant of its family's type, whose
// first member is a PolicyType, and one line in the family's .def file. The machine
// owns a policy's state: state_size bytes, zeroed, set from its parameters, then passed
// to `init`.
//
// A spec names a policy and may set its parameters: "two_level:active_warps=8".
#ifndef POLICIES_POLICY_H
#define POLICIES_POLICY_H

#include "base/arena.h"
#include "base/param.h"
#include "base/result_table.h"
#include "base/stats.h"
#include "policies/kernel_view.h"
#include "policies/machine_view.h"

// For states that belong to the whole GPU.
#define POLICY_EVERY_SM UINT32_MAX

// What a policy receives when its state is created, before any other call.
typedef struct PolicySetup {
  const MachineView *machine;
  Arena *arena;          // memory that lives as long as the state
  uint32_t sm, cluster;  // that the state belongs to, or POLICY_EVERY_SM
  uint32_t index;        // of several in one place: scheduler of an SM, DRAM channel
  const void *part;      // the component it serves, if the family's header defines one; or NULL
  // The part of the scheme that PolicyType.shares names; NULL: it shares none.
  // A part with a state per SM is found by the policies of an SM as `shared`,
  // by those of the GPU as shared_by_sm[sm].
  void *shared;
  void *const *shared_by_sm;
  // For functions of the life cycle: an error that prevents continuing, such as a run that
  // deviates from the recorded one. Status OK until one of them sets it (error_set); the run
  // then ends with that error.
  Error *failure;
  // Files that earlier runs have recorded for this one: NAME=PATH, NULL-terminated; NULL: none.
  // A parameter that names a file may name one of them instead (policy_input).
  const char *const *inputs;
} PolicySetup;

// The path of the input of that name, or the name itself.
const char *policy_input(const PolicySetup *setup, const char *name);

// All functions are optional. Those of the life cycle are called between two
// cycles of the SMs, by one thread, in a fixed order, so that they may touch
// what belongs to the whole GPU; policies of an SM hear of that SM's CTAs only.
typedef struct PolicyType {
  const char *name;     // as a configuration spells it
  const char *summary;  // one line for `heddle list policies`
  size_t state_size;    // private state; parameters and counters are fields of it
  const Param *params;  // or NULL
  const Stat *stats;    // or NULL
  // Storage in bits per SM with this many warps; NULL: not
  // said. The papers' tables of costs.
  uint64_t (*storage_bits)(const void *state, uint32_t warps);
  const char *shares;   // the shared part that it works on (policies/shared), or NULL
  // Of a policy or part that needs a recorded run: the observer that writes the file which its
  // parameter "file" names. Where none is given, `heddle run` makes that run first.
  const char *recorder;

  // Allocates tables and opens files; an error is reported like that of a parameter.
  // `clear` frees what is not in the arena.
  Status (*init)(void *state, const PolicySetup *setup, Error *err);
  void (*clear)(void *state);

  // A CTA launched a kernel, which has not reached the queues.
  void (*on_child_launch)(void *state, const ChildLaunchView *child);
  // A kernel reached the queues; its first CTA may be dispatched; it completed.
  void (*on_launch)(void *state, const KernelView *kernel);
  void (*on_kernel_start)(void *state, const KernelView *kernel);
  void (*on_kernel_end)(void *state, const KernelView *kernel);
  // A CTA was dispatched to an SM; it completed. Between the two it may leave
  // its SM while it waits for kernels that it launched, and resume on another.
  void (*on_cta_start)(void *state, const CtaView *cta);
  void (*on_cta_end)(void *state, const CtaView *cta);
  void (*on_cta_suspend)(void *state, const CtaView *cta);
  void (*on_cta_resume)(void *state, const CtaView *cta);

  // Explains its decisions: adds tables about a kernel to the kernel's results, before
  // on_kernel_end. `tables` lists all tables that it may add, NULL-terminated.
  void (*explain)(void *state, const KernelView *kernel, ResultTables *tables);
  const ResultTableType *const *tables;
} PolicyType;

typedef struct PolicyFamily {
  const char *name, *question;
  const PolicyType *const *types;  // NULL-terminated
  // Name of the first missing required callback; NULL: all are there.
  const char *(*missing)(const PolicyType *type);
} PolicyFamily;

// Policies of a run in addition to the built-in ones (plugin.h). NULL is valid
// everywhere and means none.
typedef struct PolicySet {
  struct ExtraPolicy {
    const PolicyFamily *family;
    const PolicyType *type;
    void *library;
  } * extras;
  uint32_t count, capacity;
  // A family besides those of the registry that plugins may be of: observers,
  // which the machine does not ask. Or NULL.
  const PolicyFamily *observers;
} PolicySet;

// Of a spec, its terminating zero included: a file's path fits.
enum { POLICY_SPEC_BYTES = 1024 };

// Policies of a family by index, the built-in ones first; NULL past the last.
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
// Sets the parameters of a zeroed state from the defaults and then from the spec.
Status policy_set_params(const PolicyType *type, const char *spec, void *state, Error *err);
// That the spec names a policy of the family and its parameters are right.
// Files that it names are not opened.
Status policy_check(const PolicyFamily *family, const PolicySet *more, const char *spec,
                    Error *err);

// The file of the plugin that a function or a constant is of; NULL: it is ours.
const char *plugin_of(const void *address);

// An invalid result of a policy terminates heddle at the call with a message that names
// the policy: it is a bug of the policy, not of the simulated program.
C_DECLARATIONS_BEGIN
__attribute__((noreturn)) void policy_is_broken(const PolicyType *type, const char *rule);
C_DECLARATIONS_END
#define POLICY_REQUIRE(type, rule)                                               \
  do {                                                                           \
    if (__builtin_expect(!(rule), 0)) policy_is_broken(&(type)->policy, #rule); \
  } while (0)

#endif
