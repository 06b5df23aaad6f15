// SPDX-License-Identifier: MIT
// Builds what a request asks for: one run of clang for each source, then one
// that links. Relocatable device code gets an object in between that registers
// all modules as one (cuda/include/heddle/device_link.h).
#ifndef CC_BUILD_H
#define CC_BUILD_H

#include "cc/request.h"
#include "cc/toolchain.h"

Status cc_build(const CcRequest *request, const CcToolchain *toolchain, Error *err);

#endif
