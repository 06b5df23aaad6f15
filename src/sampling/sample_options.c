// SPDX-License-Identifier: MIT
// Reads the options of --sample.
#include "sampling/sample_options.h"

#include <stdlib.h>
#include <string.h>

static Status wrong(const char *text, Error *err) {
  return error_set(err, ERR_USAGE,
                   "'%.40s': expected error=PERCENT with 0.1%% to 20%%, such as error=3%%", text);
}

Status sample_options_read(SampleOptions *options, const char *text, Error *err) {
  static const char key[] = "error=";
  char *end;
  if (strncmp(text, key, strlen(key)) != 0) return wrong(text, err);
  const char *number = text + strlen(key);
  double percent = strtod(number, &end);
  if (end == number || strcmp(end, "%") != 0 || !(percent >= 0.1 && percent <= 20))
    return wrong(text, err);
  options->error = percent / 100;
  return OK;
}
