// SPDX-License-Identifier: MIT
// JSON objects by number, in files instead of memory: a program may launch a million
// kernels. They may be added in any order, and numbers may be missing. One process
// writes; another may read what has been written, even if the writer was killed. A program
// may close the descriptors: files with a path are opened again, the others are lost, which
// json_records_check reports.
//
//   PATH        the objects as indented text, concatenated
//   PATH.index  offset and length for each number
#ifndef BASE_TEXT_JSON_RECORDS_H
#define BASE_TEXT_JSON_RECORDS_H

#include <jansson.h>
#include <stdint.h>

#include "base/error.h"

typedef struct JsonRecords JsonRecords;

// path NULL: files without a name, in $TMPDIR or /var/tmp, which are gone when
// they are closed.
Status json_records_create(JsonRecords **records, const char *path, Error *err);
// For reading.
Status json_records_open(JsonRecords **records, const char *path, Error *err);
void json_records_close(JsonRecords *records);  // or NULL

// The first failure, such as a full disk, is kept for json_records_check; after
// it nothing more is written.
void json_records_put(JsonRecords *records, uint64_t number, const json_t *object);
Status json_records_check(const JsonRecords *records, Error *err);

// No number reaches this.
uint64_t json_records_end(JsonRecords *records);
// Text of an object, not NUL-terminated, valid until the next call; NULL if there is
// none of that number.
Status json_records_text(JsonRecords *records, uint64_t number, const char **text, size_t *length,
                         Error *err);
// *object, owned by the caller, is NULL if there is none.
Status json_records_get(JsonRecords *records, uint64_t number, json_t **object, Error *err);

#endif
