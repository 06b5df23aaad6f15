// SPDX-License-Identifier: MIT
// Internals of a device, for the files of this room. Callers hold the lock.
//
//   device.c       creation, reset, the lock
//   modules.c      fat binaries, kernels and variables; loaded when first used
//   allocations.c  device and host memory
//   virtual_memory.c  virtual memory management
//   copies.c       copies and fills
//   streams.c      streams and their queues
//   events.c       events
//   executor.c     execution of queued work
//   launches.c     kernels are queued: launch_checks.c, launch_binding.c, launch_failures.c
//   kernel_attributes.c  shared memory, registers, occupancy
//   engine.c       execution of kernels: timed or functional
//   arrays.c       arrays
//   mipmaps.c      mipmapped arrays
//   textures.c     texture and surface objects, and references
//   graph*.c       graphs: contents and launches (graph_state.h)
//   captures.c     stream capture
//   pools.c        stream-ordered allocation
//   contexts.c     contexts, and the current one
//   attributes.c   device attributes, by number
//   results.c      results; report_folder.c passes them to heddle run
//   process.c      the device of this process, and its exit
#ifndef DEVICE_STATE_H
#define DEVICE_STATE_H

#include <pthread.h>
#include <uthash.h>

#include "device/contexts.h"
#include "device/device.h"
#include "device/launches/engine.h"
#include "device/graphs/graphs.h"
#include "device/memory/pools.h"
#include "device/process/report_folder.h"

typedef struct DeviceSymbol {
  const void *host;  // key
  char *name;
  uint64_t size_bytes;
  DeviceModule *module;
  void **managed;   // where the host's pointer stands, of a __managed__ variable
  uint64_t alias;   // ... and the address that it got; 0: none yet
  bool is_storage;  // its bytes are where host points to
  UT_hash_handle hh;
} DeviceSymbol;

struct DeviceKernel {
  const void *host;  // key; NULL: found by its own address only
  const void *self;  // the other key: its own address
  char *name;
  DeviceModule *module;
  const Function *function;  // NULL until its module is loaded
  uint32_t dynamic_shared_bytes;
  bool was_narrowed;  // its registers were reduced so that a CTA fits; reported once
  UT_hash_handle hh, by_self;
};

struct DeviceModule {
  const FatbinWrapper *wrapper;  // registered by the program; or
  char *text;                    // PTX of its own; or
  size_t text_bytes;
  struct LinkedImage *linked;  // or several
  Program *program;            // NULL until it is needed
  DeviceError failure;         // why it cannot be loaded; told once
  bool owns_wrapper;           // and what it wraps
  bool is_unloaded;
  DeviceKernel **kernels;
  uint32_t kernel_count, kernel_capacity;
};

typedef struct HostAllocation {
  void *host;  // key
  uint64_t size_bytes;
  HostMemory kind;
  UT_hash_handle hh;
} HostAllocation;

struct DeviceArray {
  const void *self;  // key: its own address
  ArrayShape shape;
  uint64_t address, pitch_bytes, slice_bytes;
  uint32_t texel_bytes;
  bool is_level;  // of mipmaps, which own its memory
  bool in_blocks;
  UT_hash_handle hh;
};

typedef struct NodeList {
  GraphNode **nodes;
  uint32_t count, capacity;
} NodeList;

typedef struct Capture Capture;
typedef struct GraphStep GraphStep;
typedef struct VirtualMemory VirtualMemory;

typedef enum OperationKind {
  OPERATION_LAUNCH,
  OPERATION_COPY,
  OPERATION_FILL,
  OPERATION_RECORD,
  OPERATION_WAIT,
  OPERATION_CALL,
  OPERATION_FREE,
  OPERATION_CONDITION,
} OperationKind;

// A copy with validated source and destination, as host addresses.
typedef struct BoundPlace {
  uint8_t *bytes;
  uint64_t pitch_bytes, slice_bytes;
} BoundPlace;

typedef struct BoundCopy {
  BoundPlace to, from;
  uint64_t width_bytes, height, depth;
  uint8_t *staged;   // the source, kept since the host may change it
  bool crosses_bus;  // one end is the host's own memory
  bool to_host;      // the destination is
} BoundCopy;

typedef struct BoundFill {
  BoundPlace to;
  uint32_t value, value_bytes;
  uint64_t width_bytes, height, depth;
} BoundFill;

