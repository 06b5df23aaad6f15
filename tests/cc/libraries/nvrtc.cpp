// SPDX-License-Identifier: MIT
// NVRTC and nvJitLink: kernels compiled and linked at run time, lowered names, headers in
// memory, options, and what mistakes answer.
#include <cuda.h>
#include <nvJitLink.h>
#define NVRTC_GET_TYPE_NAME 1
#include <nvrtc.h>

#include <string>
#include <vector>

#include "../check.h"

#define DRIVER(call) CHECK((call) == CUDA_SUCCESS, #call)

static std::string log_of(nvrtcProgram program) {
  size_t bytes = 0;
  CHECK(!nvrtcGetProgramLogSize(program, &bytes), "size of the log");
  std::string log(bytes, 'x');
  CHECK(!nvrtcGetProgramLog(program, &log[0]), "log");
  CHECK(log.back() == '\0', "the log does not end");
  return log.c_str();
}

static std::string ptx_of(nvrtcProgram program) {
  size_t bytes = 0;
  CHECK(!nvrtcGetPTXSize(program, &bytes) && bytes > 1, "size of the PTX");
  std::string ptx(bytes, 'x');
  CHECK(!nvrtcGetPTX(program, &ptx[0]), "PTX");
  CHECK(ptx.back() == '\0', "the PTX does not end");
  return ptx.c_str();
}

static nvrtcProgram compiled(const char *source, std::vector<const char *> options,
                             nvrtcResult wanted = NVRTC_SUCCESS) {
  nvrtcProgram program;
  CHECK(!nvrtcCreateProgram(&program, source, "given.cu", 0, nullptr, nullptr), "create");
  nvrtcResult result = nvrtcCompileProgram(program, (int)options.size(), options.data());
  CHECK(result == wanted, "%s: %s", nvrtcGetErrorString(result), log_of(program).c_str());
  return program;
}

// Runs a kernel of f(int *), one thread.
static int value_of(const void *image, const char *name) {
  CUmodule module;
  CUfunction function;
  CUdeviceptr memory;
  int value = -1;
  DRIVER(cuModuleLoadData(&module, image));
  DRIVER(cuModuleGetFunction(&function, module, name));
  DRIVER(cuMemAlloc(&memory, 8));
  void *arguments[] = {&memory};
  DRIVER(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, arguments, 0));
  DRIVER(cuMemcpyDtoH(&value, memory, sizeof value));
  DRIVER(cuMemFree(memory));
  DRIVER(cuModuleUnload(module));
  return value;
}

// A static variable that only the host writes, under the name that it has in the source.
static void check_static() {
  nvrtcProgram program = compiled(
      "static __constant__ int table[4];\n"
      "extern \"C\" __global__ void f(int *to) { *to = 7 + table[2]; }\n",
      {});
  std::string ptx = ptx_of(program);
  CUmodule module;
  CUfunction kernel;
  CUdeviceptr table, memory;
  size_t bytes;
  int values[4] = {1, 2, 30, 4}, got = 0;
  DRIVER(cuModuleLoadData(&module, ptx.c_str()));
  DRIVER(cuModuleGetGlobal(&table, &bytes, module, "table"));
  CHECK(bytes == sizeof values, "%zu bytes", bytes);
  DRIVER(cuMemcpyHtoD(table, values, sizeof values));
  DRIVER(cuMemAlloc(&memory, sizeof got));
  DRIVER(cuModuleGetFunction(&kernel, module, "f"));
  void *arguments[] = {&memory};
  DRIVER(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, 0, arguments, 0));
  DRIVER(cuMemcpyDtoH(&got, memory, sizeof got));
  CHECK(got == 37, "%d of a static variable", got);
  DRIVER(cuMemFree(memory));
  DRIVER(cuModuleUnload(module));
  nvrtcDestroyProgram(&program);
}

