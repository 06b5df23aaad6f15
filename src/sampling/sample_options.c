// SPDX-License-Identifier: MIT
// Reads the options of --sample.
#include "sampling/sample_options.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// About a second of the host's: in less there is nothing to gain.
static const uint64_t default_after = UINT64_C(1) << 20;

static Status wrong(const char *text, Error *err) {
  return error_set(err, ERR_USAGE,
                   "'%.40s': expected error=PERCENT with 0.1%% to 20%%, such as error=3%%, and "
                   "optionally ,after=INSTRUCTIONS",
                   text);
}

// What follows the key, or NULL.
static const char *value_of(const char *text, const char *key) {
  return strncmp(text, key, strlen(key)) == 0 ? text + strlen(key) : NULL;
}

static bool read_after(SampleOptions *options, const char *text) {
  const char *number = value_of(text, "%,after=");
  char *end;
  if (!number || *number < '0' || *number > '9') return false;
  errno = 0;
  options->after = strtoull(number, &end, 10);
  return !errno && !*end;
}

Status sample_options_read(SampleOptions *options, const char *text, Error *err) {
  const char *number = value_of(text, "error=");
  char *end;
  if (!number) return wrong(text, err);
  double percent = strtod(number, &end);
  if (end == number || !(percent >= 0.1 && percent <= 20)) return wrong(text, err);
  *options = (SampleOptions){.error = percent / 100, .after = default_after};
  if (strcmp(end, "%") != 0 && !read_after(options, end)) return wrong(text, err);
  return OK;
}
