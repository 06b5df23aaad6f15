// SPDX-License-Identifier: MIT
// Locations of the tools and files of a build: clang, and a folder that clang accepts as a
// CUDA installation.
//
//   cuda/bin/ptxas, fatbinary             stand-ins
//   cuda/include/                         headers
//   cuda/nvvm/libdevice/libdevice.10.bc   mathematics
//   cuda/lib64/libcudart.so, libcuda.so   links to the libraries next to heddle
#ifndef CC_TOOLCHAIN_H
#define CC_TOOLCHAIN_H

#include <limits.h>

#include "base/error.h"

typedef struct CcToolchain {
  char clang[PATH_MAX];      // $HEDDLE_CLANG, or clang
  char linker[PATH_MAX];     // the same as a compiler of C++, under the name of one if possible
  char root[PATH_MAX];       // the folder cuda/, next to this program or in ../lib/heddle
  char libraries[PATH_MAX];  // the folder of libcudart.so.11.0
} CcToolchain;

Status cc_toolchain_find(CcToolchain *toolchain, Error *err);
// Linking wants the libraries too.
Status cc_toolchain_check_libraries(const CcToolchain *toolchain, Error *err);

#endif
