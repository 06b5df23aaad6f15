// SPDX-License-Identifier: MIT
// Executes a build request: one run of clang per source, then one that links. For
// relocatable device code an additional object registers all modules as one
// (cuda/include/heddle/device_link.h).
#ifndef CC_BUILD_H
#define CC_BUILD_H

#include "cc/request.h"
#include "cc/toolchain.h"

Status cc_build(const CcRequest *request, const CcToolchain *toolchain, Error *err);

#endif
