// SPDX-License-Identifier: MIT
// Owner of the policies of one machine: creates their states, connects them to shared
// parts, and notifies them of kernels and CTAs.
//
// A GPU has one host. Components create the policies that they call
// (policy_host_make); the host owns the states, in order of creation, until it is
// cleared.
#ifndef POLICIES_HOST_H
#define POLICIES_HOST_H

#include "policies/policy.h"

// A policy with its state.
typedef struct PolicyInstance {
  const PolicyFamily *family;
  const PolicyType *type;
  void *state;
  uint32_t sm;  // or POLICY_EVERY_SM
} PolicyInstance;

// A part shared by policies, created with the first of them.
typedef struct SharedInstance {
  const PolicyType *type;
  void **states;  // by SM, or one
  bool per_sm;
} SharedInstance;

typedef struct PolicyHost {
  const PolicySet *more;     // policies besides the built-in ones, or NULL
  MachineView machine;
  const char *shared_specs;  // "reuse_monitor:entries=16; other", or NULL
  const char *const *inputs;  // PolicySetup.inputs; set it before the first policy is made
  Arena arena;
  PolicyInstance *instances;
  uint32_t count, capacity;
  SharedInstance *shared;
  uint32_t shared_count, shared_capacity;
  uint32_t nested;           // parts that are being made because another works on them
  bool has_cta_callbacks;    // some policy wants to hear of CTAs
  Error failure;             // of a policy (PolicySetup.failure)
} PolicyHost;

// A zeroed host is one without plugins or shared specs on a machine without
// sizes; unit tests of parts use it. more and shared_specs must outlive it.
void policy_host_init(PolicyHost *host, const MachineView *machine, const PolicySet *more,
                      const char *shared_specs);
void policy_host_clear(PolicyHost *host);

// Location of a policy in the machine; the host fills in the rest of its PolicySetup.
typedef struct PolicyPlace {
  uint32_t sm, cluster, index;
  const void *part;
} PolicyPlace;
#define POLICY_PLACE_GPU ((PolicyPlace){POLICY_EVERY_SM, POLICY_EVERY_SM, 0, NULL})

// Makes the policy that a spec names, with the state of one place.
Status policy_host_make(PolicyHost *host, const PolicyFamily *family, const char *spec,
                        PolicyPlace place, const PolicyType **type, void **state, Error *err);
// Once all policies are made: that each shared spec is a part that one of them
// works on.
Status policy_host_check_shared(const PolicyHost *host, Error *err);

// The life cycle (PolicyType), to all that want to hear it.
void policy_host_child_launch(const PolicyHost *host, const ChildLaunchView *child);
void policy_host_launch(const PolicyHost *host, const KernelView *kernel);
void policy_host_kernel_start(const PolicyHost *host, const KernelView *kernel);
void policy_host_kernel_end(const PolicyHost *host, const KernelView *kernel);
void policy_host_cta_start(const PolicyHost *host, const CtaView *cta);
void policy_host_cta_end(const PolicyHost *host, const CtaView *cta);
void policy_host_cta_suspend(const PolicyHost *host, const CtaView *cta);
void policy_host_cta_resume(const PolicyHost *host, const CtaView *cta);

// Collects the explanations of the policies for a kernel that is about to end.
void policy_host_explain(const PolicyHost *host, const KernelView *kernel, ResultTables *tables);

#endif
