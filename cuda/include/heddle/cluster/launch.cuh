// SPDX-License-Identifier: MIT
// Launches of clustered kernels, from the host:
//
//   launch(kernel, grid, block, shared_bytes, stream)(arguments)
//
// replaces kernel<<<grid, block, shared_bytes, stream>>>(arguments), launch_kernel replaces
// cudaLaunchKernel, launch_kernel_ex cudaLaunchKernelEx and launch_kernel_ex_c
// cudaLaunchKernelExC. The numbers of SMs and of agents are queried from the device.
// Kernels that are not clustered may be launched in the same way.
//
// Launches that cannot be clustered (a grid of no more CTAs than SMs or of 2^31 CTAs, more
// kernels and streams than workspaces, a stream that is being captured into a graph, a
// launch with attributes, one that fails) use the original grid: one agent per CTA.
#ifndef HEDDLE_CLUSTER_LAUNCH_CUH
#define HEDDLE_CLUSTER_LAUNCH_CUH

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#ifdef _WIN32
#include <mutex>
#else
#include <pthread.h>  // <mutex> takes a quarter of a second to compile
#endif

#include "agents.cuh"
#include "redirection.cuh"
#include "voting.cuh"

namespace heddle {
namespace cluster {
// What <<< >>> says.
struct Configuration {
  dim3 grid, block;
  size_t shared_bytes;
  cudaStream_t stream;

  // 0 for a grid that has none, or more than can be numbered.
  unsigned cta_count() const {
    unsigned long long plane = (unsigned long long)grid.x * grid.y;
    if (plane >= 1ull << 31 || plane * grid.z >= 1ull << 31) return 0;
    return (unsigned)(plane * grid.z);
  }
  unsigned thread_count() const { return block.x * block.y * block.z; }
};

inline Configuration configuration(dim3 grid, dim3 block, size_t shared_bytes = 0,
                                   cudaStream_t stream = 0) {
  Configuration how = {grid, block, shared_bytes, stream};
  return how;
}

namespace detail {

inline cudaError_t launch_as_is(const void *kernel, const Configuration &how, void **arguments) {
  return cudaLaunchKernel(kernel, how.grid, how.block, arguments, how.shared_bytes, how.stream);
}

inline int device_attribute(cudaDeviceAttr attribute) {
  int device = 0, value = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return 0;
  return cudaDeviceGetAttribute(&value, attribute, device) == cudaSuccess ? value : 0;
}

#ifdef _WIN32
typedef std::mutex Mutex;
#else
class Mutex {
 public:
  Mutex() { pthread_mutex_init(&mutex_, nullptr); }
  void lock() { pthread_mutex_lock(&mutex_); }
  void unlock() { pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t mutex_;
};
#endif

// Launches are prepared by one thread at a time.
class LaunchLock {
 public:
  LaunchLock() { mutex().lock(); }
  ~LaunchLock() { mutex().unlock(); }
  LaunchLock(const LaunchLock &) = delete;

