// SPDX-License-Identifier: MIT
// Checks a store for damage: the file, as SQLite knows it; values that Heddle does not write;
// counters that contradict each other; and content that differs from its digest.
#ifndef STORE_CHECK_H
#define STORE_CHECK_H

#include "store/store.h"

// schema: "main", or the name of an attached store; path: for messages. The error is ERR_SYNTAX
// and names the first damage found. Reads all of the store.
Status check_store(Store *store, const char *schema, const char *path, Error *err);

#endif
