// SPDX-License-Identifier: MIT
// Runs the commands of a build, prints them for -dryrun and -v, and names temporary files.
#include "cc/build_job.h"

#include <stdio.h>
#include <stdlib.h>

#include "cc/process.h"

void build_print_variables(const Build *build) {
  const char *root = build->toolchain->root, *path = getenv("PATH");
  fprintf(stderr, "#$ TOP=%s\n#$ PATH=%s/bin:%s\n", root, root, path ? path : "");
  fprintf(stderr, "#$ INCLUDES=-I%s/include\n#$ LIBRARIES=-L%s/lib64\n", root, root);
  const Words *sms = &build->request->named_sms;
  for (int i = 0; i < sms->count; i++)
    fprintf(stderr, "#$ CICC_FLAGS=-arch compute_%s\n", sms->items[i]);
  if (!sms->count) fprintf(stderr, "#$ CICC_FLAGS=-arch compute_%d\n", build->request->sm);
}

static void print_command(const Words *words) {
  fputs("#$ ", stderr);
  for (int i = 0; i < words->count; i++) fprintf(stderr, "%s%s", i ? " " : "", words->items[i]);
  fputc('\n', stderr);
}

static Status run(const Build *build, const Words *words, const char *output, const char *messages,
                  const char *what, Error *err) {
  int exit_code;
  if (build->request->verbose || build->request->dry_run) print_command(words);
  if (build->request->dry_run) return OK;
  TRY(process_run(words, output, messages, build->folder.path, &exit_code, err));
  if (exit_code == 0) return OK;
  return error_set(err, ERR_SYNTAX, "%s failed (%s exited with status %d)", what, words->items[0],
                   exit_code);
}

Status build_run(const Build *build, const Words *words, const char *output, const char *what,
                 Error *err) {
  return run(build, words, output, NULL, what, err);
}

Status build_run_quietly(const Build *build, const Words *words, const char *messages,
                         const char *what, Error *err) {
  return run(build, words, NULL, messages, what, err);
}

const char *build_temporary(Build *build, const char *ending) {
  words_add(&build->names, "%s/%d%s", build->folder.path, build->names.count, ending);
  return build->names.items[build->names.count - 1];
}
