// SPDX-License-Identifier: MIT
// Arguments such as -size=64 or --size=64, and input files.
#ifndef HEDDLE_HELPER_STRING_H
#define HEDDLE_HELPER_STRING_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif
#define STRCASECMP strcasecmp
#define STRNCASECMP strncasecmp

// What stands behind "name=" or "name" in an argument; NULL if it is another's.
static inline const char *heddle_argument_value(const char *argument, const char *name) {
  size_t length = strcspn(name, "=");
  argument += strspn(argument, "-");
  if (strncasecmp(argument, name, length) != 0) return NULL;
  if (argument[length] == '=') return argument + length + 1;
  return argument[length] ? NULL : argument + length;
}
static inline const char *heddle_argument(int argc, const char **argv, const char *name) {
  for (int i = 1; i < argc; i++) {
    const char *value = argv[i][0] == '-' ? heddle_argument_value(argv[i], name) : NULL;
    if (value) return value;
  }
  return NULL;
}

inline bool checkCmdLineFlag(int argc, const char **argv, const char *name) {
  return heddle_argument(argc, argv, name) != NULL;
}
inline int getCmdLineArgumentInt(int argc, const char **argv, const char *name) {
  const char *value = heddle_argument(argc, argv, name);
  return value ? atoi(value) : 0;
}
inline float getCmdLineArgumentFloat(int argc, const char **argv, const char *name) {
  const char *value = heddle_argument(argc, argv, name);
  return value ? (float)atof(value) : 0.0f;
}
inline bool getCmdLineArgumentString(int argc, const char **argv, const char *name, char **result) {
  const char *value = heddle_argument(argc, argv, name);
  *result = value ? (char *)value : NULL;
  return value != NULL;
}
inline int stringRemoveDelimiter(char delimiter, const char *text) {
  int start = 0;
  while (text[start] == delimiter) start++;
  return start;
}

// Looks beside the program and in data/. The caller frees the path.
inline char *sdkFindFilePath(const char *name, const char *program) {
  char path[4096];
  static const char *const places[] = {"", "data/", "../data/"};
  int folder = 0;
  if (program)
    for (int i = 0; program[i]; i++)
      if (program[i] == '/') folder = i + 1;
  for (int i = 0; i < 6; i++) {
    snprintf(path, sizeof path, "%.*s%s%s", i < 3 ? 0 : folder, program ? program : "",
             places[i % 3], name);
    if (FILE *file = fopen(path, "rb")) {
      fclose(file);
      return strdup(path);
    }
  }
  return NULL;
}

#endif
