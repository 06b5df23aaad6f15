// SPDX-License-Identifier: MIT
// HEDDLE_* variables configure programs that are not started by heddle
// (device/options.h). A run started by heddle depends on its options only,
// because the keys of results in a store are computed from these.
#ifndef CLI_ENVIRONMENT_H
#define CLI_ENVIRONMENT_H

// Removes all of them except HEDDLE_CLANG, which heddle itself reads. Lists those
// that configure a device on stderr, unless an outer heddle run set them.
void environment_scrub(void);

#endif
