// SPDX-License-Identifier: MIT
// nvJitLink on the driver's linker: texts are collected there, and linked into an image that
// Heddle alone loads.
//
// Simplified: PTX of a link is the single input's; that of several would have to be written
// anew, and is refused. Options of code generation have no effect.
#include <cuda.h>
#include <nvJitLink.h>
#include <stdio.h>
#include <string.h>

#include <string>
#include <vector>

#define EXPORT extern "C" __attribute__((visibility("default")))
#define NEED(condition) \
  if (!(condition)) return NVJITLINK_ERROR_NULL_INPUT

enum { LOG_BYTES = 4096 };

struct nvJitLink {
  CUlinkState state = nullptr;
  std::vector<char> image;
  std::vector<std::string> texts;
  std::string log;  // mistakes of calls; the linker's own are in `errors`
  char errors[LOG_BYTES] = "", notes[LOG_BYTES] = "";
};

// The linker of the driver needs a context; a program of the linker alone has none.
struct Context {
  bool is_ours = false;
  Context() {
    CUcontext current = nullptr;
    cuInit(0);
    if (cuCtxGetCurrent(&current) == CUDA_SUCCESS && current) return;
    is_ours = cuDevicePrimaryCtxRetain(&current, 0) == CUDA_SUCCESS &&
              cuCtxSetCurrent(current) == CUDA_SUCCESS;
  }
  ~Context() {
    if (is_ours) cuCtxSetCurrent(nullptr);
  }
};

static nvJitLinkResult refuse(nvJitLinkHandle handle, nvJitLinkResult result, const char *why) {
  handle->log += std::string("nvJitLink: error: ") + why + "\n";
  return result;
}

static bool is_known_option(const char *option) {
  static const char *const beginnings[] = {"-arch",
                                           "-lto",
                                           "-ptx",
                                           "-O",
                                           "-g",
                                           "-lineinfo",
                                           "-ftz",
                                           "-prec-",
                                           "-fma",
                                           "-kernels-used",
                                           "-variables-used",
                                           "-Xptxas",
                                           "-Xnvvm",
                                           "-maxrregcount",
                                           "-time",
                                           "-verbose",
                                           "-split-compile",
                                           "-optimize-unused-variables",
                                           "-no-cache",
                                           "-jump-table-density",
                                           "-device-stack-protector"};
  for (const char *beginning : beginnings)
    if (strncmp(option, beginning, strlen(beginning)) == 0) return true;
  return false;
}

EXPORT nvJitLinkResult nvJitLinkVersion(unsigned int *major, unsigned int *minor) {
  NEED(major && minor);
  *major = 12, *minor = 0;
  return NVJITLINK_SUCCESS;
}

static nvJitLinkResult check_options(uint32_t count, const char **options) {
  bool has_arch = false;
  for (uint32_t i = 0; i < count; i++) {
    NEED(options && options[i]);
    if (!is_known_option(options[i])) return NVJITLINK_ERROR_UNRECOGNIZED_OPTION;
    has_arch = has_arch || strncmp(options[i], "-arch=", 6) == 0;
  }
  return has_arch ? NVJITLINK_SUCCESS : NVJITLINK_ERROR_MISSING_ARCH;
}

