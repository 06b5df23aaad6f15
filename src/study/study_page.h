// SPDX-License-Identifier: MIT
// The generated part of a page about a study, in Markdown: what was run, and every mean and
// every value that the paper states, next to the paper's. All values go to CSV files, and the
// first figure with numbers of the paper to an SVG file, in folders csv/ and pictures/ beside the
// page.
//
// The part stands between two lines of the page, which stay:
//   <!-- begin: heddle study NAME -->
//   <!-- end: heddle study NAME -->
#ifndef STUDY_STUDY_PAGE_H
#define STUDY_STUDY_PAGE_H

#include "store/store.h"

// Writes the part of the study `name` of the store. Fails without changing the page if a marker is
// missing, or if a run of the study is. path "-": the part alone, to standard output, and no
// files.
Status study_page_write(Store *store, const char *name, const char *path, Error *err);

// The version of the timing model that a `version` of the store names; 0 if it names none.
int study_page_model(const char *version);

#endif
