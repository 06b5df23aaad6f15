// SPDX-License-Identifier: MIT
// HEDDLE_* variables configure programs that are started by hand
// (device/options.h). A run that heddle starts depends on its options alone:
// stores keep results under a key of those.
#ifndef CLI_ENVIRONMENT_H
#define CLI_ENVIRONMENT_H

// Removes them all but HEDDLE_CLANG, which is heddle's own. Those that would
// have configured a device are listed on stderr, unless an outer heddle run set them.
void environment_scrub(void);

#endif
