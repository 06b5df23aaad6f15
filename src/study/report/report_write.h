// SPDX-License-Identifier: MIT
// Writes a report page (.html) or its data (.json).
#ifndef STUDY_REPORT_REPORT_WRITE_H
#define STUDY_REPORT_REPORT_WRITE_H

#include "store/store.h"

// Checks the suffix of a path, before anything is run.
Status report_check_path(const char *path, Error *err);
// study: NULL for the study that ran last.
Status report_write(Store *store, const char *study, const char *path, Error *err);

#endif
