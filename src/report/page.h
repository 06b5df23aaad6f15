// SPDX-License-Identifier: MIT
// The report as one HTML file that needs nothing else.
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <jansson.h>
#include <stdio.h>

#include "base/error.h"

// data: docs/report-data.md describes it.
Status report_page_write(const json_t *data, FILE *file, Error *err);

// The script that draws the page's figures with node; NULL if heddle was built
// without it.
const char *report_figure_script(size_t *size_bytes);

#endif
