// SPDX-License-Identifier: MIT
// Policies from shared objects: `--plugin mine.so`.
//
// A plugin is a policy file like those in the families' folders, compiled on
// its own (cc -shared -fPIC -Isrc), that ends with one line:
//
//   POLICY_PLUGIN("warp_scheduler", mine);
//
// It may be C or C++20, and may call the functions that plugin_symbols.txt names.
// From then on it is selected by its name like any other, an observer by --observe. The set of plugins
// belongs to a run and must outlive its GPU.
#ifndef POLICIES_PLUGIN_H
#define POLICIES_PLUGIN_H

#include "policies/policy.h"

// Grows whenever a family's view or type changes.
enum { POLICY_API_VERSION = 12 };

typedef struct PolicyPlugin {
  uint32_t api_version;  // POLICY_API_VERSION of the headers it was compiled with
  const char *family;
  const PolicyType *type;
} PolicyPlugin;

#ifdef __cplusplus
#define POLICY_EXPORT_ extern "C"
#else
#define POLICY_EXPORT_ extern
#endif
#define POLICY_PLUGIN(family_, type_)              \
  POLICY_EXPORT_ const PolicyPlugin heddle_policy; \
  const PolicyPlugin heddle_policy = {POLICY_API_VERSION, (family_), &(type_).policy}

// Adds the policy of a file. Refuses files that are none, other versions,
// unknown families, policies that lack a function, and names that are taken.
Status policy_set_load(PolicySet *set, const char *path, Error *err);
// The same for a plugin that is in memory already; messages use name.
Status policy_set_add(PolicySet *set, const PolicyPlugin *plugin, const char *name, Error *err);
void policy_set_clear(PolicySet *set);

#endif
