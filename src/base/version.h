// SPDX-License-Identifier: MIT
// Which heddle this is. The build writes the definition (tools/version.cmake).
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

const char *version_text(void);  // "0.1.0", or "0.1.0+commit" from a checkout

#endif
