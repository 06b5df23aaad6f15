// SPDX-License-Identifier: MIT
// What a cusparseMatDescr_t refers to; cuSOLVER takes it, too.
#ifndef CUSPARSE_DESCRIPTION_H
#define CUSPARSE_DESCRIPTION_H

#include <cusparse.h>

struct cusparseMatDescr {
  cusparseMatrixType_t type;
  cusparseFillMode_t fill;
  cusparseDiagType_t diagonal;
  cusparseIndexBase_t base;
};

#endif
