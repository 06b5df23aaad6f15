// SPDX-License-Identifier: MIT
// Creates the policies of a machine and their shared parts, and delivers kernel and CTA events.
#include "policies/host.h"

#include <string.h>

#include "base/memory.h"
#include "policies/shared/shared.h"

void policy_host_init(PolicyHost *host, const MachineView *machine, const PolicySet *more,
                      const char *shared_specs) {
  *host = (PolicyHost){.more = more, .shared_specs = shared_specs};
  if (machine) host->machine = *machine;
}

void policy_host_clear(PolicyHost *host) {
  // Last made, first cleared: a policy goes before the part that it works on.
  for (uint32_t i = host->count; i-- > 0;)
    if (host->instances[i].type->clear) host->instances[i].type->clear(host->instances[i].state);
  memory_free(host->instances);
  memory_free(host->shared);
  arena_clear(&host->arena);
  *host = (PolicyHost){0};
}

static bool has_cta_callbacks(const PolicyType *type) {
  return type->on_cta_start || type->on_cta_end || type->on_cta_suspend || type->on_cta_resume;
}

// ---- making

// Parameters are set before init, which may size its tables by them.
static Status add_instance(PolicyHost *host, const PolicyFamily *family, const PolicyType *type,
                           const char *spec, const PolicySetup *setup, void **state, Error *err) {
  *state = arena_alloc(&host->arena, type->state_size ? type->state_size : 1);
  TRY(policy_set_params(type, spec, *state, err));
  if (type->init) {
    Status status = type->init(*state, setup, err);
    if (status != OK) {
      error_prefix(err, "%s %s", family->name, type->name);
      return status;
    }
  }
  GROW(host->instances, host->count, host->capacity);
  host->instances[host->count++] =
      (PolicyInstance){.family = family, .type = type, .state = *state, .sm = setup->sm};
  host->has_cta_callbacks |= has_cta_callbacks(type);
  return OK;
}

// Copies the spec of the list that names the policy; its bare name if none does.
static void find_shared_spec(const PolicyHost *host, const PolicyType *type,
                             char out[POLICY_SPEC_BYTES]) {
  const char *at = host->shared_specs;
  snprintf(out, POLICY_SPEC_BYTES, "%s", type->name);
  while (at && *at) {
    at += strspn(at, "; ");
    size_t length = strcspn(at, ";");
    char spec[POLICY_SPEC_BYTES];
    snprintf(spec, sizeof spec, "%.*s", (int)length, at);
    if (policy_is_named(type, spec)) memcpy(out, spec, sizeof spec);
    at += length;
  }
}

static Status give_shared(PolicyHost *host, const PolicyType *type, PolicySetup *setup, Error *err);

// Created for all SMs together, with the first policy that shares it: whether a later SM has one
// must not depend on the order of creation.
static Status make_shared(PolicyHost *host, const PolicyType *type, SharedInstance *part,
                          Error *err) {
  char spec[POLICY_SPEC_BYTES];
  bool per_sm = ((const SharedType *)type)->per_sm;
  uint32_t states = per_sm && host->machine.sm_count ? host->machine.sm_count : 1;
  *part = (SharedInstance){.type = type, .per_sm = per_sm};
  part->states = ARENA_ARRAY(&host->arena, void *, states);
  find_shared_spec(host, type, spec);
  for (uint32_t i = 0; i < states; i++) {
    PolicySetup setup = {.machine = &host->machine,
                         .inputs = host->inputs,
                         .arena = &host->arena,
                         .failure = &host->failure,
                         .sm = per_sm ? i : POLICY_EVERY_SM,
                         .cluster = POLICY_EVERY_SM};
    TRY(give_shared(host, type, &setup, err));
    TRY(add_instance(host, &shared_family, type, spec, &setup, &part->states[i], err));
  }
  return OK;
}

// Deeper than any chain of parts; a cycle is thus found without a search.
enum { MOST_NESTED = 8 };

static Status find_shared(PolicyHost *host, const char *name, const SharedInstance **out,
                          Error *err) {
  for (uint32_t i = 0; i < host->shared_count; i++)
    if (strcmp(host->shared[i].type->name, name) == 0) {
      *out = &host->shared[i];
      return OK;
    }
  const PolicyType *type;
  SharedInstance part;
  TRY(policy_find(&shared_family, host->more, name, &type, err));
  // A part may work on another one, but not, by however many steps, on itself.
  if (host->nested == MOST_NESTED)
    return error_set(err, ERR_CONFIG, "shared part %s depends on itself", name);
  host->nested++;
  Status status = make_shared(host, type, &part, err);
  host->nested--;
  TRY(status);
  GROW(host->shared, host->shared_count, host->shared_capacity);
  host->shared[host->shared_count++] = part;
  *out = &host->shared[host->shared_count - 1];
  return OK;
}