static void check_names() {
  const char *source =
      "#include \"sub/constant.h\"\n"
      "namespace a { template <typename T> __global__ void put(T *to) { *to = CONSTANT + ADDED + "
      "sizeof(T); } }\n"
      "static __constant__ int table[4];\n"
      "static __global__ void plain(int *to) { *to = 7 + table[0]; }\n";
  const char *header = "#define CONSTANT 100\n", *name = "sub/constant.h", *lowered;
  nvrtcProgram program;
  CHECK(!nvrtcCreateProgram(&program, source, "names.cu", 1, &header, &name), "create");
  CHECK(!nvrtcAddNameExpression(program, "a::put<int>"), "add");
  CHECK(!nvrtcAddNameExpression(program, "&a::put<unsigned long long>"), "add");
  CHECK(!nvrtcAddNameExpression(program, "&table"), "add");
  CHECK(!nvrtcAddNameExpression(program, "plain"), "add");
  CHECK(nvrtcGetLoweredName(program, "&table", &lowered) ==
            NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION,
        "early");
  const char *options[] = {"--gpu-architecture=compute_90a", "-DADDED=20", "--std=c++14",
                           "-lineinfo"};
  CHECK(!nvrtcCompileProgram(program, 4, options), "%s", log_of(program).c_str());
  CHECK(
      nvrtcAddNameExpression(program, "late") == NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION,
      "late");
  std::string ptx = ptx_of(program);
  CHECK(ptx.find("heddle_nvrtc_name") == std::string::npos, "a variable is left in the PTX");
  CHECK(!nvrtcGetLoweredName(program, "a::put<int>", &lowered), "name");
  CHECK(std::string(lowered) == "_ZN1a3putIiEEvPT_", "%s", lowered);
  CHECK(value_of(ptx.c_str(), lowered) == 124, "of int");
  CHECK(!nvrtcGetLoweredName(program, "&a::put<unsigned long long>", &lowered), "name");
  CHECK(value_of(ptx.c_str(), lowered) == 128, "of long long");
  CHECK(!nvrtcGetLoweredName(program, "&table", &lowered) && std::string(lowered) == "table",
        "variable");
  CHECK(nvrtcGetLoweredName(program, "none", &lowered) == NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID,
        "none");
  CHECK(value_of(ptx.c_str(), "_Z5plainPi") == 7, "plain");
  check_static();
  CHECK(!nvrtcDestroyProgram(&program) && !program, "destroy");
}

static void check_options() {
  const char *unmarked =
      "int twice(int x) { return 2 * x; }\n"
      "extern \"C\" __global__ void f(int *to) { *to = twice(21); }\n";
  nvrtcProgram program = compiled(unmarked, {"-default-device", "-arch=sm_70", "-D", "UNUSED"});
  size_t bytes;
  CHECK(!nvrtcGetCUBINSize(program, &bytes), "size of the image");
  std::vector<char> image(bytes);
  CHECK(!nvrtcGetCUBIN(program, image.data()), "image");
  CHECK(value_of(image.data(), "f") == 42, "-default-device");
  nvrtcDestroyProgram(&program);
  program = compiled(unmarked, {}, NVRTC_ERROR_COMPILATION);
  CHECK(log_of(program).find("given.cu:2:") != std::string::npos, "%s", log_of(program).c_str());
  CHECK(nvrtcGetPTXSize(program, &bytes) == NVRTC_ERROR_INVALID_PROGRAM, "PTX of a mistake");
  nvrtcDestroyProgram(&program);
  program = compiled(unmarked, {"--no-such-option"}, NVRTC_ERROR_INVALID_OPTION);
  CHECK(log_of(program).find("unrecognized option: --no-such-option") != std::string::npos,
        "unknown");
  nvrtcDestroyProgram(&program);
  program = compiled(unmarked, {"-arch=nonsense"}, NVRTC_ERROR_INVALID_OPTION);
  nvrtcDestroyProgram(&program);
  const char *text = "", *up = "../up.h";
  CHECK(nvrtcCreateProgram(&program, "", 0, 1, &text, &up) == NVRTC_ERROR_INVALID_INPUT,
        "a header outside");
  std::string name;
  CHECK(!nvrtcGetTypeName<const std::vector<int> &>(&name), "name of a type");
  CHECK(name.find("vector<int") != std::string::npos && name.back() == '&', "%s", name.c_str());
}

