// SPDX-License-Identifier: MIT
// NVRTC's calls.
#include "program.h"

#include <string.h>

#define NEED(condition) \
  if (!(condition)) return NVRTC_ERROR_INVALID_INPUT
#define NEED_PROGRAM(program) \
  if (!(program)) return NVRTC_ERROR_INVALID_PROGRAM

EXPORT const char *nvrtcGetErrorString(nvrtcResult result) {
  switch (result) {
#define NAME(name) \
  case name: return #name;
    NAME(NVRTC_SUCCESS)
    NAME(NVRTC_ERROR_OUT_OF_MEMORY)
    NAME(NVRTC_ERROR_PROGRAM_CREATION_FAILURE)
    NAME(NVRTC_ERROR_INVALID_INPUT)
    NAME(NVRTC_ERROR_INVALID_PROGRAM)
    NAME(NVRTC_ERROR_INVALID_OPTION)
    NAME(NVRTC_ERROR_COMPILATION)
    NAME(NVRTC_ERROR_BUILTIN_OPERATION_FAILURE)
    NAME(NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION)
    NAME(NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION)
    NAME(NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID)
    NAME(NVRTC_ERROR_INTERNAL_ERROR)
    NAME(NVRTC_ERROR_TIME_FILE_WRITE_FAILED)
    NAME(NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED)
    NAME(NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED)
    NAME(NVRTC_ERROR_PCH_CREATE)
    NAME(NVRTC_ERROR_CANCELLED)
    NAME(NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED)
#undef NAME
  }
  return "NVRTC_ERROR unknown";
}

EXPORT nvrtcResult nvrtcVersion(int *major, int *minor) {
  NEED(major && minor);
  *major = 12, *minor = 0;
  return NVRTC_SUCCESS;
}

// What clang compiles for; others are rounded down to these.
static const int archs[] = {35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86};

EXPORT nvrtcResult nvrtcGetNumSupportedArchs(int *count) {
  NEED(count);
  *count = sizeof archs / sizeof *archs;
  return NVRTC_SUCCESS;
}
EXPORT nvrtcResult nvrtcGetSupportedArchs(int *to) {
  NEED(to);
  memcpy(to, archs, sizeof archs);
  return NVRTC_SUCCESS;
}

// Headers become files, which must stay in the folder of the compilation.
static bool is_name(const char *name) {
  std::string path = name ? name : "";
  return !path.empty() && path[0] != '/' && ("/" + path + "/").find("/../") == std::string::npos;
}

EXPORT nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name,
                                      int header_count, const char *const *headers,
                                      const char *const *names) {
  NEED(program && source && header_count >= 0 && (!header_count || (headers && names)));
  for (int i = 0; i < header_count; i++) NEED(headers[i] && is_name(names[i]));
  *program = new _nvrtcProgram();
  (*program)->source = source;
  (*program)->name = name && *name ? name : "default_program";
  for (int i = 0; i < header_count; i++)
    (*program)->headers.push_back(Header{names[i], headers[i]});
  return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program) {
  NEED_PROGRAM(program && *program);
  delete *program;
  *program = nullptr;
  return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char *expression) {
  NEED_PROGRAM(program);
  NEED(expression);
  if (program->was_compiled) return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
  program->expressions.push_back(NameExpression{expression, ""});
  return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count,
                                       const char *const *options) {
  NEED_PROGRAM(program);
  NEED(count >= 0 && (!count || options));
  Options read;
  program->log.clear(), program->ptx.clear();
  nvrtcResult result = options_read(&read, count, options, &program->log);
  if (result != NVRTC_SUCCESS) return result;
  program->was_compiled = true;
  return program_compile(program, read);
}

EXPORT nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char *expression,
                                       const char **name) {
  NEED_PROGRAM(program);
  NEED(expression && name);
  if (program->ptx.empty()) return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
  for (const NameExpression &it : program->expressions) {
    if (it.expression != expression) continue;
    *name = it.lowered.c_str();
    return NVRTC_SUCCESS;
  }
  return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

EXPORT nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *bytes) {
  NEED_PROGRAM(program);
  NEED(bytes);
  *bytes = program->log.size() + 1;
  return NVRTC_SUCCESS;
}
EXPORT nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log) {
  NEED_PROGRAM(program);
  NEED(log);
  memcpy(log, program->log.c_str(), program->log.size() + 1);
  return NVRTC_SUCCESS;
}

#define TEXT(name)                                                               \
  EXPORT nvrtcResult nvrtcGet##name##Size(nvrtcProgram program, size_t *bytes) { \
    NEED_PROGRAM(program && program->ptx.size());                                \
    NEED(bytes);                                                                 \
    *bytes = program->ptx.size() + 1;                                            \
    return NVRTC_SUCCESS;                                                        \
  }                                                                              \
  EXPORT nvrtcResult nvrtcGet##name(nvrtcProgram program, char *text) {          \
    NEED_PROGRAM(program && program->ptx.size());                                \
    NEED(text);                                                                  \
    memcpy(text, program->ptx.c_str(), program->ptx.size() + 1);                 \
    return NVRTC_SUCCESS;                                                        \
  }
TEXT(PTX)
TEXT(CUBIN)
TEXT(LTOIR)
