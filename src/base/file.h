// SPDX-License-Identifier: MIT
// Whole files, and paths.
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

// Reads all of a text file; *text has a NUL behind its last byte and is
// memory_free'd by the caller. A file of more than limit_bytes is refused, as
// is anything that could block or never end (a directory, a pipe, a device). A
// byte-order mark of UTF-8 is dropped, as editors put it there unasked; UTF-16
// is refused.
Status file_read(const char *path, uint64_t limit_bytes, char **text, size_t *length, Error *err);

// Where the text begins behind such a mark, for text that was in no file.
const char *text_behind_mark(const char *text);

// Reads up to size_bytes from a file's beginning; *got says how many there were.
Status file_read_prefix(const char *path, void *bytes, size_t size_bytes, size_t *got, Error *err);

// Fails if nothing can be written there: worth asking before work whose result
// would be lost. Writes nothing; "-", standard output, is fine.
Status file_check_writable(const char *path, Error *err);

// Whether something stands before the ending, too.
bool path_ends_with(const char *path, const char *ending);
// Whether a word that could be a name is meant as a path: it has a slash or the ending.
bool word_is_path(const char *word, const char *ending);

// `relative` as seen from the folder of the file `from`.
const char *path_beside(Arena *arena, const char *from, const char *relative);

#endif
