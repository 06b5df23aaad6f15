// SPDX-License-Identifier: MIT
// The observers of a run: a semicolon-separated list, evaluated from left to right,
// starting from the default ones (OBSERVERS_DEFAULT). A name adds an observer, or
// replaces one of that name; `all` adds all missing ones; `none` removes all, including
// the defaults.
#ifndef OBSERVERS_ATTACH_OBSERVER_LIST_H
#define OBSERVERS_ATTACH_OBSERVER_LIST_H

#include "observers/attach/observer_states.h"

// Attaches one observer to what is observed.
typedef Status (*ObserverFn)(void *self, const ObserverType *type, const char *spec, Error *err);

// list: may be NULL. more: policies of plugins, or NULL.
Status observer_list_attach(const char *list, const PolicySet *more, ObserverFn attach, void *self,
                            Error *err);
// Those of a run without timing: of the default ones none.
Status observer_list_attach_untimed(const char *list, const PolicySet *more, Observers *to,
                                    Error *err);
// Whether they could be attached.
Status observer_list_check(const char *list, const PolicySet *more, bool is_functional, Error *err);

#endif
