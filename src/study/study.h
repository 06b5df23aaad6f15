// SPDX-License-Identifier: MIT
// A study: workloads, GPUs, schemes and values of parameters, every combination
// of which is run, and figures of the results, with a paper's numbers next to the measured
// ones. docs/studies.md describes the file; the store keeps its text with the runs.
#ifndef STUDY_STUDY_H
#define STUDY_STUDY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "run/run_spec.h"
#include "study/sections.h"

// The dimensions of a study: three that every study has, one for its variants of programs, if it
// has some, and one for each parameter that it sweeps.
typedef enum Dimension { BY_WORKLOAD, BY_GPU, BY_SCHEME, BY_SWEEP } Dimension;
enum {
  MAX_SWEEPS = 6,
  MAX_DIMENSIONS = BY_SWEEP + MAX_SWEEPS,
  MAX_STUDY_RUNS = 100000,
  MAX_SEEDS = 100
};

// Arguments of a workload on one GPU or at one size.
typedef struct StudyCondition {
  const char *name, *arguments;
  struct StudyCondition *next;
} StudyCondition;

// One value of a dimension: its name in figures, and its definition.
typedef struct StudyItem {
  const char *name;
  const char *title;      // for people; the name if the file gives none
  const char *is;         // a workload or path, a GPU or .cfg file, a scheme; the name if not given
  const char *set;        // section.key=value; ... (not of workloads), or NULL
  const char *size;       // workloads, or NULL: the study's
  const char *arguments;  // workloads: words as a shell takes them, or NULL
  const char *kernels;    // workloads: launches to time (--kernels of run), or NULL: the study's
  StudyCondition *conditions;  // workloads: arguments.NAME, for a GPU or a size; last first
  const char *group;           // workloads: for means by group, or NULL
  const char *cluster;  // variants: how the program is rewritten (clustering/rewriting.h), or NULL
  const char *observe;  // variants: tables to record, in place of the study's; or NULL
  const char *environment;  // variants: NAME=value; ... of the program, or NULL
  double number;            // of a sweep's value; NAN: not a number
} StudyItem;

// How figures space the values of a sweep.
typedef enum SweepScale { SCALE_AUTO, SCALE_LINEAR, SCALE_LOG2 } SweepScale;

typedef struct StudyDimension {
  const char *name;   // "workload", "gpu", "scheme", "variant", or the parameter: "l1d.size_kb"
  const char *title;  // of a sweep's axis, or NULL
  SweepScale scale;
  bool is_seed;      // run.seed, of `seeds`: figures show means over it
  StudyItem *items;  // values of the study, then those that `only` leaves out
  uint32_t count, left_out, capacity;
} StudyDimension;

typedef struct PaperNumber {
  const char *row,
      *column;  // names; either may be "mean" or "mean:GROUP" where the figure has means
  const char *only[MAX_DIMENSIONS];  // the value of another dimension that it is of, or NULL: all
  double value;
} PaperNumber;

typedef enum FigureAs {
  AS_VALUE,    // the statistic itself
  AS_SPEEDUP,  // the baseline's by this one's: cycles
  AS_RATIO,    // this one's by the baseline's
} FigureAs;
typedef enum FigureMean { MEAN_GEOMETRIC, MEAN_ARITHMETIC, MEAN_NONE } FigureMean;

enum { NO_DIMENSION = -1, SAME_ITEM = -1 };

// A column that is the best of others in each row: of those with a result, the one with the
// fewest cycles.
typedef struct BestOf {
  const char *name;
  uint32_t *items;  // of the columns' dimension
  uint32_t count;
} BestOf;

