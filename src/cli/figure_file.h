// SPDX-License-Identifier: MIT
// A measured figure as a file: CSV, SVG, or PDF and PNG made of the SVG.
//
// The drawing is that of the report page, run by node (page/src/headless.ts);
// rsvg-convert makes PDF and PNG of it.
#ifndef CLI_FIGURE_FILE_H
#define CLI_FIGURE_FILE_H

#include <jansson.h>

#include "base/error.h"

typedef struct FigureLook {
  double width_mm;
  const char *theme;     // "light" or "dark"
  const char *meaning;   // of the figure's statistic, or NULL
  const char *baseline;  // the column that is grey in all figures of a study, or NULL
  const char *made;      // "2026-01-31T12:00:00Z": the date in a PDF, so that it is the same again
} FigureLook;

// Whether a figure can be written under this name, before anything is measured.
Status figure_check_path(const char *path, Error *err);

// figure: docs/report-data.md describes it. Nobody sees half a file.
Status figure_write(const json_t *figure, const FigureLook *look, const char *path, Error *err);

#endif
