// SPDX-License-Identifier: MIT
// Digests of what a store holds of a run or a study, in all its tables. They are
// independent of the numbers of runs and the order of columns, so a copy in
// another store has the same one.
#ifndef STORE_CONTENT_H
#define STORE_CONTENT_H

#include "store/database.h"
#include "base/digest.h"

// In place of a digest: written by a Heddle that had none.
#define CONTENT_UNKNOWN "none"

enum { FIRST_WITH_DIGESTS = 3 };  // version of the store

typedef struct Content Content;

// schema: "main", or the name of an attached store. Reads row_tables: tables that are added
// later are not covered.
Status content_open(Content **content, Store *store, const char *schema, Error *err);
void content_close(Content *content);
Status content_of_run(Content *content, int64_t run, char out[DIGEST_BYTES], Error *err);
Status content_of_study(Content *content, int64_t study, char out[DIGEST_BYTES], Error *err);

// Stores the digest; the last change of a run or a study in its transaction.
Status content_seal_run(Store *store, int64_t run, Error *err);
Status content_seal_study(Store *store, int64_t study, Error *err);

#endif
