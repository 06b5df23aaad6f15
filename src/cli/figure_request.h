// SPDX-License-Identifier: MIT
// Interprets the command line of heddle figure and evaluates the figure.
//
//   heddle figure DB speedup --where gpu=k40            a figure of the study, or of --study
//   heddle figure DB --metric l1d.hit_rate --x l1d.size_kb --series scheme
//
// With --runs, or in a store without a study, single runs are used: their
// programs, GPUs, schemes and any configuration parameter are dimensions.
#ifndef CLI_FIGURE_REQUEST_H
#define CLI_FIGURE_REQUEST_H

#include "cli/verb.h"
#include "store/store.h"
#include "study/figures/figure.h"

enum { MOST_FIGURE_KEYS = 32 };

typedef struct FigureRequest {
  const Arguments *arguments;
  Arena arena;
  Store *store;
  Study study;
  bool is_study;         // false: a study synthesised from single runs
  const char *made;      // time of the study's last run, or NULL
  const char *baseline;  // baseline column of the study, or NULL
  FigureKey keys[MOST_FIGURE_KEYS + 1];
  int key_count;
} FigureRequest;

Status figure_request_open(FigureRequest *request, const Arguments *arguments, Error *err);
void figure_request_close(FigureRequest *request);

// Evaluates all figures of the study.
Status figure_request_all(FigureRequest *request, json_t **figures, Error *err);
// Evaluates the requested figure.
Status figure_request_one(FigureRequest *request, json_t **figure, Error *err);

#endif
