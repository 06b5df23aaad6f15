// SPDX-License-Identifier: MIT
// reduce() is with the groups themselves.
#include "cooperative_groups.h"