static Status give_shared(PolicyHost *host, const PolicyType *type, PolicySetup *setup,
                          Error *err) {
  const SharedInstance *part = NULL;
  if (!type->shares) return OK;
  TRY(find_shared(host, type->shares, &part, err));
  if (!part->per_sm)
    setup->shared = part->states[0];
  else if (setup->sm == POLICY_EVERY_SM)
    setup->shared_by_sm = part->states;
  else
    setup->shared = part->states[host->machine.sm_count ? setup->sm : 0];
  return OK;
}

Status policy_host_make(PolicyHost *host, const PolicyFamily *family, const char *spec,
                        PolicyPlace place, const PolicyType **type, void **state, Error *err) {
  TRY(policy_find(family, host->more, spec, type, err));
  PolicySetup setup = {.machine = &host->machine,
                       .inputs = host->inputs,
                       .arena = &host->arena,
                       .failure = &host->failure,
                       .sm = place.sm,
                       .cluster = place.cluster,
                       .index = place.index,
                       .part = place.part};
  TRY(give_shared(host, *type, &setup, err));
  return add_instance(host, family, *type, spec, &setup, state, err);
}

static bool is_shared(const PolicyHost *host, const char *spec) {
  for (uint32_t i = 0; i < host->shared_count; i++)
    if (policy_is_named(host->shared[i].type, spec)) return true;
  return false;
}

// Checked after all policies exist: a spec for a part that nobody uses would have no effect.
Status policy_host_check_shared(const PolicyHost *host, Error *err) {
  const char *at = host->shared_specs;
  while (at && *at) {
    at += strspn(at, "; ");
    size_t length = strcspn(at, ";");
    char spec[POLICY_SPEC_BYTES];
    snprintf(spec, sizeof spec, "%.*s", (int)length, at);
    at += length;
    if (!length || is_shared(host, spec)) continue;
    TRY(policy_check(&shared_family, host->more, spec, err));
    return error_set(err, ERR_CONFIG, "policy.shared: no policy of this scheme uses '%.80s'", spec);
  }
  return OK;
}

// ---- the life cycle

#define NOTIFY_KERNEL(event)                                       \
  for (uint32_t i = 0; i < host->count; i++) {                     \
    const PolicyInstance *each = &host->instances[i];              \
    if (each->type->event) each->type->event(each->state, kernel); \
  }

void policy_host_child_launch(const PolicyHost *host, const ChildLaunchView *child) {
  for (uint32_t i = 0; i < host->count; i++) {
    const PolicyInstance *each = &host->instances[i];
    if (each->type->on_child_launch) each->type->on_child_launch(each->state, child);
  }
}
void policy_host_launch(const PolicyHost *host, const KernelView *kernel) {
  NOTIFY_KERNEL(on_launch)
}
void policy_host_kernel_start(const PolicyHost *host, const KernelView *kernel) {
  NOTIFY_KERNEL(on_kernel_start)
}
void policy_host_kernel_end(const PolicyHost *host, const KernelView *kernel) {
  NOTIFY_KERNEL(on_kernel_end)
}

#define NOTIFY_CTA(event)                                                  \
  for (uint32_t i = 0; i < host->count; i++) {                             \
    const PolicyInstance *each = &host->instances[i];                      \
    bool is_near = each->sm == POLICY_EVERY_SM || each->sm == cta->sm;     \
    if (is_near && each->type->event) each->type->event(each->state, cta); \
  }

void policy_host_cta_start(const PolicyHost *host, const CtaView *cta) {
  NOTIFY_CTA(on_cta_start)
}
void policy_host_cta_end(const PolicyHost *host, const CtaView *cta) {
  NOTIFY_CTA(on_cta_end)
}
void policy_host_cta_suspend(const PolicyHost *host, const CtaView *cta) {
  NOTIFY_CTA(on_cta_suspend)
}
void policy_host_cta_resume(const PolicyHost *host, const CtaView *cta) {
  NOTIFY_CTA(on_cta_resume)
}

void policy_host_explain(const PolicyHost *host, const KernelView *kernel, ResultTables *tables) {
  for (uint32_t i = 0; i < host->count; i++) {
    const PolicyInstance *each = &host->instances[i];
    if (each->type->explain) each->type->explain(each->state, kernel, tables);
  }
}
