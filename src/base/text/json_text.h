// SPDX-License-Identifier: MIT
// Texts that users give, as JSON strings. Paths, arguments and files may hold any
// bytes, JSON is UTF-8: a byte that is none becomes U+FFFD.
#ifndef BASE_TEXT_JSON_TEXT_H
#define BASE_TEXT_JSON_TEXT_H

#include <jansson.h>

// JSON's null for NULL.
json_t *json_text(const char *text);

// object[key] = value, for a key that a user has named. Takes the value over.
void json_set_named(json_t *object, const char *key, json_t *value);

#endif
