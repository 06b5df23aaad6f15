// SPDX-License-Identifier: MIT
// Runs a function in a process of its own, with a large stack.
//
// libclang recurses as deep as the source is nested, and may crash on sources that no
// compiler has seen. A crash becomes an error that says so; nothing has been written then.
#ifndef CLUSTERING_REWRITE_APART_H
#define CLUSTERING_REWRITE_APART_H

#include "base/error.h"

typedef Status ApartFunction(void *context, Error *err);

// Returns what the function does, and its error; its output goes where ours does. Changes that
// it makes to memory are lost. what: the input, for the message.
Status apart_run(ApartFunction *function, void *context, const char *what, Error *err);

#endif
