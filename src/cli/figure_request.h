// SPDX-License-Identifier: MIT
// Which figure of which runs: the command line of heddle figure, up to a measured
// figure.
//
//   heddle figure DB speedup --where gpu=k40            a figure of the study, or of --study
//   heddle figure DB --metric l1d.hit_rate --x l1d.size_kb --series scheme
//
// A store without a study, and --runs, take single runs: their programs, GPUs and
// schemes are the dimensions, and any parameter of their configurations may be.
#ifndef CLI_FIGURE_REQUEST_H
#define CLI_FIGURE_REQUEST_H

#include "cli/verb.h"
#include "store/store.h"
#include "study/figure.h"

enum { MOST_FIGURE_KEYS = 32 };

typedef struct FigureRequest {
  const Arguments *arguments;
  Arena arena;
  Store *store;
  Study study;
  bool is_study;         // and not a study made of single runs
  const char *made;      // when the study was last run, or NULL
  const char *baseline;  // the column that others of the study are compared with, or NULL
  FigureKey keys[MOST_FIGURE_KEYS + 1];
  int key_count;
} FigureRequest;

Status figure_request_open(FigureRequest *request, const Arguments *arguments, Error *err);
void figure_request_close(FigureRequest *request);

// All figures of the study.
Status figure_request_all(FigureRequest *request, json_t **figures, Error *err);
// The one that is asked for.
Status figure_request_one(FigureRequest *request, json_t **figure, Error *err);

#endif
