// SPDX-License-Identifier: MIT
// Which heddle this is. The build writes the definition (tools/version.cmake).
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

// Version of the timing model: raised by one in the commit that changes cycles or counters of a
// shipped GPU. Results and stores record it, and pages that `heddle study --markdown` writes
// state it: `make docs` rejects a page with results of an older model (tools/docs).
enum { TIMING_MODEL = 10 };

const char *version_text(void);  // "0.2.0", or "0.2.0+commit" from a checkout

#endif
