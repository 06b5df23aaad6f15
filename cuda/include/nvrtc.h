// SPDX-License-Identifier: MIT
// NVRTC for the simulated GPU: compiles CUDA C++ at run time, with clang as `heddle cc` does
// (docs/libraries.md).
#ifndef HEDDLE_NVRTC_H
#define HEDDLE_NVRTC_H
#define __NVRTC_H__ 1  // what programs ask for to know that it was read

#include <stdlib.h>

typedef enum {
  NVRTC_SUCCESS = 0,
  NVRTC_ERROR_OUT_OF_MEMORY = 1,
  NVRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
  NVRTC_ERROR_INVALID_INPUT = 3,
  NVRTC_ERROR_INVALID_PROGRAM = 4,
  NVRTC_ERROR_INVALID_OPTION = 5,
  NVRTC_ERROR_COMPILATION = 6,
  NVRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
  NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
  NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
  NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
  NVRTC_ERROR_INTERNAL_ERROR = 11,
  NVRTC_ERROR_TIME_FILE_WRITE_FAILED = 12,
  NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED = 13,
  NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED = 14,
  NVRTC_ERROR_PCH_CREATE = 15,
  NVRTC_ERROR_CANCELLED = 16,
  NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED = 17
} nvrtcResult;
typedef struct _nvrtcProgram *nvrtcProgram;

#ifdef __cplusplus
extern "C" {
#endif
const char *nvrtcGetErrorString(nvrtcResult result);
nvrtcResult nvrtcVersion(int *major, int *minor);
nvrtcResult nvrtcGetNumSupportedArchs(int *count);
nvrtcResult nvrtcGetSupportedArchs(int *archs);

// headers[i] is the text of what the program includes as names[i].
nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name,
                               int header_count, const char *const *headers,
                               const char *const *names);
nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char *expression);
nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options);
nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char *expression, const char **name);
nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program);

// Sizes of texts include a NUL.
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *bytes);
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log);
nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *bytes);
nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *ptx);
// Images that Heddle alone loads and links: the PTX again.
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *bytes);
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *image);
nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram program, size_t *bytes);
nvrtcResult nvrtcGetLTOIR(nvrtcProgram program, char *image);
#ifdef __cplusplus
}
#endif

#if defined __cplusplus && NVRTC_GET_TYPE_NAME
#include <cxxabi.h>

#include <string>
#include <typeinfo>

template <typename T>
struct HeddleTypeName {};

// The name of T as it is written in an expression, with references and qualifiers.
template <typename T>
nvrtcResult nvrtcGetTypeName(std::string *result) {
  int status;
  char *name = abi::__cxa_demangle(typeid(HeddleTypeName<T>).name(), 0, 0, &status);
  if (!name) return NVRTC_ERROR_INTERNAL_ERROR;
  std::string whole = name;
  free(name);
  size_t first = whole.find('<') + 1;
  *result = whole.substr(first, whole.rfind('>') - first);
  return NVRTC_SUCCESS;
}
#endif

#endif
