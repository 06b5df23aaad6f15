// SPDX-License-Identifier: MIT
// What the steps of one build have in common. Private to cc/.
#ifndef CC_BUILD_JOB_H
#define CC_BUILD_JOB_H

#include "cc/request.h"
#include "base/scratch_folder.h"
#include "cc/toolchain.h"

typedef struct Build {
  const CcRequest *request;
  const CcToolchain *toolchain;
  ScratchFolder folder;
  Words names;          // of files in the folder
  Words objects;        // for the linker, in the order of the command line
  const char *foreign;  // a library that this source asks for and that is not here
} Build;

// Runs a tool; its own messages say what is wrong, ours only for which file.
// output: where its standard output goes; NULL: where ours does.
Status build_run(const Build *build, const Words *words, const char *output, const char *what,
                 Error *err);

// A name in the folder that no other file has.
const char *build_temporary(Build *build, const char *ending);

#endif
