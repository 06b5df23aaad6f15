// SPDX-License-Identifier: MIT
// The instructions of a trace's kernel as text, from which the same program is made again: how a
// recording keeps the code of kernels that have no PTX.
#ifndef FRONTENDS_ACCELSIM_SASS_LISTING_H
#define FRONTENDS_ACCELSIM_SASS_LISTING_H

#include <stddef.h>

#include "frontends/accelsim/trace_kernel.h"

// NUL-terminated; the caller frees it (memory_free).
char *sass_listing_write(const TraceKernel *kernel, size_t *length);
// path: for messages. The caller destroys the program.
Status sass_listing_read(Program **program, const char *text, const char *path, Error *err);

#endif
