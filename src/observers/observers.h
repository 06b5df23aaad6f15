// SPDX-License-Identifier: MIT
// The built-in observers, as listed by `heddle list observers`. The interface is in
// policies/observer/observer.h.
#ifndef OBSERVERS_OBSERVERS_H
#define OBSERVERS_OBSERVERS_H

#include "policies/observer/observer.h"

extern const PolicyFamily observer_family;

// What every run with timing has unless it says otherwise; several with semicolons.
#define OBSERVERS_DEFAULT "accesses"

// The observer that a spec such as "latency:bin_cycles=8" names.
// more: where else to look, or NULL.
Status observer_find(const char *spec, const PolicySet *more, const ObserverType **type,
                     Error *err);

#endif
