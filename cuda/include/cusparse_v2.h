// SPDX-License-Identifier: MIT
// The name under which programs include the second version of cuSPARSE's interface.
#include "cusparse.h"