typedef struct StreamOperation {
  OperationKind kind;
  uint64_t sequence;  // order in which the host asked
  double issued;      // nanoseconds: what the host knew to be over then
  struct StreamOperation *next;
  bool is_timed, is_submitted;  // a launch for the GPU; that it has
  union {
    Launch *launch;
    BoundCopy copy;
    BoundFill fill;
    struct {
      DeviceEvent *event;
      uint64_t sequence;  // WAIT: of the record that is waited for
    } event;
    struct {
      void (*function)(void *self);
      void *self;
    } call;
    uint64_t freed;  // address
    const GraphStep *condition;
  };
} StreamOperation;

struct DeviceStream {
  const void *self;  // key: its own address
  StreamOperation *first, *last;
  double time;       // nanoseconds at which its last operation ended
  bool is_blocking;  // waits for the default stream and the other way round
  int priority;
  uint64_t id;
  uint64_t thread;   // of a per-thread default stream
  Capture *capture;  // NULL: operations are executed
  NodeList heads;    // nodes that the next captured one waits for
  UT_hash_handle hh;
};

struct DeviceEvent {
  const void *self;  // key: its own address
  bool has_time, was_recorded;
  bool is_shared;           // with other processes: recording it completes what stands before it
  uint64_t recorded, done;  // sequences of the newest record asked for, and of the newest done
  double time;
  uint32_t uses;  // operations that are queued
  bool is_destroyed;
  Capture *capture;  // it was recorded in a captured stream
  NodeList heads;    // ... behind these nodes
  UT_hash_handle hh;
};

typedef struct TextureReference {
  const void *host;  // key
  char *name;
  DeviceModule *module;
  bool normalized_values;
  UT_hash_handle hh;
} TextureReference;

// Launches that failed at the call.
typedef struct FailedLaunches {
  uint64_t count;
  char first[512];  // kernel, launch configuration and error
} FailedLaunches;

struct Device {
  DeviceRun run;
  RunMachine machine;  // of the run, once is_configured
  ReportEntry entry;
  Progress progress;
  DeviceError broken;  // the run's description is invalid
  bool is_configured;
  pthread_mutex_t mutex;
  pthread_t holder;  // of the mutex, if it is locked
  volatile bool is_locked;
  pthread_cond_t idle;
  bool is_executing;  // a thread is inside device_execute, perhaps in a callback
  pthread_t executor;
  volatile sig_atomic_t stop;
  bool has_foreign_runtime;
  char foreign_library[256];  // that contains it; empty: the program itself
  bool has_noted_gpu;         // gpu/config/default_gpu.h
  bool is_fork;        // a child of fork, which cannot use the GPU of its parent
  bool main_has_left;  // by pthread_exit: none of our threads may remain
  // Called without the lock by the thread that was stopped, or that has reached a
  // limit of the run; or NULL.
  void (*when_stopped)(void), (*when_limited)(void);

  // cleared by a reset
  uint32_t pending_launches;  // as the program asked for; 0: as configured
  Engine engine;  // closed: not needed yet
  DeviceStream *streams, *default_stream;
  uint32_t queued;  // operations in all streams
  DeviceEvent *events;
  DeviceArray *arrays;
  DeviceMipmaps *mipmaps;
  struct TextureNote *texture_notes;
  struct GraphObject *graph_objects;
  struct GraphMemory *graph_memory;
  struct GraphCondition *graph_conditions;
  uint64_t graph_bytes, most_graph_bytes;  // of memory that graphs hold
  DevicePool *pools, *default_pool, *current_pool;
  struct PoolAllocation *pool_allocations;
  HostAllocation *host_allocations;
  VirtualMemory *virtual_memory;  // NULL: none yet
  bool has_lost_mappings;         // a reset has taken them
  DeviceError sticky;
  uint64_t next_address;  // of the next program's variables

  // what stays
  DeviceModule **modules;
  uint32_t module_count, module_capacity;
  DeviceKernel *kernels, *kernels_by_self;
  DeviceSymbol *symbols;
  struct {
    const uint8_t *first, *end;
  } * managed_storage;
  uint32_t managed_storage_count, managed_storage_capacity;
  TextureReference *texture_references;
  uint64_t next_sequence, next_stream_id, next_launch;
  double time;  // nanoseconds: end of all executed work
  struct {
    double time;
    Cycle cycle;
  } busy;  // since when the GPU runs without a pause: the device's time, and the GPU's clock
  RunResult result;
  ParamSection sections[GPU_SECTION_COUNT + 1];
  Seconds started;
  Status status;
  char input[512];
  Error error;  // of the first failure
  FailedLaunches failed;
  uint64_t failed_kernels;  // a fault or a deadlock

  // the APIs above
  bool is_initialized, runtime_holds_primary;
  DeviceContext *contexts, *primary;
  uint64_t next_context_id;
};

