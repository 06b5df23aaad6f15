// SPDX-License-Identifier: MIT
// JSON strings from arbitrary bytes: invalid UTF-8 becomes U+FFFD.
#include "base/text/json_text.h"

#include <stdbool.h>
#include <string.h>

#include "base/memory.h"

enum { LONGEST = 4 };  // bytes of a character
static const char replacement[] = "\xef\xbf\xbd";

static bool is_valid(const char *bytes, size_t length) {
  json_t *string = json_stringn(bytes, length);
  bool valid = string != NULL;
  json_decref(string);
  return valid;
}

// How many bytes the first character has; 0: it is none.
static size_t character_bytes(const char *text) {
  size_t left = strnlen(text, LONGEST);
  for (size_t length = 1; length <= left; length++)
    if (is_valid(text, length)) return length;
  return 0;
}

static json_t *repaired(const char *text) {
  char *clean = memory_alloc(strlen(text) * (sizeof replacement - 1) + 1), *to = clean;
  while (*text) {
    size_t length = character_bytes(text);
    size_t written = length ? length : sizeof replacement - 1;
    memcpy(to, length ? text : replacement, written);
    to += written;
    text += length ? length : 1;
  }
  json_t *string = json_string(clean);
  memory_free(clean);
  return string;
}

json_t *json_text(const char *text) {
  if (!text) return json_null();
  json_t *string = json_string(text);
  return string ? string : repaired(text);
}

void json_set_named(json_t *object, const char *key, json_t *value) {
  json_t *name = json_text(key);
  json_object_set_new(object, json_string_value(name), value);
  json_decref(name);
}
