// SPDX-License-Identifier: MIT
// The observers of a run: a semicolon-separated list, evaluated from left to right,
// starting from the default ones (OBSERVERS_DEFAULT). A name adds an observer, or
// replaces one of that name; `all` adds all missing ones; `none` removes all, including
// the defaults.
#ifndef RUN_OBSERVER_LIST_H
#define RUN_OBSERVER_LIST_H

#include "gpu/gpu.h"
#include "gpu/observer.h"

// list: may be NULL. more: policies of plugins, or NULL.
Status observer_list_attach(const char *list, const PolicySet *more, Gpu *gpu, Error *err);
// Those of a run without timing: of the default ones none.
Status observer_list_attach_untimed(const char *list, const PolicySet *more, Observers *to,
                                    Error *err);
// Whether they could be attached.
Status observer_list_check(const char *list, const PolicySet *more, bool is_functional, Error *err);

#endif
