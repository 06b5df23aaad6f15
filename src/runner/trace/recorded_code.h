// SPDX-License-Identifier: MIT
// The code of a recording, compiled as it was when the run was recorded.
#ifndef RUNNER_TRACE_RECORDED_CODE_H
#define RUNNER_TRACE_RECORDED_CODE_H

#include "isa/program.h"
#include "trace/recording_reader.h"

// Fails if this version of Heddle compiles it to other code: then the steps do not fit it.
Status recorded_code_compile(Program **program, Recording *recording, const RecordedModule *module,
                             const char *path, Error *err);

#endif