 private:
  static Mutex &mutex() {
    static Mutex mutex;
    return mutex;
  }
};

// Of the calling thread: never used again, unlike the identifiers of threads.
// Call it with the lock held.
inline unsigned thread_serial() {
  static unsigned last;
  static thread_local unsigned serial;
  if (!serial) serial = ++last;
  return serial;
}

// ---- workspaces: launches of one kernel in one stream run one after another and share one
//
// By kernel, since each source that is compiled on its own has its own array of
// workspaces, and which of them a kernel uses cannot be told from here.

struct Workspace {
  int device;
  const void *kernel;
  cudaStream_t stream;
  unsigned thread;  // handles of default streams mean another stream in each thread
  unsigned number, half;
};

inline Workspace *find_workspace(const void *kernel, cudaStream_t stream) {
  static std::vector<Workspace> workspaces;
  Workspace wanted = {0,     kernel, stream, thread_serial(), (unsigned)workspaces.size(),
                      0};
  if (cudaGetDevice(&wanted.device) != cudaSuccess) return nullptr;
  bool is_default = stream == 0 || stream == cudaStreamPerThread;
  for (size_t i = 0; i < workspaces.size(); i++) {
    Workspace &known = workspaces[i];
    if (known.device == wanted.device && known.kernel == kernel && known.stream == stream &&
        (!is_default || known.thread == wanted.thread))
      return &known;
  }
  if (workspaces.size() == MAX_WORKSPACES) return nullptr;
  workspaces.reserve(MAX_WORKSPACES);
  workspaces.push_back(wanted);
  return &workspaces.back();
}

inline bool is_captured(cudaStream_t stream) {
#if CUDART_VERSION >= 10000
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return cudaStreamIsCapturing(stream, &status) != cudaSuccess ||
         status != cudaStreamCaptureStatusNone;
#else
  (void)stream;
  return false;
#endif
}

// ---- tables of orders, on the device

inline const unsigned *upload(const unsigned *numbers, unsigned count) {
  std::vector<unsigned> row_major_index(count, count);
  for (unsigned i = 0; i < count; i++) {
    if (numbers[i] >= count || row_major_index[numbers[i]] != count) return nullptr;
    row_major_index[numbers[i]] = i;
  }
  void *copy = nullptr;
  size_t bytes = count * sizeof(unsigned);
  if (cudaMalloc(&copy, bytes) != cudaSuccess) return nullptr;
  if (cudaMemcpy(copy, row_major_index.data(), bytes, cudaMemcpyHostToDevice) != cudaSuccess)
    return nullptr;
  return (const unsigned *)copy;
}

template <class Order>
void prepare(Order &) {}

template <class Source>
void prepare(Table<Source> &table) {
  struct Copy {
    int device;
    const unsigned *numbers;
  };
  static std::vector<Copy> copies;
  dim3 grid = table.grid();
  Copy copy = {0, nullptr};
  if (grid.x * grid.y * grid.z != Source::count() || cudaGetDevice(&copy.device) != cudaSuccess)
    return;
  for (size_t i = 0; i < copies.size(); i++)
    if (copies[i].device == copy.device) return table.use(copies[i].numbers);
  copy.numbers = upload(Source::numbers(), Source::count());
  copies.push_back(copy);
  table.use(copy.numbers);
}

// ---- agents

inline unsigned option(const char *name) {
  const char *text = std::getenv(name);
  return text ? (unsigned)std::strtoul(text, nullptr, 10) : 0;
}

// Active agents per SM: as the environment wants it, else as the source says.
inline unsigned wanted_active(unsigned from_source) {
  const char *text = std::getenv("HEDDLE_CLUSTER_ACTIVE");
  if (text && std::strcmp(text, "vote") == 0) return VOTED_AGENTS;
  if (text && std::strcmp(text, "all") == 0) return ALL_AGENTS;
  unsigned number = option("HEDDLE_CLUSTER_ACTIVE");
  return number ? number : from_source;
}

inline unsigned places_per_sm(const void *kernel, const Configuration &how, unsigned sms) {
  int resident = 0;
  if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, (int)how.thread_count(),
                                                    how.shared_bytes) != cudaSuccess)
    return 0;
  unsigned places = (unsigned)resident, largest_cluster = (how.cta_count() + sms - 1) / sms;
  if (places == 0) places = 1;  // whether it can be launched is not decided here
  if (places > largest_cluster) places = largest_cluster;
  return places < MAX_AGENTS ? places : (unsigned)MAX_AGENTS;
}

inline void print(const Configuration &how, unsigned sms, unsigned agents, unsigned active) {
  if (!option("HEDDLE_CLUSTER_VERBOSE")) return;
  std::fprintf(stderr, "heddle cluster: %u CTAs on %u SMs, %u agents per SM, %u of them active\n",
               how.cta_count(), sms, agents, active);
}

// Maxwell and Pascal have two L1 caches per SM. Clusters are divided between them where
// agents are not bound to their cluster.
inline unsigned l1_parts(unsigned claim, unsigned sms) {
  int major = device_attribute(cudaDevAttrComputeCapabilityMajor);
  return claim == BY_COUNTER && (major == 5 || major == 6) && sms * 2 <= MAX_CLUSTERS ? 2 : 1;
}

template <class Order, unsigned Active, unsigned Claim>
cudaError_t launch_agents(Agents<Order, Active, Claim> *, const void *kernel,
                          const Configuration &how, void **arguments) {
  typedef Agents<Order, Active, Claim> Plan;
  Shape shape = {};
  unsigned ctas = how.cta_count();
  shape.sms = ctas ? (unsigned)device_attribute(cudaDevAttrMultiProcessorCount) : 0;
  // With at most one CTA per cluster there is nothing to bring together.
  if (shape.sms && ctas > shape.sms && shape.sms <= MAX_CLUSTERS)
    shape.agents = places_per_sm(kernel, how, shape.sms);
  LaunchLock lock;
  Workspace *workspace =
      shape.agents && !is_captured(how.stream) ? find_workspace(kernel, how.stream) : nullptr;
  if (!workspace) {
    Plan plan = Plan::unclustered(how.grid);
    if (ctas) prepare(plan.order());
    arguments[0] = &plan;
    return launch_as_is(kernel, how, arguments);
  }

  Vote *vote = nullptr;
  shape.active = wanted_active(Active);
  if (shape.active == VOTED_AGENTS) {
    Vote::Subject subject = {kernel, workspace->device, how.grid, how.block, how.shared_bytes};
    vote = &vote_on(subject, shape.agents);
    shape.active = vote->active();
  }
  if (shape.active == ALL_AGENTS || shape.active > shape.agents) shape.active = shape.agents;
  shape.l1_parts = l1_parts(Claim, shape.sms);
  shape.has_fixed_slots = device_attribute(cudaDevAttrComputeCapabilityMajor) < 5;
  shape.workspace = workspace->number;
  shape.half = workspace->half;
  print(how, shape.sms, shape.agents, shape.active);

  Plan plan(how.grid, how.thread_count(), shape);
  prepare(plan.order());
  arguments[0] = &plan;
  Configuration agents = how;
  agents.grid = dim3(shape.sms * shape.agents);
  if (vote) vote->before_launch(how.stream);
  cudaError_t error = launch_as_is(kernel, agents, arguments);
  if (vote) vote->after_launch(how.stream);
  // A launch that failed has cleared nothing.
  if (error == cudaSuccess) workspace->half ^= 1;
  return error;
}

template <class Order, unsigned Active, unsigned Claim>
cudaError_t launch_plan(Agents<Order, Active, Claim> *plan, const void *kernel,
                        const Configuration &how, void **arguments) {
  return launch_agents(plan, kernel, how, arguments);
}

template <class Order>
cudaError_t launch_plan(Redirection<Order> *, const void *kernel, const Configuration &how,
                        void **arguments) {
  unsigned sms = how.cta_count() ? (unsigned)device_attribute(cudaDevAttrMultiProcessorCount) : 1;
  Redirection<Order> plan(how.grid, sms ? sms : 1);
  LaunchLock lock;
  if (how.cta_count()) prepare(plan.order());
  arguments[0] = &plan;
  return launch_as_is(kernel, how, arguments);
}

template <class Order>
cudaError_t launch_plan(Numbering<Order> *, const void *kernel, const Configuration &how,
                        void **arguments) {
  Numbering<Order> plan(how.grid);
  LaunchLock lock;
  if (how.cta_count()) prepare(plan.order());
  arguments[0] = &plan;
  return launch_as_is(kernel, how, arguments);
}

// launch(kernel, ...) until it gets its arguments.
template <class Plan, class... Parameters>
class Launch {
 public:
  Launch(void (*kernel)(Plan, Parameters...), const Configuration &how)
      : kernel_(kernel), how_(how) {}
  void operator()(Parameters... arguments) const {
    void *pointers[] = {nullptr, (void *)&arguments...};
    launch_plan((Plan *)nullptr, (const void *)kernel_, how_, pointers);
  }

