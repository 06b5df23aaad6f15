// SPDX-License-Identifier: MIT
#include "cc/build_job.h"

#include <stdio.h>

#include "cc/process.h"

static void print_command(const Words *words) {
  for (int i = 0; i < words->count; i++) fprintf(stderr, "%s%s", i ? " " : "", words->items[i]);
  fputc('\n', stderr);
}

Status build_run(const Build *build, const Words *words, const char *output, const char *what,
                 Error *err) {
  int exit_code;
  if (build->request->verbose || build->request->dry_run) print_command(words);
  if (build->request->dry_run) return OK;
  TRY(process_run(words, output, build->folder.path, &exit_code, err));
  if (exit_code == 0) return OK;
  return error_set(err, ERR_SYNTAX, "%s failed (%s exited with status %d)", what, words->items[0],
                   exit_code);
}

const char *build_temporary(Build *build, const char *ending) {
  words_add(&build->names, "%s/%d%s", build->folder.path, build->names.count, ending);
  return build->names.items[build->names.count - 1];
}
