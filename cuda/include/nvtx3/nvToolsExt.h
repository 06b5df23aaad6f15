// SPDX-License-Identifier: MIT
// The same under the name that version 3 gave it.
#include "../nvToolsExt.h"