 private:
  void (*kernel_)(Plan, Parameters...);
  Configuration how_;
};

template <class... Parameters>
class PlainLaunch {
 public:
  PlainLaunch(void (*kernel)(Parameters...), const Configuration &how)
      : kernel_(kernel), how_(how) {}
  void operator()(Parameters... arguments) const {
    void *pointers[] = {(void *)&arguments..., nullptr};
    launch_as_is((const void *)kernel_, how_, pointers);
  }

 private:
  void (*kernel_)(Parameters...);
  Configuration how_;
};

// A non-deduced parameter type.
template <class T>
struct Same {
  typedef T Type;
};

template <class Plan, class... Parameters>
cudaError_t launch_with_pointers(void (*kernel)(Plan, Parameters...), const Configuration &how,
                                 void **arguments) {
  void *pointers[1 + sizeof...(Parameters)] = {nullptr};
  for (size_t i = 0; i < sizeof...(Parameters); i++) pointers[1 + i] = arguments[i];
  return launch_plan((Plan *)nullptr, (const void *)kernel, how, pointers);
}

}  // namespace detail

template <class Order, unsigned Active, unsigned Claim, class... Parameters>
detail::Launch<Agents<Order, Active, Claim>, Parameters...> launch(
    void (*kernel)(Agents<Order, Active, Claim>, Parameters...), const Configuration &how) {
  return detail::Launch<Agents<Order, Active, Claim>, Parameters...>(kernel, how);
}

template <class Order, class... Parameters>
detail::Launch<Redirection<Order>, Parameters...> launch(
    void (*kernel)(Redirection<Order>, Parameters...), const Configuration &how) {
  return detail::Launch<Redirection<Order>, Parameters...>(kernel, how);
}
template <class Order, class... Parameters>
detail::Launch<Numbering<Order>, Parameters...> launch(
    void (*kernel)(Numbering<Order>, Parameters...), const Configuration &how) {
  return detail::Launch<Numbering<Order>, Parameters...>(kernel, how);
}

template <class... Parameters>
detail::PlainLaunch<Parameters...> launch(void (*kernel)(Parameters...), const Configuration &how) {
  return detail::PlainLaunch<Parameters...>(kernel, how);
}

template <class... Parameters>
auto launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t shared_bytes = 0,
            cudaStream_t stream = 0) -> decltype(launch(kernel, Configuration())) {
  return launch(kernel, configuration(grid, block, shared_bytes, stream));
}

