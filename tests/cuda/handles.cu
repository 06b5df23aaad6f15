// SPDX-License-Identifier: MIT
// Handles of memory and events for other processes, opened in their own one and in a child.
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

__global__ void fill(int *to, int value) {
  to[threadIdx.x] = value + threadIdx.x;
}

// In a child of fork, before its parent uses the GPU: another process with a GPU of its own.
static int child(int from) {
  cudaIpcMemHandle_t handle;
  int *data;
  if (read(from, &handle, sizeof handle) != sizeof handle) return 2;
  return cudaIpcOpenMemHandle((void **)&data, handle, cudaIpcMemLazyEnablePeerAccess) !=
         cudaErrorNotSupported;
}

int main() {
  int *data, *inside, ends[2], status, values[32];
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
  EXPECT(write(ends[1], &memory, sizeof memory) == sizeof memory);
  EXPECT(waitpid(process, &status, 0) == process && WIFEXITED(status) && !WEXITSTATUS(status));

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
