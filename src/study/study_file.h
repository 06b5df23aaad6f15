// SPDX-License-Identifier: MIT
// Studies by name: those that ship with heddle (studies/), and files.
#ifndef STUDY_STUDY_FILE_H
#define STUDY_STUDY_FILE_H

#include "base/files/embedded.h"
#include "run/run_spec.h"
#include "study/study.h"

enum { STUDY_NAME_BYTES = EMBEDDED_NAME_BYTES };

// Text and name of the shipped study at an index; NULL past the last.
const char *shipped_study(size_t index, char name[STUDY_NAME_BYTES]);

// given: the name of a shipped study, or the path of an .ini file. plugins: paths of those whose
// counters and observers it may name. seeds: replaces what the file says, or NULL. Workloads get
// their groups.
Status study_file_read(Study *study, const char *given, const RunList *plugins, const char *seeds,
                       Error *err);
// "a/b/mine.ini" is called mine.
const char *study_file_name(const char *given, Arena *arena);

#endif