template <class Plan, class... Parameters>
cudaError_t launch_kernel(void (*kernel)(Plan, Parameters...), dim3 grid, dim3 block,
                          void **arguments, size_t shared_bytes = 0, cudaStream_t stream = 0) {
  return detail::launch_with_pointers(
      kernel, configuration(grid, block, shared_bytes, stream), arguments);
}

#if CUDART_VERSION >= 11080 || defined(HEDDLE_CUDA_RUNTIME_H)
// Attributes may require the original grid, such as thread block clusters.
template <class Plan, class... Parameters>
cudaError_t launch_kernel_ex_c(const cudaLaunchConfig_t *how, void (*kernel)(Plan, Parameters...),
                               void **arguments) {
  if (how->numAttrs == 0)
    return detail::launch_with_pointers(
        kernel, configuration(how->gridDim, how->blockDim, how->dynamicSmemBytes, how->stream),
        arguments);
  Plan plan = Plan::unclustered(how->gridDim);
  void *pointers[1 + sizeof...(Parameters)] = {&plan};
  for (size_t i = 0; i < sizeof...(Parameters); i++) pointers[1 + i] = arguments[i];
  return cudaLaunchKernelExC(how, (const void *)kernel, pointers);
}

namespace detail {

// Arguments that launch_kernel_ex converted to the kernel's parameter types.
template <class Plan, class... Parameters>
cudaError_t launch_ex(const cudaLaunchConfig_t *how, void (*kernel)(Plan, Parameters...),
                      typename Same<Parameters>::Type... arguments) {
  void *pointers[] = {(void *)&arguments..., nullptr};
  return launch_kernel_ex_c(how, kernel, pointers);
}

}  // namespace detail

template <class Plan, class... Parameters, class... Given>
cudaError_t launch_kernel_ex(const cudaLaunchConfig_t *how, void (*kernel)(Plan, Parameters...),
                             Given &&...arguments) {
  return detail::launch_ex(how, kernel, static_cast<Given &&>(arguments)...);
}
#endif

}  // namespace cluster
}  // namespace heddle

#endif
