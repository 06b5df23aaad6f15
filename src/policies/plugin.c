// SPDX-License-Identifier: MIT
// Policies from shared objects: `--plugin mine.so`.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // dladdr
#endif
#include "policies/plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "policies/plugin_check.h"
#include "policies/registry.h"

// An address that lies in another file than this function is a plugin's.
const char *plugin_of(const void *address) {
  Dl_info theirs, ours;
  union {
    const char *(*function)(const void *address);
    const void *address;
  } self = {plugin_of};
  if (!address || !dladdr(address, &theirs) || !dladdr(self.address, &ours)) return NULL;
  return theirs.dli_fbase == ours.dli_fbase ? NULL : theirs.dli_fname;
}

static Status find_family(const PolicySet *set, const char *name, const PolicyFamily **family,
                          Error *err) {
  char names[POLICY_NAMES_BYTES] = "";
  size_t used = 0;
  for (const PolicyFamily *const *each = policy_families; *each; each++) {
    if (name && strcmp((*each)->name, name) == 0) {
      *family = *each;
      return OK;
    }
    used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                             (*each)->name);
  }
  *family = set->observers;
  if (*family && name && strcmp((*family)->name, name) == 0) return OK;
  return error_set(err, ERR_CONFIG, "unknown policy family '%.80s' (families: %s)",
                   name ? name : "", names);
}

// A name has to survive in specs and schemes, which use the other characters.
static bool is_name(const char *name) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  size_t length = name ? strlen(name) : 0;
  return length && length < POLICY_SPEC_BYTES / 2 && strspn(name, letters) == length;
}

static Status check_type(const PolicySet *set, const PolicyFamily *family, const PolicyType *type,
                         Error *err) {
  if (!type || !is_name(type->name) || !type->summary)
    return error_set(err, ERR_CONFIG,
                     "its policy requires a summary, and a name of letters, digits, _ and -");
  TRY(policy_type_check(type, err));
  const char *missing = family->missing ? family->missing(type) : NULL;
  if (missing)
    return error_set(err, ERR_CONFIG, "its policy %s lacks the required callback %s of a %s",
                     type->name, missing, family->name);
  const PolicyType *other;
  for (size_t i = 0; (other = policy_at(family, set, i)); i++)
    if (strcmp(other->name, type->name) == 0)
      return error_set(err, ERR_CONFIG, "duplicate %s '%s'", family->name, type->name);
  return OK;
}

static Status add(PolicySet *set, const PolicyPlugin *plugin, void *library, Error *err) {
  const PolicyFamily *family;
  if (plugin->api_version != POLICY_API_VERSION)
    return error_set(
        err, ERR_CONFIG,
        "compiled for version %u of the policy interface, this is version %d; recompile it",
        plugin->api_version, POLICY_API_VERSION);
  TRY(find_family(set, plugin->family, &family, err));
  TRY(check_type(set, family, plugin->type, err));
  GROW(set->extras, set->count, set->capacity);
  set->extras[set->count++] =
      (struct ExtraPolicy){.family = family, .type = plugin->type, .library = library};
  return OK;
}

Status policy_set_add(PolicySet *set, const PolicyPlugin *plugin, const char *name, Error *err) {
  Status status = add(set, plugin, NULL, err);
  if (status != OK) error_prefix(err, "plugin %.200s", name);
  return status;
}

Status policy_set_load(PolicySet *set, const char *path, Error *err) {
  char file[4096];
  // Without a slash the loader would look in the system's folders.
  if (snprintf(file, sizeof file, "%s%s", strchr(path, '/') ? "" : "./", path) >= (int)sizeof file)
    return error_set(err, ERR_IO, "plugin path too long");
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library) return error_set(err, ERR_IO, "cannot load plugin %s", dlerror());
  const PolicyPlugin *plugin = dlsym(library, "heddle_policy");
  Status status =
      plugin
          ? add(set, plugin, library, err)
          : error_set(
                err, ERR_CONFIG,
                "heddle_policy is not exported; end the file with POLICY_PLUGIN(family, policy);");
  if (status == OK) return OK;
  error_prefix(err, "plugin %.200s", path);
  dlclose(library);
  return status;
}

void policy_set_clear(PolicySet *set) {
  for (uint32_t i = 0; i < set->count; i++)
    if (set->extras[i].library) dlclose(set->extras[i].library);
  memory_free(set->extras);
  *set = (PolicySet){.observers = set->observers};
}