void device_lock(Device *device);
void device_unlock(Device *device);
// Makes configuration, GPU and memory if there are none; the error to return.
DeviceError device_ready(Device *device);
// Something failed: the first failure is the run's, reported once on stderr.
void device_fail(Device *device, const Error *err);
// The calling thread has got the lock by other means than device_lock.
void device_note_holder(Device *device);
// Whether the calling thread has it; for signal handlers, too.
bool device_is_held(const Device *device);
void device_forget_allocations(Device *device);
// Gives back the GPU and all that a reset takes away; keeps its counters.
void device_retire(Device *device);

DeviceError module_ready(Device *device, DeviceModule *module);
DeviceError kernel_ready(Device *device, DeviceKernel *kernel);
// The newest PTX that would be taken for a GPU of that compute capability.
uint32_t modules_architecture(const Device *device, uint32_t capability);
void modules_forget_programs(Device *device);
void modules_clear(Device *device);

// After a reset the runtime holds the primary context no more.
void contexts_reset(Device *device);
void contexts_clear(Device *device);
void allocations_clear(Device *device);
// Works out pitches from the shape.
DeviceError array_lay_out(DeviceArray *array);
void array_texture(const DeviceArray *array, Texture *texture);
void arrays_clear(Device *device);
// Whether something is mapped there that only unmapping takes away.
bool virtual_memory_holds(const Device *device, uint64_t address);
void virtual_memory_clear(Device *device);
void mipmaps_clear(Device *device);
void texture_notes_clear(Device *device);

// A conditional node is the next of its stream: what it decides for is put behind it.
Status condition_perform(Device *device, DeviceStream *stream, const StreamOperation *operation,
                         Error *err);
// Executes everything that is queued.
DeviceError device_execute(Device *device);
void streams_clear(Device *device);
StreamOperation *operation_add(Device *device, DeviceStream *stream, OperationKind kind);
StreamOperation *operation_pop(Device *device, DeviceStream *stream);  // its first one
void operation_free(Device *device, StreamOperation *operation);
void operations_discard(Device *device);  // all that are queued
// The stream that a handle means, or NULL.
DeviceStream *stream_checked(Device *device, DeviceStream *stream);
DeviceStream *stream_new(Device *device, bool is_blocking, int priority);
void stream_free(Device *device, DeviceStream *stream);

DeviceEvent *event_new(Device *device, bool has_time);
void event_free(Device *device, DeviceEvent *event);  // when nothing is queued that uses it
void event_release(Device *device, DeviceEvent *event);  // an operation that used it is over
void events_clear(Device *device);
DeviceEvent *event_checked(Device *device, DeviceEvent *event);
DeviceError event_queue(Device *device, DeviceStream *stream, DeviceEvent *event,
                        OperationKind kind);

DeviceError free_device(Device *device, uint64_t address);
void pool_forget(Device *device, uint64_t address);  // it is about to be freed
void pools_clear(Device *device);

// Dynamic shared memory that a kernel need not ask for.
enum { SHARED_WITHOUT_ASKING = 48 << 10 };
DeviceError launch_check_shape(const DeviceLaunch *wanted);
DeviceError launch_check_shared(const Device *device, const DeviceKernel *kernel,
                                uint64_t dynamic_bytes);
DeviceError launch_check_room(Device *device, DeviceKernel *kernel, const Launch *launch);
DeviceError launch_pack(const Function *function, const DeviceLaunch *wanted, uint8_t *params);
// Makes the record of a launch, with all but its number; and gives it back.
DeviceError launch_bind(Device *device, const DeviceStream *stream, const DeviceLaunch *wanted,
                        Launch **launch);
void launch_unbind(Device *device, Launch *launch);

// These queue their work even if the stream is being captured.
DeviceError launch_queue(Device *device, DeviceStream *stream, const DeviceLaunch *wanted);
DeviceError copy_queue(Device *device, DeviceStream *stream, const DeviceCopy *copy, bool is_async);
DeviceError fill_queue(Device *device, DeviceStream *stream, const DeviceFill *fill);

void copy_execute(const BoundCopy *copy);
void fill_execute(const BoundFill *fill);
double copy_nanoseconds(const Device *device, uint64_t bytes, bool crosses_bus);

// A launch that the host asked for has failed.
void launch_failed(Device *device, const DeviceLaunch *wanted, DeviceError error);

// The error of a launch that has failed while it ran.
DeviceError launch_error(Status status, FaultKind kind);

void results_start(Device *device);
void results_prepare(Device *device);  // before the first kernel
// As device_write_results, for a thread that holds the lock, or if the thread that holds
// it will never continue.
void results_write(Device *device, const Error *ending);

#endif
