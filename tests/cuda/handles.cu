// SPDX-License-Identifier: MIT
// Handles of memory and events, opened in their own process and in a child.
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

__global__ void fill(int *to, int value) {
  to[threadIdx.x] = value + threadIdx.x;
}

__global__ void add(int *to, int amount) {
  to[threadIdx.x] += amount;
}

// What a process passes on: little memory, and some pages.
struct Handles {
  cudaIpcMemHandle_t little, pages;
  cudaMemPoolPtrExportData pooled;
  cudaIpcEventHandle_t event;
};

static cudaMemPool_t new_pool() {
  cudaMemPoolProps wanted = {};
  cudaMemPool_t pool, opened;
  int file = -1;
  wanted.allocType = cudaMemAllocationTypePinned;
  wanted.location.type = cudaMemLocationTypeDevice;
  wanted.handleTypes = cudaMemHandleTypePosixFileDescriptor;
  CHECK(cudaMemPoolCreate(&pool, &wanted));
  CHECK(cudaMemPoolExportToShareableHandle(&file, pool, wanted.handleTypes, 0));
  CHECK(cudaMemPoolImportFromShareableHandle(&opened, (void *)(intptr_t)file, wanted.handleTypes,
                                             0));
  EXPECT(close(file) == 0 && opened != pool);
  return opened;
}

// In a child of fork, before its parent uses the GPU: another process with a GPU of its own. It
// does not wait for its kernels but records an event behind them.
static int child(int from) {
  Handles handles;
  int *little, *pages, *pooled;
  cudaEvent_t event;
  if (read(from, &handles, sizeof handles) != sizeof handles) return 2;
  CHECK(cudaIpcOpenMemHandle((void **)&little, handles.little, cudaIpcMemLazyEnablePeerAccess));
  CHECK(cudaIpcOpenMemHandle((void **)&pages, handles.pages, cudaIpcMemLazyEnablePeerAccess));
  CHECK(cudaIpcOpenEventHandle(&event, handles.event));
  CHECK(cudaStreamWaitEvent(0, event, 0));
  CHECK(cudaMemPoolImportPointer((void **)&pooled, new_pool(), &handles.pooled));
  add<<<1, 32>>>(pooled, 10000);
  CHECK(cudaFreeAsync(pooled, 0));
  add<<<1, 32>>>(little, 100);
  add<<<1, 32>>>(pages + 65536 - 32, 1000);
  CHECK(cudaEventRecord(event, 0));
  return 0;
}

static void check_child(pid_t process, int to, int *little) {
  int *pages, *pooled, values[32], status;
  Handles handles;
  cudaEvent_t event;
  CHECK(cudaMalloc(&pages, 65536 * sizeof *pages));
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess));
  CHECK(cudaIpcGetMemHandle(&handles.little, little));
  CHECK(cudaIpcGetMemHandle(&handles.pages, pages));
  CHECK(cudaIpcGetEventHandle(&handles.event, event));
  CHECK(cudaMallocFromPoolAsync((void **)&pooled, sizeof values, new_pool(), 0));
  CHECK(cudaMemPoolExportPointer(&handles.pooled, pooled));
  fill<<<1, 32>>>(pooled, 6);
  fill<<<1, 32>>>(pages + 65536 - 32, 5);
  CHECK(cudaEventRecord(event, 0));
  EXPECT(write(to, &handles, sizeof handles) == sizeof handles);
  EXPECT(waitpid(process, &status, 0) == process && WIFEXITED(status) && !WEXITSTATUS(status));
  CHECK(cudaMemcpy(values, little, sizeof values, cudaMemcpyDefault));
  EXPECT(values[0] == 107 && values[31] == 138);
  CHECK(cudaMemcpy(values, pages + 65536 - 32, sizeof values, cudaMemcpyDefault));
  EXPECT(values[0] == 1005 && values[31] == 1036);
  CHECK(cudaMemcpy(values, pooled, sizeof values, cudaMemcpyDefault));
  EXPECT(values[0] == 10006 && values[31] == 10037);
  CHECK(cudaFree(pages));
}

int main() {
  int *data, *inside, ends[2], values[32];
  cudaIpcMemHandle_t memory;
  cudaIpcEventHandle_t event_handle;
  cudaEvent_t event, opened;
  if (pipe(ends)) return 1;
  pid_t process = fork();
  if (process == 0) return child(ends[0]);

  CHECK(cudaMalloc(&data, 32 * sizeof *data));
  CHECK(cudaIpcGetMemHandle(&memory, data + 4));  // of the whole allocation
  CHECK(cudaIpcOpenMemHandle((void **)&inside, memory, cudaIpcMemLazyEnablePeerAccess));
  fill<<<1, 32>>>(inside, 7);
  CHECK(cudaMemcpy(values, data, sizeof values, cudaMemcpyDefault));
  EXPECT(values[0] == 7 && values[31] == 38);
  CHECK(cudaIpcCloseMemHandle(inside));
  CHECK(cudaMemcpy(values, data, sizeof values, cudaMemcpyDefault));
  check_child(process, ends[1], data);

  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess));
  CHECK(cudaIpcGetEventHandle(&event_handle, event));
  CHECK(cudaIpcOpenEventHandle(&opened, event_handle));
  CHECK(cudaEventRecord(opened, 0));
  CHECK(cudaEventSynchronize(event));

  CHECK(cudaFree(data));
  EXPECT(cudaIpcOpenMemHandle((void **)&inside, memory, cudaIpcMemLazyEnablePeerAccess) ==
         cudaErrorInvalidResourceHandle);
  EXPECT(cudaIpcGetMemHandle(&memory, values) == cudaErrorInvalidValue);
  memset(&memory, 1, sizeof memory);
  EXPECT(cudaIpcOpenMemHandle((void **)&inside, memory, cudaIpcMemLazyEnablePeerAccess) ==
         cudaErrorInvalidResourceHandle);
  return finish("handles");
}
