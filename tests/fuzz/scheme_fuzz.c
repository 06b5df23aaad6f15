// SPDX-License-Identifier: MIT
// Random schemes, as a file and as words of a command line. What is taken
// reads the same once it is written as words.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_file.h"
#include "gpu/config/scheme.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const Scheme *scheme) {
  char text[SCHEME_TEXT_BYTES], words[2 * SCHEME_TEXT_BYTES] = "", again_text[SCHEME_TEXT_BYTES];
  Scheme again;
  Error err;
  scheme_text(scheme, text);
  for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
    snprintf(words + strlen(words), sizeof words - strlen(words), "%s%s", *words ? " + " : "",
             word);
  if (!*words) return;
  if (scheme_parse(&again, words, NULL, &err) != OK) abort();
  char first[SCHEME_TEXT_BYTES];
  if (strcmp(scheme_text(scheme, first), scheme_text(&again, again_text)) != 0) abort();
}

static void try(const char *text) {
  static GpuConfig config;
  Scheme scheme;
  Error err;
  err.text[0] = '\0';
  if (scheme_parse(&scheme, text, NULL, &err) == OK) {
    scheme_apply(&scheme, &config);
    check_text(&scheme);
  } else if (strncmp(err.text, "scheme '", 8) != 0) {
    abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *line = malloc(size + 1);
  memcpy(line, data, size);
  line[size] = '\0';
  line[strcspn(line, "\n")] = '\0';
  if (!strchr(line, '/')) try(line);
  free(line);
  try(fuzz_file(data, size));
  return 0;
}
