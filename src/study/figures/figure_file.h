// SPDX-License-Identifier: MIT
// Writes a measured figure as CSV, SVG, PDF or PNG.
//
// node runs the drawing code of the report page (page/src/headless.ts);
// rsvg-convert converts its SVG to PDF and PNG.
#ifndef STUDY_FIGURES_FIGURE_FILE_H
#define STUDY_FIGURES_FIGURE_FILE_H

#include <jansson.h>

#include "base/error.h"

typedef struct FigureLook {
  double width_mm;
  const char *theme;     // "light" or "dark"
  const char *meaning;   // definition of the figure's statistic, or NULL
  const char *baseline;  // the column drawn in grey in all figures of a study, or NULL
  const char *made;      // date in a PDF, such as "2026-01-31T12:00:00Z": makes it reproducible
} FigureLook;

// Checks the suffix of a path, before anything is measured.
Status figure_check_path(const char *path, Error *err);

// figure: see docs/report-data.md. The file is replaced atomically.
Status figure_write(const json_t *figure, const FigureLook *look, const char *path, Error *err);

#endif
