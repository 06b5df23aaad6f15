// SPDX-License-Identifier: MIT
// A study: workloads, GPUs and schemes, every combination of which is run, and
// figures made of the results, with a paper's numbers beside the measured ones.
// docs/studies.md describes the file; the store keeps its text, so that what
// was asked can be read again with the runs.
#ifndef STUDY_STUDY_H
#define STUDY_STUDY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

// The dimensions of a study.
typedef enum Dimension { BY_WORKLOAD, BY_GPU, BY_SCHEME, DIMENSIONS } Dimension;
extern const char *const dimension_names[];  // "workload", "gpu", "scheme", NULL

// One value of a dimension: what figures call it, and what it stands for.
typedef struct StudyItem {
  const char *name;
  const char *title;      // for people; the name if the file gives none
  const char *is;         // a workload or path, a GPU or .cfg file, a scheme; the name if not given
  const char *set;        // section.key=value; ... (GPUs and schemes), or NULL
  const char *size;       // workloads, or NULL: the study's
  const char *arguments;  // workloads: words as a shell takes them, or NULL
  const char *group;      // workloads: for means by group, or NULL
} StudyItem;

typedef struct PaperNumber {
  const char *row, *column;  // names; row may be "mean" or "mean:GROUP"
  double value;
} PaperNumber;

typedef enum FigureAs {
  AS_VALUE,    // the statistic itself
  AS_SPEEDUP,  // the baseline's by this one's: cycles
  AS_RATIO,    // this one's by the baseline's
} FigureAs;
typedef enum FigureMean { MEAN_GEOMETRIC, MEAN_ARITHMETIC, MEAN_NONE } FigureMean;

// A table of a statistic by two dimensions. Of the third one value is chosen,
// or the figure is there once for each.
typedef struct FigureSpec {
  const char *id, *title, *note;
  const char *statistic;  // an expression, study/expression.h
  FigureAs as;
  const char *baseline;  // a column's name; what AS_SPEEDUP and AS_RATIO compare with
  Dimension rows, columns;
  const char *only[DIMENSIONS];  // or NULL
  FigureMean mean;
  const char *source;  // of the paper's numbers
  PaperNumber *papers;
  uint32_t paper_count, paper_capacity;
} FigureSpec;

typedef struct Study {
  Arena arena;
  const char *name, *title, *summary;
  const char *text;  // of the file
  StudyItem *items[DIMENSIONS];
  uint32_t item_count[DIMENSIONS], item_capacity[DIMENSIONS];
  FigureSpec *figures;
  uint32_t figure_count, figure_capacity;
  const char *size;           // of workloads; NULL: small
  const char *set, *observe;  // for all runs, or NULL
  const char *groups;         // the number of a paper whose categories are the groups, or NULL
  uint64_t interval_cycles;
} Study;

// name: what the study is called, and where mistakes are said to be.
Status study_read(Study *study, const char *name, const char *text, Error *err);
void study_clear(Study *study);

// The item of that name, or NULL.
const StudyItem *study_item(const Study *study, Dimension dimension, const char *name);

#endif
