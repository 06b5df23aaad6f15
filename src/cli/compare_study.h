// SPDX-License-Identifier: MIT
// A comparison of the command line as a study (docs/studies.md).
#ifndef CLI_COMPARE_STUDY_H
#define CLI_COMPARE_STUDY_H

#include "cli/verb.h"
#include "study/study.h"

Status compare_study(const Arguments *arguments, Study *study, Error *err);

#endif
