// SPDX-License-Identifier: MIT
// It is with the groups themselves.
#include "cooperative_groups.h"
