// SPDX-License-Identifier: MIT
// Whole files, and paths.
#ifndef BASE_FILES_FILE_H
#define BASE_FILES_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

// Reads a whole text file. *text is NUL-terminated; the caller frees it with
// memory_free. Rejects files larger than limit_bytes, and anything that could block or
// never end (directories, pipes, devices). A UTF-8 byte-order mark, which some editors
// insert, is dropped; UTF-16 is rejected.
Status file_read(const char *path, uint64_t limit_bytes, char **text, size_t *length, Error *err);

// Skips such a mark, for text that does not come from a file.
const char *text_behind_mark(const char *text);

// Reads up to size_bytes from a file's beginning; *got says how many there were.
Status file_read_prefix(const char *path, void *bytes, size_t size_bytes, size_t *got, Error *err);

// Fails if the path is not writable: for checks before long work. Writes nothing; "-",
// standard output, is valid.
Status file_check_writable(const char *path, Error *err);

// The part before the suffix must not be empty.
bool path_ends_with(const char *path, const char *ending);
// Whether a word that could be a name is meant as a path: it has a slash or the ending.
bool word_is_path(const char *word, const char *ending);

// `relative` as seen from the folder of the file `from`.
const char *path_beside(Arena *arena, const char *from, const char *relative);

#endif
