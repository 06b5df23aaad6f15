// SPDX-License-Identifier: MIT
// Parses an nvcc command line.
//
// Options have nvcc's syntax: one dash or two, a value after `=` or in the next word.
// Options that are irrelevant to a simulated GPU are ignored; unsupported options that
// affect the result are rejected or noted.
#ifndef CC_REQUEST_H
#define CC_REQUEST_H

#include <stdbool.h>

#include "base/error.h"
#include "cc/words.h"

typedef enum CcStage {
  CC_LINK,
  CC_DEVICE_LINK,  // an object that registers the modules of others
  CC_LIBRARY,      // an archive
  CC_COMPILE,      // from here on a file for each source
  CC_PTX,
  CC_FATBIN,
  CC_PREPROCESS,  // from here on to standard output unless -o says where
  CC_DEPENDENCIES
} CcStage;

typedef enum CcLanguage { CC_CUDA, CC_CPLUSPLUS, CC_C, CC_FOR_LINKER } CcLanguage;

typedef struct CcInput {
  const char *path;
  CcLanguage language;
} CcInput;

typedef struct CcRequest {
  Words words;  // the command line, with the content of options files
  CcStage stage;
  const char *output;  // NULL if not given
  int sm;              // what kernels are compiled for: 70 is sm_70
  Words named_sms;     // all that -arch and -gencode name
  bool relocatable;    // -rdc=true: device code of several files is linked
  bool forced_cuda;    // -x cu: inputs are CUDA whatever they are called
  bool device_debug;      // -G
  bool device_optimized;  // -dopt=on, which takes back half of -G
  bool reports_usage;     // -Xptxas -v, -res-usage: local memory of kernels
  bool verbose, dry_run;
  bool wants_version;  // and nothing else
  const char *standard;  // -std, NULL if not given
  Words folders;         // of headers, as -I and -isystem name them
  Words compile;         // for clang, in all languages
  Words compile_cuda;    // for clang, in CUDA
  Words compile_device;  // for the device's half of it
  Words link;            // for clang as a linker
  Words notes;           // lines for people: what was ignored
  CcInput *inputs;
  int input_count;
} CcRequest;

// words: the arguments of `heddle cc`. Free with cc_request_clear, also after a failure.
Status cc_request_parse(CcRequest *request, int count, const char *const *words, Error *err);
void cc_request_clear(CcRequest *request);

// Whether objects are put together, which may also be given by name.
static inline bool cc_stage_links(CcStage stage) {
  return stage < CC_COMPILE;
}

// Kernels are optimised unless -G is given.
static inline bool cc_optimizes_kernels(const CcRequest *request) {
  return !request->device_debug || request->device_optimized;
}

// Whether the result is a module that a program loads as it is.
static inline bool cc_makes_module(const CcRequest *request) {
  return (request->stage == CC_PTX || request->stage == CC_FATBIN) && !request->relocatable;
}

// The closest architecture that clang supports, not above the requested one if possible.
int cc_arch_known(int sm);

#endif
