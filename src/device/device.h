// SPDX-License-Identifier: MIT
// A CUDA device: the common implementation of the runtime and the driver API. It has a
// GPU of the configured kind (or executes functionally), memory, modules, streams,
// events, arrays and textures.
//
// Work is queued per stream and executed at the next call that has to wait for it; work
// of different streams is submitted to the GPU together. All functions are thread-safe:
// each takes the device's lock.
//
// Functions return the error codes of both APIs, which the layers above pass on. After a
// kernel has failed, every call returns the same error until device_reset.
#ifndef DEVICE_DEVICE_H
#define DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/process/device_run.h"
#include "frontends/fatbin/fatbin.h"
#include "isa/launch.h"
#include "exec/texture/texture.h"

// The numbers that both APIs share; cudart/errors.def names them all.
typedef enum DeviceError {
  DEVICE_OK = 0,
  DEVICE_INVALID_VALUE = 1,
  DEVICE_OUT_OF_MEMORY = 2,
  DEVICE_NOT_INITIALIZED = 3,
  DEVICE_INVALID_CONFIGURATION = 9,
  DEVICE_INVALID_PITCH = 12,
  DEVICE_INVALID_SYMBOL = 13,
  DEVICE_INVALID_DEVICE_POINTER = 17,
  DEVICE_INVALID_TEXTURE = 18,
  DEVICE_INVALID_CHANNEL = 20,
  DEVICE_INVALID_DIRECTION = 21,
  DEVICE_MISSING_CONFIGURATION = 52,
  DEVICE_INVALID_FUNCTION = 98,
  DEVICE_NO_DEVICE = 100,
  DEVICE_INVALID_DEVICE = 101,
  DEVICE_INVALID_IMAGE = 200,
  DEVICE_NO_KERNEL_IMAGE = 209,
  DEVICE_UNSUPPORTED_LIMIT = 215,
  DEVICE_INVALID_PTX = 218,
  DEVICE_INVALID_HANDLE = 400,
  DEVICE_NOT_FOUND = 500,
  DEVICE_NOT_READY = 600,
  DEVICE_ILLEGAL_ADDRESS = 700,
  DEVICE_OUT_OF_RESOURCES = 701,
  DEVICE_LAUNCH_TIMEOUT = 702,
  DEVICE_PEER_NOT_ENABLED = 705,
  DEVICE_ASSERT = 710,
  DEVICE_HOST_REGISTERED = 712,
  DEVICE_HOST_NOT_REGISTERED = 713,
  DEVICE_STACK_ERROR = 714,
  DEVICE_MISALIGNED = 716,
  DEVICE_INVALID_PC = 718,
  DEVICE_LAUNCH_FAILURE = 719,
  DEVICE_COOPERATIVE_TOO_LARGE = 720,
  DEVICE_NOT_SUPPORTED = 801,
  DEVICE_CAPTURE_UNSUPPORTED = 900,
  DEVICE_CAPTURE_INVALIDATED = 901,
  DEVICE_CAPTURE_MERGE = 902,
  DEVICE_CAPTURE_UNMATCHED = 903,
  DEVICE_CAPTURE_UNJOINED = 904,
  DEVICE_CAPTURE_ISOLATION = 905,
  DEVICE_UPDATE_FAILED = 910,
  DEVICE_UNKNOWN = 999,
} DeviceError;

typedef struct Device Device;
typedef struct DeviceModule DeviceModule;
typedef struct DeviceKernel DeviceKernel;
typedef struct DeviceStream DeviceStream;
typedef struct DeviceEvent DeviceEvent;
typedef struct DeviceArray DeviceArray;
typedef struct DeviceMipmaps DeviceMipmaps;
typedef struct DeviceLink DeviceLink;

// Always creates a device; invalid options are reported on stderr at its first use, and
// then every call returns DEVICE_NOT_INITIALIZED.
Device *device_create(const DeviceRun *run);
void device_destroy(Device *device);
// Waits for everything, then forgets all allocations, streams, events and
// errors. Registered modules stay and are loaded again when they are needed.
DeviceError device_reset(Device *device);
// The sticky error, or DEVICE_OK.
DeviceError device_error(Device *device);
const GpuConfig *device_config(Device *device);
// What kernels that launch kernels are held to. How many launches may be pending can be
// set by the program, for the kernels that are launched from then on.
DeviceRuntimeLimits device_launch_limits(const Device *device);
DeviceError device_set_pending_launches(Device *device, uint64_t launches);
// 75 means 7.5: the GPU's, or that of the newest PTX in use where it is higher,
// since what runs is evidently supported.
uint32_t device_capability(Device *device);
uint32_t device_l2_bytes(Device *device);  // of all slices
// Value of an attribute by its number in the APIs (device/attributes.h); 0 if not applicable.
DeviceError device_attribute(Device *device, int number, int *value);

