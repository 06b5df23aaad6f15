// SPDX-License-Identifier: MIT
// A scatter plot as an SVG file: simulated over measured numbers, both on logarithmic axes of the
// same range, with the diagonal.
#include "support/scatter.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Pixels: the square of the plot and what lies around it.
enum { EDGE = 360, LEFT = 60, TOP = 16, BOTTOM = 48, RIGHT = 130 };

typedef struct Axes {
  int first, last;  // decades
} Axes;

static double along(Axes axes, double value) {
  return EDGE * (log10(value) - axes.first) / (axes.last - axes.first);
}
static double x_of(Axes axes, double value) {
  return LEFT + along(axes, value);
}
static double y_of(Axes axes, double value) {
  return TOP + EDGE - along(axes, value);
}

static Axes choose_axes(const ScatterPoint *points, uint32_t count) {
  double least = INFINITY, most = 0;
  for (uint32_t i = 0; i < count; i++) {
    least = fmin(least, fmin(points[i].measured, points[i].simulated));
    most = fmax(most, fmax(points[i].measured, points[i].simulated));
  }
  Axes axes = {(int)floor(log10(least)), (int)ceil(log10(most))};
  if (axes.last == axes.first) axes.last++;
  return axes;
}

static void draw_decade(FILE *file, Axes axes, int decade) {
  double x = x_of(axes, pow(10, decade)), y = y_of(axes, pow(10, decade));
  fprintf(file, "<path d='M%.1f %dV%dM%d %.1fH%d' stroke='#ddd'/>\n", x, TOP, TOP + EDGE, LEFT, y,
          LEFT + EDGE);
  fprintf(file,
          "<text x='%.1f' y='%d' text-anchor='middle'>10<tspan dy='-5' font-size='9'>%d"
          "</tspan></text>\n",
          x, TOP + EDGE + 18, decade);
  fprintf(file,
          "<text x='%d' y='%.1f' text-anchor='end'>10<tspan dy='-5' font-size='9'>%d"
          "</tspan></text>\n",
          LEFT - 6, y + 4, decade);
}

static void draw_axes(FILE *file, Axes axes, const char *x_label, const char *y_label) {
  for (int decade = axes.first; decade <= axes.last; decade++) draw_decade(file, axes, decade);
  fprintf(file, "<path d='M%d %dL%d %d' stroke='#888' stroke-dasharray='4 3'/>\n", LEFT, TOP + EDGE,
          LEFT + EDGE, TOP);
  fprintf(file, "<text x='%d' y='%d' text-anchor='middle'>%s</text>\n", LEFT + EDGE / 2,
          TOP + EDGE + 40, x_label);
  fprintf(file, "<text transform='translate(16 %d) rotate(-90)' text-anchor='middle'>%s</text>\n",
          TOP + EDGE / 2, y_label);
}

static void draw(FILE *file, const char *x_label, const char *y_label, const ScatterPoint *points,
                 uint32_t count) {
  Axes axes = choose_axes(points, count);
  fprintf(file,
          "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='Helvetica,"
          "Arial,sans-serif' font-size='12' fill='#222'>\n<rect width='100%%' height='100%%' "
          "fill='white'/>\n",
          LEFT + EDGE + RIGHT, TOP + EDGE + BOTTOM);
  draw_axes(file, axes, x_label, y_label);
  for (uint32_t i = 0; i < count; i++) {
    double x = x_of(axes, points[i].measured), y = y_of(axes, points[i].simulated);
    fprintf(file, "<circle cx='%.1f' cy='%.1f' r='4' fill='#1f6fb4'/>\n", x, y);
    fprintf(file, "<text x='%.1f' y='%.1f' font-size='10'>%s</text>\n", x + 7, y + 4,
            points[i].name);
  }
  fputs("</svg>\n", file);
}

Status scatter_write(const char *path, const char *x_label, const char *y_label,
                     const ScatterPoint *points, uint32_t count, Error *err) {
  FILE *file = fopen(path, "w");
  if (!file) return error_set(err, ERR_IO, "%s: %s", path, strerror(errno));
  draw(file, x_label, y_label, points, count);
  if (fclose(file) != 0) return error_set(err, ERR_IO, "%s: %s", path, strerror(errno));
  return OK;
}