static void check_links() {
  nvrtcProgram caller = compiled(
      "extern __device__ int answer();\nextern \"C\" __global__ void f(int *to) { *to = answer(); "
      "}",
      {"-dc"});
  nvrtcProgram called = compiled("__device__ int answer() { return 77; }", {"-rdc=true"});
  std::string first = ptx_of(caller), second = ptx_of(called);
  CUlinkState state;
  void *image;
  size_t bytes;
  DRIVER(cuLinkCreate(0, 0, 0, &state));
  DRIVER(cuLinkAddData(state, CU_JIT_INPUT_PTX, &first[0], first.size() + 1, "f", 0, 0, 0));
  DRIVER(cuLinkAddData(state, CU_JIT_INPUT_PTX, &second[0], second.size() + 1, "g", 0, 0, 0));
  DRIVER(cuLinkComplete(state, &image, &bytes));
  CHECK(value_of(image, "f") == 77, "linked by the driver");
  DRIVER(cuLinkDestroy(state));

  nvJitLinkHandle handle;
  const char *options[] = {"-arch=sm_80", "-lto"}, *bad[] = {"-arch=sm_80", "-nonsense"};
  CHECK(nvJitLinkCreate(&handle, 2, bad) == NVJITLINK_ERROR_UNRECOGNIZED_OPTION, "option");
  CHECK(nvJitLinkCreate(&handle, 0, 0) == NVJITLINK_ERROR_MISSING_ARCH, "no architecture");
  CHECK(!nvJitLinkCreate(&handle, 2, options), "create");
  CHECK(!nvJitLinkAddData(handle, NVJITLINK_INPUT_LTOIR, first.data(), first.size(), "f"), "add");
  CHECK(nvJitLinkComplete(handle) == NVJITLINK_ERROR_FINALIZE, "a function is missing");
  CHECK(!nvJitLinkGetErrorLogSize(handle, &bytes) && bytes > 1, "no message");
  std::vector<char> log(bytes);
  CHECK(!nvJitLinkGetErrorLog(handle, log.data()), "log");
  CHECK(std::string(log.data()).find("answer") != std::string::npos, "%s", log.data());
  CHECK(!nvJitLinkAddData(handle, NVJITLINK_INPUT_PTX, second.data(), second.size(), "g"), "add");
  CHECK(!nvJitLinkComplete(handle), "complete");
  CHECK(!nvJitLinkGetLinkedCubinSize(handle, &bytes), "size");
  std::vector<char> linked(bytes);
  CHECK(!nvJitLinkGetLinkedCubin(handle, linked.data()), "image");
  CHECK(nvJitLinkGetLinkedPtxSize(handle, &bytes) == NVJITLINK_ERROR_INTERNAL, "PTX of two");
  CHECK(!nvJitLinkDestroy(&handle), "destroy");
  CHECK(value_of(linked.data(), "f") == 77, "linked by nvJitLink");
  nvrtcDestroyProgram(&caller), nvrtcDestroyProgram(&called);
}

int main() {
  CUdevice device;
  CUcontext context;
  DRIVER(cuInit(0));
  DRIVER(cuDeviceGet(&device, 0));
  DRIVER(cuDevicePrimaryCtxRetain(&context, device));
  DRIVER(cuCtxSetCurrent(context));
  check_names();
  check_options();
  check_links();
  DRIVER(cuDevicePrimaryCtxRelease(device));
  return check_end();
}
