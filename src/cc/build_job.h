// SPDX-License-Identifier: MIT
// Common state of the steps of a build. Private to cc/.
#ifndef CC_BUILD_JOB_H
#define CC_BUILD_JOB_H

#include "cc/request.h"
#include "base/files/scratch_folder.h"
#include "cc/toolchain.h"

typedef struct Build {
  const CcRequest *request;
  const CcToolchain *toolchain;
  ScratchFolder folder;
  Words names;          // of files in the folder
  Words objects;        // for the linker, in the order of the command line
  const char *foreign;  // an unavailable library that this source needs
  Words shared;         // shared variables that clang refuses (cc/shared_variables.h)
} Build;

// What `nvcc -v` prints before the commands, for build systems that read it.
void build_print_variables(const Build *build);

// Runs a tool, which reports its own errors; ours only names the file. output: file for its
// standard output; NULL: inherited.
Status build_run(const Build *build, const Words *words, const char *output, const char *what,
                 Error *err);
// The same, with its messages in a file.
Status build_run_quietly(const Build *build, const Words *words, const char *messages,
                         const char *what, Error *err);

// A name in the folder that no other file has.
const char *build_temporary(Build *build, const char *ending);

#endif
