// SPDX-License-Identifier: MIT
// The values of a study's dimensions: names in [study], definitions in sections of their own, and
// restriction to some of them.
//
//   variants = BSL, TOT=1, TOT=2     names
//   [variant TOT=*]                  every name that begins so; * in a value is the rest of the
//   name set = sm.max_ctas=* only = variant = BSL, TOT=1      the others are left out
#ifndef STUDY_STUDY_ITEMS_H
#define STUDY_STUDY_ITEMS_H

#include "study/sections.h"
#include "study/study.h"

// Names separated by commas.
Status study_items_add(Study *study, Dimension dimension, const char *list, Error *err);

// A line of a section [workload NAME], [gpu NAME], [scheme NAME] or [variant NAME].
Status study_items_set(Study *study, Dimension dimension, const SectionLine *line, Error *err);

// "gpu = gtx570, k40": leaves out the other values of the dimension.
Status study_items_restrict(Study *study, const char *text, Error *err);
// Whether the study names the value, and leaves it out.
bool study_item_is_left_out(const Study *study, Dimension dimension, const char *name);

// Whether a name is another, or begins as a pattern that ends in * does.
bool study_name_matches(const char *name, const char *pattern);

#endif