EXPORT nvJitLinkResult nvJitLinkCreate(nvJitLinkHandle *handle, uint32_t count,
                                       const char **options) {
  NEED(handle);
  nvJitLinkResult result = check_options(count, options);
  if (result != NVJITLINK_SUCCESS) return result;
  Context context;
  nvJitLink *it = new nvJitLink();
  CUjit_option names[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                          CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {it->errors, (void *)(uintptr_t)LOG_BYTES, it->notes,
                    (void *)(uintptr_t)LOG_BYTES};
  if (cuLinkCreate(4, names, values, &it->state) != CUDA_SUCCESS) {
    delete it;
    return NVJITLINK_ERROR_INTERNAL;
  }
  *handle = it;
  return NVJITLINK_SUCCESS;
}

EXPORT nvJitLinkResult nvJitLinkDestroy(nvJitLinkHandle *handle) {
  NEED(handle && *handle);
  Context context;
  cuLinkDestroy((*handle)->state);
  delete *handle;
  *handle = nullptr;
  return NVJITLINK_SUCCESS;
}

// Images tell what they are; text is PTX.
static nvJitLinkResult add(nvJitLinkHandle handle, nvJitLinkInputType type, const void *data,
                           size_t bytes) {
  if (type == NVJITLINK_INPUT_NONE) return NVJITLINK_ERROR_INCORRECT_INPUT_TYPE;
  Context context;
  std::string text((const char *)data, bytes);
  bool is_text = text.find(".version") != std::string::npos && text[0] != '\x50';
  CUresult result =
      cuLinkAddData(handle->state, is_text ? CU_JIT_INPUT_PTX : CU_JIT_INPUT_FATBINARY,
                    const_cast<void *>(data), bytes, nullptr, 0, nullptr, nullptr);
  if (is_text) handle->texts.push_back(text.c_str());
  if (result == CUDA_SUCCESS) return NVJITLINK_SUCCESS;
  if (result == CUDA_ERROR_NOT_SUPPORTED)
    return refuse(handle, NVJITLINK_ERROR_UNRECOGNIZED_INPUT,
                  "only PTX, fat binaries with PTX and Heddle's own images can be linked");
  return is_text ? NVJITLINK_ERROR_PTX_COMPILE : NVJITLINK_ERROR_INVALID_INPUT;
}

EXPORT nvJitLinkResult nvJitLinkAddData(nvJitLinkHandle handle, nvJitLinkInputType type,
                                        const void *data, size_t bytes, const char *name) {
  (void)name;
  NEED(handle && data && bytes);
  return add(handle, type, data, bytes);
}

EXPORT nvJitLinkResult nvJitLinkAddFile(nvJitLinkHandle handle, nvJitLinkInputType type,
                                        const char *path) {
  NEED(handle && path);
  FILE *file = fopen(path, "rb");
  if (!file)
    return refuse(handle, NVJITLINK_ERROR_INVALID_INPUT,
                  ("cannot open " + std::string(path)).c_str());
  std::string content;
  char buffer[4096];
  for (size_t got; (got = fread(buffer, 1, sizeof buffer, file)) > 0;) content.append(buffer, got);
  fclose(file);
  NEED(!content.empty());
  return add(handle, type, content.data(), content.size());
}

EXPORT nvJitLinkResult nvJitLinkComplete(nvJitLinkHandle handle) {
  NEED(handle);
  Context context;
  void *image;
  size_t bytes;
  if (cuLinkComplete(handle->state, &image, &bytes) != CUDA_SUCCESS)
    return NVJITLINK_ERROR_FINALIZE;
  handle->image.assign((char *)image, (char *)image + bytes);
  return NVJITLINK_SUCCESS;
}

EXPORT nvJitLinkResult nvJitLinkGetLinkedCubinSize(nvJitLinkHandle handle, size_t *bytes) {
  NEED(handle && bytes);
  *bytes = handle->image.size();
  return *bytes ? NVJITLINK_SUCCESS : NVJITLINK_ERROR_FINALIZE;
}
EXPORT nvJitLinkResult nvJitLinkGetLinkedCubin(nvJitLinkHandle handle, void *image) {
  NEED(handle && image);
  memcpy(image, handle->image.data(), handle->image.size());
  return handle->image.empty() ? NVJITLINK_ERROR_FINALIZE : NVJITLINK_SUCCESS;
}

static nvJitLinkResult check_ptx(nvJitLinkHandle handle) {
  if (handle->image.empty()) return NVJITLINK_ERROR_FINALIZE;
  if (handle->texts.size() == 1) return NVJITLINK_SUCCESS;
  return refuse(handle, NVJITLINK_ERROR_INTERNAL,
                "nvJitLinkGetLinkedPtx is supported for one input of PTX only");
}
EXPORT nvJitLinkResult nvJitLinkGetLinkedPtxSize(nvJitLinkHandle handle, size_t *bytes) {
  NEED(handle && bytes);
  nvJitLinkResult result = check_ptx(handle);
  if (result == NVJITLINK_SUCCESS) *bytes = handle->texts[0].size() + 1;
  return result;
}
EXPORT nvJitLinkResult nvJitLinkGetLinkedPtx(nvJitLinkHandle handle, char *ptx) {
  NEED(handle && ptx);
  nvJitLinkResult result = check_ptx(handle);
  if (result == NVJITLINK_SUCCESS)
    memcpy(ptx, handle->texts[0].c_str(), handle->texts[0].size() + 1);
  return result;
}

EXPORT nvJitLinkResult nvJitLinkGetErrorLogSize(nvJitLinkHandle handle, size_t *bytes) {
  NEED(handle && bytes);
  *bytes = strlen(handle->errors) + handle->log.size() + 1;
  return NVJITLINK_SUCCESS;
}
EXPORT nvJitLinkResult nvJitLinkGetErrorLog(nvJitLinkHandle handle, char *log) {
  NEED(handle && log);
  strcpy(log, (handle->errors + handle->log).c_str());
  return NVJITLINK_SUCCESS;
}
EXPORT nvJitLinkResult nvJitLinkGetInfoLogSize(nvJitLinkHandle handle, size_t *bytes) {
  NEED(handle && bytes);
  *bytes = strlen(handle->notes) + 1;
  return NVJITLINK_SUCCESS;
}
EXPORT nvJitLinkResult nvJitLinkGetInfoLog(nvJitLinkHandle handle, char *log) {
  NEED(handle && log);
  strcpy(log, handle->notes);
  return NVJITLINK_SUCCESS;
}

// NVIDIA's header calls each function under a name with the version of CUDA.
#define OF_VERSION(version)          \
  ALIAS(Create, version)             \
  ALIAS(Destroy, version)            \
  ALIAS(AddData, version)            \
  ALIAS(AddFile, version)            \
  ALIAS(Complete, version)           \
  ALIAS(GetLinkedCubinSize, version) \
  ALIAS(GetLinkedCubin, version)     \
  ALIAS(GetLinkedPtxSize, version)   \
  ALIAS(GetLinkedPtx, version)       \
  ALIAS(GetErrorLogSize, version)    \
  ALIAS(GetErrorLog, version)        \
  ALIAS(GetInfoLogSize, version)     \
  ALIAS(GetInfoLog, version)
#define ALIAS(name, version)                                     \
  EXPORT decltype(nvJitLink##name) __nvJitLink##name##_##version \
      __attribute__((alias("nvJitLink" #name)));
OF_VERSION(12_0)
OF_VERSION(12_1)
OF_VERSION(12_2)
OF_VERSION(12_3)
OF_VERSION(12_4)
OF_VERSION(12_5)
OF_VERSION(12_6)
OF_VERSION(12_7)
OF_VERSION(12_8)
OF_VERSION(12_9)
OF_VERSION(13_0)
OF_VERSION(13_1)
OF_VERSION(13_2)
