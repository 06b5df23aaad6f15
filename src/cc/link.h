// SPDX-License-Identifier: MIT
// Links objects to programs, libraries and device code.
//
// For relocatable device code an additional object registers all modules as one
// (cuda/include/heddle/device_link.h). As with nvcc, it is added if the objects need it.
#ifndef CC_LINK_H
#define CC_LINK_H

#include "cc/build_job.h"

// All that build->objects and the request name, into the request's output.
Status link_program(Build *build, Error *err);
// -dlink: the object that registers modules, alone.
Status link_device_code(Build *build, Error *err);
// -lib: an archive of the objects.
Status link_library(Build *build, Error *err);

#endif