// ---- modules (modules.c)

// Remembers a fat binary without looking into it. The wrapper must stay.
DeviceModule *device_module_register(Device *device, const FatbinWrapper *wrapper);
// How long a fat binary or what device_link_complete made says it is; 0: text, or
// something else. Its first bytes are looked at.
size_t device_image_bytes(const void *image);
// Loads PTX text, a fat binary or a wrapper now; the bytes are copied. log gets
// the reason of a failure and may be NULL.
DeviceError device_module_load(Device *device, const void *image, DeviceModule **module,
                               Error *log);
// The module's symbols are removed; queued work still executes.
void device_module_unload(Device *device, DeviceModule *module);
// False for a handle that is none, or no longer.
bool device_module_exists(Device *device, const DeviceModule *module);
// Kernels of a module are numbered in no particular order.
DeviceError device_module_kernel_count(Device *device, DeviceModule *module, uint32_t *count);
DeviceError device_module_kernel_at(Device *device, DeviceModule *module, uint32_t index,
                                    DeviceKernel **kernel);

void device_kernel_register(Device *device, DeviceModule *module, const void *host,
                            const char *name);
// Finds a kernel by its host stub, or by the kernel itself; NULL if there is none.
DeviceKernel *device_kernel_find(Device *device, const void *host);
DeviceError device_kernel_in_module(Device *device, DeviceModule *module, const char *name,
                                    DeviceKernel **kernel);
const char *device_kernel_name(const DeviceKernel *kernel);
// The host stub of a kernel; the kernel itself if it has none.
const void *device_kernel_host(const DeviceKernel *kernel);
DeviceModule *device_kernel_module(const DeviceKernel *kernel);
// Loads its module if need be.
DeviceError device_kernel_function(Device *device, DeviceKernel *kernel, const Function **function);
// Of a thread, on this device; of a function that device_kernel_function gave.
uint32_t device_function_registers(Device *device, const Function *function);
// Maximum dynamic shared memory of launches, if above 48 KB.
DeviceError device_kernel_set_dynamic_shared(Device *device, DeviceKernel *kernel, uint32_t bytes);
uint32_t device_kernel_dynamic_shared(Device *device, DeviceKernel *kernel);
// Of the PTX that the kernel came from, 75 for compute_75; CUB chooses by it what to launch.
uint32_t device_kernel_architecture(Device *device, DeviceKernel *kernel);
DeviceError device_kernel_occupancy(Device *device, DeviceKernel *kernel, uint32_t threads,
                                    uint64_t dynamic_shared_bytes, uint32_t *ctas);

void device_symbol_register(Device *device, DeviceModule *module, const void *host,
                            const char *name, uint64_t size_bytes);
// A __managed__ variable: *host gets a pointer that both sides can use.
void device_managed_register(Device *device, DeviceModule *module, void **host, const char *name,
                             uint64_t size_bytes);
// For programs built by heddle cc: variables registered from now on whose host symbols
// lie in this range of host memory use these bytes as storage.
void device_managed_storage(Device *device, const void *first, const void *end);
// Readies the module's managed variables.
DeviceError device_module_prepare(Device *device, DeviceModule *module);
DeviceError device_symbol_find(Device *device, const void *host, uint64_t *address,
                               uint64_t *size_bytes);
DeviceError device_symbol_in_module(Device *device, DeviceModule *module, const char *name,
                                    uint64_t *address, uint64_t *size_bytes);

// ---- linking (links.c)

DeviceLink *device_link_create(void);
// Takes what device_module_load takes; log as there.
DeviceError device_link_add(Device *device, DeviceLink *link, const void *image, Error *log);
// One image of all, which device_module_load takes; it lives as long as the link.
DeviceError device_link_complete(DeviceLink *link, const void **image, size_t *bytes, Error *log);
void device_link_destroy(DeviceLink *link);