// A table of a statistic by two dimensions, rows and columns. A third may be
// its panels. Of each other dimension one value is chosen, or the figure is
// there once for each.
//
// With a swept number in its rows a figure is drawn as lines over that number,
// a line for each column, and means are over workloads: further columns or
// panels. Other figures are bars, and means are over rows.
typedef struct FigureSpec {
  const char *id, *title, *note;
  const char *statistic;  // an expression, study/expression.h
  const char *axis;       // label of the value axis, with unit; or NULL
  FigureAs as;
  const char *baseline;                 // as written, or NULL
  int32_t baseline_at[MAX_DIMENSIONS];  // what AS_SPEEDUP and AS_RATIO compare with; or SAME_ITEM
  Dimension rows, columns;
  int panels;                        // a Dimension or NO_DIMENSION
  const char *only[MAX_DIMENSIONS];  // or NULL; of workloads also "mean"
  const char *best, *show;           // as written, or NULL
  BestOf *bests;
  uint32_t best_count;
  FigureMean mean;
  const char *source;  // of the paper's numbers
  PaperNumber *papers;
  uint32_t paper_count, paper_capacity;
} FigureSpec;

// A table of the workloads' categories (study/classify/classification.h), from the runs of the
// experiments.
typedef struct ClassificationSpec {
  const char *id;  // NULL: the study has none
  const char *title, *note, *source;
} ClassificationSpec;

typedef struct Study {
  Arena arena;
  const char *name, *title, *summary;
  const char *text;                   // of the file
  const char *open_kind, *open_name;  // section that study_set wrote last
  StudyDimension dimensions[MAX_DIMENSIONS];
  uint32_t dimension_count;
  FigureSpec *figures;
  uint32_t figure_count, figure_capacity;
  ClassificationSpec classification;
  bool has_experiments;  // the variants are those of study/classify/experiments.h
  RunSpec run;           // what all runs have in common: the keys of study/run_keys.h
  const char *groups;    // key of workloads' descriptions by which they are grouped, or NULL
} Study;

// A study from the text of its file.
Status study_read(Study *study, const char *name, const char *text, Error *err);
// source: prefix of messages, such as the path of the file; study_read uses the name. check: called
// for each line first, for names that this room does not know; may be NULL.
Status study_read_from(Study *study, const char *name, const char *source, const char *text,
                       SectionLineFn check, void *self, Error *err);
void study_clear(Study *study);

// A study made line by line: begin, set, end, which checks the whole. The text of its file is
// written along. Lines of a section follow one another; the section [study] has no name ("").
void study_begin(Study *study, const char *name);
Status study_set(Study *study, const char *kind, const char *name, const char *key,
                 const char *value, Error *err);
Status study_end(Study *study, Error *err);

// The item of that name, or NULL.
const StudyItem *study_item(const Study *study, Dimension dimension, const char *name);

// Arguments of a workload on a GPU (by its name in the study) at a size: those of the GPU, of the
// size, or of all runs; NULL: none.
const char *study_arguments(const StudyItem *workload, const char *gpu, const char *size);

// The dimension of variants, or NO_DIMENSION.
int study_variants(const Study *study);

// The dimension of seeds, or NO_DIMENSION.
int study_seeds(const Study *study);

// Whether figures can draw the dimension as an axis of numbers.
bool study_is_numeric(const Study *study, Dimension dimension);

// Adds a figure to a study that has been read, or changes one, as a [figure]
// section would: keys and values, ended by a NULL key.
typedef struct FigureKey {
  const char *key, *value;
} FigureKey;
Status study_add_figure(Study *study, const char *id, const FigureKey *keys, Error *err);

// NULL if it has none of that name.
const FigureSpec *study_figure(const Study *study, const char *id);
// Forgets all figures but one.
void study_keep_figure(Study *study, const char *id);

// ---- combinations: an index of an item in each dimension

size_t study_run_count(const Study *study);
// The position of a combination among all; the last dimension is the fastest.
size_t study_position(const Study *study, const uint32_t at[MAX_DIMENSIONS]);
void study_combination(const Study *study, size_t position, uint32_t at[MAX_DIMENSIONS]);

#endif
