// SPDX-License-Identifier: MIT
// Configuration files: `[section]` and `key = value` lines, `#` comments. Parameter
// tables define the valid keys; anything else is an error with file and line.
#ifndef BASE_FILES_CONFIG_FILE_H
#define BASE_FILES_CONFIG_FILE_H

#include "base/param.h"

// Called for each `key = value`, and with a NULL key for each [section]. Section is
// "" before the first. An error gets file and line before it.
typedef Status (*ConfigLineFn)(void *self, const char *section, const char *key, const char *value,
                               Error *err);
// Reads lines from memory; messages use name in place of the path.
Status config_lines_read(const char *name, const char *text, size_t length, ConfigLineFn on_line,
                         void *self, Error *err);

Status config_file_read(const ParamSection *sections, const char *path, Error *err);
// The same from memory; messages use name in place of the path.
Status config_text_read(const ParamSection *sections, const char *name, const char *text,
                        size_t length, Error *err);

#endif