// ---- memory (allocations.c, copies.c)

DeviceError device_alloc(Device *device, uint64_t size_bytes, uint64_t *address);
DeviceError device_free(Device *device, uint64_t address);
// Memory of the host that kernels reach at the same address.
typedef enum HostMemory { HOST_PINNED, HOST_MANAGED, HOST_REGISTERED } HostMemory;
DeviceError device_host_alloc(Device *device, uint64_t size_bytes, HostMemory kind, void **host);
DeviceError device_host_free(Device *device, void *host, HostMemory kind);
DeviceError device_host_register(Device *device, void *host, uint64_t size_bytes);
DeviceError device_host_unregister(Device *device, void *host);
DeviceError device_memory_info(Device *device, uint64_t *free_bytes, uint64_t *total_bytes);

typedef struct DevicePointer {
  bool is_device, is_host;  // accessible by; both: pinned or managed
  bool is_managed;
  bool is_imported;  // from another process
  uint64_t base, size_bytes;
} DevicePointer;
// Returns false if it is not a device pointer.
bool device_pointer_find(Device *device, uint64_t address, DevicePointer *pointer);

// Memory that processes share has the bytes of a file, which remains the exporter's.
DeviceError device_memory_export(Device *device, uint64_t address, int *file);
DeviceError device_memory_import(Device *device, int file, uint64_t size_bytes, uint64_t *address);

typedef enum CopySide { SIDE_HOST, SIDE_DEVICE, SIDE_EITHER } CopySide;
// A box of bytes: rows a pitch apart, slices of rows a slice apart.
typedef struct CopyPlace {
  CopySide side;
  uint64_t address, pitch_bytes, slice_bytes;
} CopyPlace;
typedef struct DeviceCopy {
  CopyPlace to, from;
  uint64_t width_bytes, height, depth;
  bool is_deferred;  // of a graph: memory of the host is used when its turn comes
} DeviceCopy;
// stream NULL: the legacy default one. Without is_async it returns when done.
DeviceError device_copy(Device *device, const DeviceCopy *copy, DeviceStream *stream,
                        bool is_async);
// value is repeated in units of 1, 2 or 4 bytes.
DeviceError device_fill(Device *device, const CopyPlace *to, uint32_t value, uint32_t value_bytes,
                        uint64_t width_bytes, uint64_t height, uint64_t depth, DeviceStream *stream,
                        bool is_async);

// ---- streams and events (streams.c, events.c; executor.c executes queued work)

// The two streams that every device has.
DeviceStream *device_default_stream(Device *device);
DeviceStream *device_thread_stream(Device *device);  // of the calling thread
DeviceError device_stream_create(Device *device, bool is_blocking, int priority,
                                 DeviceStream **stream);
DeviceError device_stream_destroy(Device *device, DeviceStream *stream);
bool device_stream_exists(Device *device, const DeviceStream *stream);
bool device_stream_is_blocking(const DeviceStream *stream);
int device_stream_priority(const DeviceStream *stream);
uint64_t device_stream_id(const DeviceStream *stream);
enum { STREAM_PRIORITY_LOWEST = 0, STREAM_PRIORITY_HIGHEST = -5 };
DeviceError device_stream_synchronize(Device *device, DeviceStream *stream);
DeviceError device_synchronize(Device *device);
DeviceError device_stream_wait(Device *device, DeviceStream *stream, DeviceEvent *event);
// call runs on the thread that executes the stream, without the lock.
DeviceError device_stream_call(Device *device, DeviceStream *stream, void (*call)(void *self),
                               void *self);

DeviceError device_event_create(Device *device, bool has_time, DeviceEvent **event);
bool device_event_exists(Device *device, DeviceEvent *event);
// From now on, other processes may wait for it, each with an event of its own: recording it
// executes at once what stands before it. Returns false if there is no such event.
bool device_event_share(Device *device, DeviceEvent *event);
DeviceError device_event_destroy(Device *device, DeviceEvent *event);
DeviceError device_event_record(Device *device, DeviceEvent *event, DeviceStream *stream);
DeviceError device_event_synchronize(Device *device, DeviceEvent *event);
DeviceError device_event_elapsed(Device *device, DeviceEvent *from, DeviceEvent *to, float *ms);

// ---- launches (launches.c)

