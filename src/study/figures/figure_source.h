// SPDX-License-Identifier: MIT
// One figure of a store: of its study, or of its single runs.
//
// A request names a figure of the study and keys that change it, or gives all keys of a new one
// (docs/studies.md, [figure]). With `runs`, or in a store without a study, single runs are used:
// their programs, GPUs, schemes and any configuration parameter are dimensions.
#ifndef STUDY_FIGURES_FIGURE_SOURCE_H
#define STUDY_FIGURES_FIGURE_SOURCE_H

#include "store/store.h"
#include "study/figures/figure.h"

enum { MOST_FIGURE_KEYS = 32 };

typedef struct FigureRequest {
  const char *db;
  const char *figure;  // a figure of the study; NULL: the keys describe it
  const char *study;   // of the store; NULL: the latest
  bool runs;           // single runs, not a study
  const char *scale;   // of a numeric x axis: auto, linear or log2
  FigureKey keys[MOST_FIGURE_KEYS + 1];
  int key_count;
} FigureRequest;

typedef struct FigureSource {
  FigureRequest request;
  Arena arena;
  Store *store;
  Study study;
  bool is_study;         // false: a study synthesised from single runs
  const char *made;      // time of the study's last run, or NULL
  const char *baseline;  // baseline column of the study, or NULL
} FigureSource;

Status figure_source_open(FigureSource *source, const FigureRequest *request, Error *err);
void figure_source_close(FigureSource *source);

// Evaluates all figures of the study.
Status figure_source_all(FigureSource *source, json_t **figures, Error *err);
// Evaluates the requested figure.
Status figure_source_one(FigureSource *source, json_t **figure, Error *err);

#endif
