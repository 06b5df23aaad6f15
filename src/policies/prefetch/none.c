// SPDX-License-Identifier: MIT
// No prefetching. It is not even asked.
#include "policies/prefetch/prefetch.h"

const PrefetchType none_prefetch = {
    .policy = {.name = "none", .summary = "nothing"},
};
