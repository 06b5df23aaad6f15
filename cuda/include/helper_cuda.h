// SPDX-License-Identifier: MIT
// Checks and device selection under the names that sample programs use.
#ifndef HEDDLE_HELPER_CUDA_H
#define HEDDLE_HELPER_CUDA_H

#include <stdio.h>
#include <stdlib.h>

#include "cuda_runtime.h"
#include "helper_string.h"

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif

static inline const char *_cudaGetErrorEnum(cudaError_t error) {
  return cudaGetErrorName(error);
}
#ifdef HEDDLE_CUDA_H
static inline const char *_cudaGetErrorEnum(CUresult error) {
  const char *name = NULL;
  cuGetErrorName(error, &name);
  return name ? name : "unknown error";
}
#endif

template <class T>
void check(T result, const char *call, const char *file, int line) {
  if (!result) return;
  fprintf(stderr, "%s:%d: %s gave error %d (%s)\n", file, line, call, (int)result,
          _cudaGetErrorEnum(result));
  exit(EXIT_FAILURE);
}
#define checkCudaErrors(call) check((call), #call, __FILE__, __LINE__)

inline void __getLastCudaError(const char *message, const char *file, int line) {
  cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s:%d: %s: error %d (%s)\n", file, line, message, (int)error,
          cudaGetErrorString(error));
  exit(EXIT_FAILURE);
}
inline void __printLastCudaError(const char *message, const char *file, int line) {
  cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess)
    fprintf(stderr, "%s:%d: %s: error %d (%s)\n", file, line, message, (int)error,
            cudaGetErrorString(error));
}
#define getLastCudaError(message) __getLastCudaError(message, __FILE__, __LINE__)
#define printLastCudaError(message) __printLastCudaError(message, __FILE__, __LINE__)

inline int ftoi(float value) {
  return (int)(value >= 0 ? value + 0.5f : value - 0.5f);
}

// Lanes that an SM of that capability executes in a cycle.
inline int _ConvertSMVer2Cores(int major, int minor) {
  switch (major) {
    case 2: return minor ? 48 : 32;
    case 3: return 192;
    case 5: return 128;
    case 6: return minor ? 128 : 64;
    case 7: return 64;
    case 8: return minor ? 128 : 64;
    default: return 128;
  }
}
inline const char *_ConvertSMVer2ArchName(int major, int minor) {
  static const char *const names[] = {"", "", "Fermi", "Kepler", "", "Maxwell", "Pascal"};
  if (major == 7) return minor >= 5 ? "Turing" : "Volta";
  if (major == 8) return minor == 9 ? "Ada" : "Ampere";
  return major >= 0 && major <= 6 ? names[major] : "newer";
}

inline int gpuDeviceInit(int device) {
  int count = 0;
  cudaDeviceProp properties;
  checkCudaErrors(cudaGetDeviceCount(&count));
  if (count == 0) {
    fprintf(stderr, "there is no GPU\n");
    exit(EXIT_FAILURE);
  }
  if (device < 0) device = 0;
  if (device >= count) return -device;
  checkCudaErrors(cudaGetDeviceProperties(&properties, device));
  checkCudaErrors(cudaSetDevice(device));
  printf("GPU %d: \"%s\" with compute capability %d.%d\n\n", device, properties.name,
         properties.major, properties.minor);
  return device;
}
inline int gpuGetMaxGflopsDeviceId() {
  return 0;
}
inline int findCudaDevice(int argc, const char **argv) {
  int device = 0;
  if (checkCmdLineFlag(argc, argv, "device")) device = getCmdLineArgumentInt(argc, argv, "device=");
  device = gpuDeviceInit(device);
  if (device < 0) {
    fprintf(stderr, "there is no such GPU\n");
    exit(EXIT_FAILURE);
  }
  return device;
}
inline bool checkCudaCapabilities(int major, int minor) {
  int device;
  cudaDeviceProp properties;
  checkCudaErrors(cudaGetDevice(&device));
  checkCudaErrors(cudaGetDeviceProperties(&properties, device));
  return properties.major > major || (properties.major == major && properties.minor >= minor);
}

#endif
