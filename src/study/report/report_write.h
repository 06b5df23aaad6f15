// SPDX-License-Identifier: MIT
// Writes a report page (.html) or its data (.json).
#ifndef STUDY_REPORT_REPORT_WRITE_H
#define STUDY_REPORT_REPORT_WRITE_H

#include "store/store.h"

// Checks the suffix of a path, before anything is run.
Status report_check_path(const char *path, Error *err);
// study: NULL for the study that ran last.
// A document of report_data.h.
Status report_document_write(const json_t *data, const char *path, Error *err);
Status report_write(Store *store, const char *study, const char *path, Error *err);

#endif
