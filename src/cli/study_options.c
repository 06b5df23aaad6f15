// SPDX-License-Identifier: MIT
// Options of compare and study become a StudyRequest.
#include "cli/study_options.h"

#include "cli/arguments.h"

static Status read_question(const Arguments *arguments, StudyRequest *request, Error *err) {
  bool status = arguments_has(arguments, "--status"), cancel = arguments_has(arguments, "--cancel");
  request->resume = arguments_has(arguments, "--resume");
  if (status + cancel + request->resume > 1)
    return error_set(err, ERR_USAGE, "--status, --resume and --cancel exclude one another");
  request->question = status ? ASK_STATUS : cancel ? ASK_CANCEL : ASK_NOTHING;
  return OK;
}

Status study_options_read(const Arguments *arguments, const char *db, StudyRequest *request,
                          Arena *arena, Error *err) {
  *request = (StudyRequest){.db = arguments_value(arguments, "--db", db),
                            .report = arguments_value(arguments, "--report", NULL),
                            .plugin = arguments_list(arguments, "--plugin", arena),
                            .quiet = arguments_has(arguments, "--quiet"),
                            .on = arguments_value(arguments, "--on", NULL),
                            .slurm = arguments_value(arguments, "--slurm", NULL),
                            .retries = NOT_GIVEN,
                            .element_seconds = NOT_GIVEN};
  TRY(read_question(arguments, request, err));
  TRY(arguments_number(arguments, "--jobs", 1, 1024, &request->processes, err));
  TRY(arguments_number(arguments, "--retries", 0, 1000, &request->retries, err));
  return arguments_number(arguments, "--element-seconds", 1, 1 << 30, &request->element_seconds,
                          err);
}
