// SPDX-License-Identifier: MIT
// How a program is rewritten, as one text: a method and its parameters, such as
//
//   agents                       redirection:order=row        numbering:order=tile=1x8
//   agents:order=column,claim=counter,active=2,ctas=6,bypass=auto,prefetch=true
//
// and the library that rewrites, which is loaded when it is first needed: libclang takes longer to
// load than most runs take.
#ifndef CLUSTERING_REWRITING_H
#define CLUSTERING_REWRITING_H

#include "base/arena.h"
#include "clustering/request.h"

// One parameter by name: method, order, active, claim, ctas, bypass, prefetch. Texts are not
// copied.
Status rewriting_set(RewriteRequest *request, const char *name, const char *value, Arena *arena,
                     Error *err);
// A whole text. The request must be zeroed.
Status rewriting_parse(RewriteRequest *request, const char *text, Arena *arena, Error *err);
// NAME or NAME:PARAMETERS, such as scale:order=row,active=2. Other parameters are the request's.
Status rewriting_parse_kernel(KernelRequest *kernel, const RewriteRequest *request,
                              const char *text, Arena *arena, Error *err);
// Whether the parameters fit the method.
Status rewriting_check(const RewriteRequest *request, Error *err);

// cluster_rewrite of the library next to heddle (clustering/cluster.h).
Status rewriting_run(const RewriteRequest *request, Error *err);
// Path of that library.
enum { REWRITING_PATH_BYTES = 4096 };
Status rewriting_library(char path[REWRITING_PATH_BYTES], Error *err);

#endif
