// SPDX-License-Identifier: MIT
// Common declarations of this room. Each function of the runtime API is a few lines that
// call the device, which holds all state except that of a thread: its last error and its
// pending launch configuration (thread.c).
//
// Some structs and calls differ between the major versions of CUDA. Sources that
// name CUDA_MAJOR are compiled once per version, all others once (CMakeLists.txt).
#ifndef CUDART_API_H
#define CUDART_API_H

#include "device/contexts.h"
#include "device/process/process.h"

#define EXPORT __attribute__((visibility("default")))

typedef struct Dim3 {
  uint32_t x, y, z;
} Dim3;

typedef struct Extent {
  size_t width, height, depth;
} Extent;

typedef struct Position {
  size_t x, y, z;
} Position;

typedef struct PitchedPointer {
  void *pointer;
  size_t pitch, width, height;
} PitchedPointer;

// Bits of the four channels, and their kind: 0 signed, 1 unsigned, 2 float.
typedef struct ChannelFormat {
  int x, y, z, w;
  int kind;
} ChannelFormat;

// cudaMemcpyKind
enum {
  COPY_HOST_TO_HOST,
  COPY_HOST_TO_DEVICE,
  COPY_DEVICE_TO_HOST,
  COPY_DEVICE_TO_DEVICE,
  COPY_DEFAULT
};

// cudaMemcpy3DParms
typedef struct Copy3D {
  DeviceArray *from_array;
  Position from_at;
  PitchedPointer from;
  DeviceArray *to_array;
  Position to_at;
  PitchedPointer to;
  Extent extent;
  int kind;
} Copy3D;

typedef void *StreamHandle;  // a stream, or one of these
enum { STREAM_DEFAULT = 0, STREAM_LEGACY = 1, STREAM_PER_THREAD = 2 };

// Programs built with per-thread default streams call separate functions, which differ in
// the meaning of stream 0.
typedef enum StreamDefault { DEFAULT_LEGACY, DEFAULT_THREAD } StreamDefault;

DeviceStream *api_stream(StreamDefault meaning, StreamHandle stream);

// Remembers an error for cudaGetLastError and returns it.
int api_result(DeviceError error);

// Names a call that is not implemented, on stderr.
int api_unsupported(const char *name);

// Using it makes the primary context of the driver API current.
static inline Device *api_device(void) {
  Device *device = device_of_process();
  device_context_use_primary(device);
  return device;
}

static inline uint64_t address_of(const void *pointer) {
  return (uint64_t)(uintptr_t)pointer;
}

// Texels that a channel format describes; false if none.
bool api_channels(const ChannelFormat *format, uint8_t bits[TEXTURE_CHANNELS],
                  TextureChannel *channel);

// What copies of each form mean (copy_calls.c).
DeviceError api_box(const Copy3D *wanted, DeviceCopy *copy);
DeviceError api_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                     size_t height, int kind, DeviceCopy *copy);
// The address of bytes inside a variable.
DeviceError api_symbol(const void *symbol, size_t offset, size_t bytes, void **address);

#define LIST(...) __VA_ARGS__

// A function and its variant for per-thread default streams. The body sees
// `meaning`, for api_stream.
#define STREAM_CALL(name, suffix, PARAMETERS, ARGUMENTS)            \
  static DeviceError name##_run(StreamDefault meaning, PARAMETERS); \
  EXPORT int name(PARAMETERS) {                                     \
    return api_result(name##_run(DEFAULT_LEGACY, ARGUMENTS));       \
  }                                                                 \
  EXPORT int name##suffix(PARAMETERS) {                             \
    return api_result(name##_run(DEFAULT_THREAD, ARGUMENTS));       \
  }                                                                 \
  static DeviceError name##_run(StreamDefault meaning, PARAMETERS)

#endif
