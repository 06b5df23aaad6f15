// SPDX-License-Identifier: MIT
// Reports: a page (.html), or the data that it shows (.json).
#ifndef CLI_REPORT_WRITE_H
#define CLI_REPORT_WRITE_H

#include "store/store.h"

// Whether a report can be written under this name, before anything is run for it.
Status report_check_path(const char *path, Error *err);
// study: or NULL for the one that ran last.
Status report_write(Store *store, const char *study, const char *path, Error *err);

#endif