typedef struct DeviceLaunch {
  DeviceKernel *kernel;
  uint32_t grid[3], block[3];
  uint64_t dynamic_shared_bytes;
  void *const *arguments;  // a pointer a parameter; or
  const void *buffer;      // the parameters as they lie in memory
  size_t buffer_bytes;
  DeviceStream *stream;  // NULL: the default one
  bool is_cooperative;
  uint32_t cluster[3];  // CTAs of a cluster; 0: as the kernel says
} DeviceLaunch;
DeviceError device_launch(Device *device, const DeviceLaunch *launch);
// A launch failed that was not passed to device_launch, since it cannot be simulated.
void device_launch_failed(Device *device, const DeviceLaunch *launch, DeviceError error);

// ---- tensor maps (tensor_maps.c)

typedef struct DeviceTensorMap {
  uint32_t element, rank;  // CUtensorMapDataType
  uint64_t address;
  uint64_t size[5], stride[4];  // in elements; in bytes, of all dimensions but the first
  uint32_t box[5];
  uint32_t swizzle_bytes;  // 0, 32, 64 or 128
} DeviceTensorMap;
// Writes the 128 bytes that kernels get.
DeviceError device_tensor_map(const DeviceTensorMap *wanted, void *map);
DeviceError device_tensor_map_move(void *map, uint64_t address);

// ---- arrays (arrays.c, mipmaps.c)

typedef struct ArrayShape {
  uint32_t width, height, depth;  // 0: the array has no such dimension
  bool is_layered;                // depth counts layers
  bool is_cube;                   // ... or faces, six a layer
  uint32_t flags;                 // opaque; returned to the caller
  uint8_t channel_bits[TEXTURE_CHANNELS];
  TextureChannel channel;
} ArrayShape;
DeviceError device_array_create(Device *device, const ArrayShape *shape, DeviceArray **array);
DeviceError device_array_destroy(Device *device, DeviceArray *array);
// NULL if the handle is none.
const ArrayShape *device_array_shape(Device *device, DeviceArray *array);
// Where the array lies, for copies and textures.
DeviceError device_array_place(Device *device, DeviceArray *array, CopyPlace *place,
                               uint32_t *texel_bytes);
// Makes the texture read the array; how it is read stays.
DeviceError device_array_texture(Device *device, DeviceArray *array, Texture *texture);

// A mipmapped array, each level half as large as the previous one. The number of levels
// is clamped to the possible maximum.
DeviceError device_mipmaps_create(Device *device, const ArrayShape *shape, uint32_t levels,
                                  DeviceMipmaps **mipmaps);
DeviceError device_mipmaps_destroy(Device *device, DeviceMipmaps *mipmaps);
// A level as an array; it lives as long as the mipmaps do.
DeviceError device_mipmaps_level(Device *device, DeviceMipmaps *mipmaps, uint32_t level,
                                 DeviceArray **array);
DeviceError device_mipmaps_texture(Device *device, DeviceMipmaps *mipmaps, Texture *texture);

// ---- textures (textures.c)

DeviceError device_texture_create(Device *device, const Texture *texture, uint64_t *handle);
DeviceError device_texture_destroy(Device *device, uint64_t handle);
// Stores the description that an API was given of a texture object, for queries; the APIs
// describe textures differently and read only descriptions of their own size.
void device_texture_note(Device *device, uint64_t handle, const void *note, size_t bytes);
DeviceError device_texture_noted(Device *device, uint64_t handle, void *note, size_t bytes);
void device_texture_register(Device *device, DeviceModule *module, const void *host,
                             const char *name, bool normalized_values);
// Surfaces are textures, too: only the location of the texels matters.
// Binds a texture to the texture reference with this host symbol; NULL unbinds.
DeviceError device_texture_bind(Device *device, const void *host, const Texture *texture);

// NVIDIA's own runtime is in the process and asks its driver for what only they
// know: its kernels do not run. library: the file that contains it; NULL: the program.
void device_note_foreign_runtime(Device *device, const char *library);

// ---- results (results.c)

// A line on stderr.
void device_print(Device *device, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Writes the results so far to the files named in the options. ending: why the program
// did not exit normally, or NULL.
void device_write_results(Device *device, const Error *ending);

// In a child of fork. If the parent has used the GPU, calls fail from now on, as with
// NVIDIA's driver, and the parent's results are left alone; returns true.
bool device_after_fork(Device *device);

#endif
