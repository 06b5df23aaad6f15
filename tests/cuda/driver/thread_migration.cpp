// SPDX-License-Identifier: MIT
// Contexts that go from thread to thread, several at a time: each thread pushes
// one, works in it and pops it for the next.
#include <pthread.h>

#include "check_driver.h"

static const int threads = 6, contexts = 3, rounds = 4, n = 700;

struct Work {
  CUcontext context;
  CUfunction function;
  CUdeviceptr a, b, c;
  pthread_mutex_t mutex;
};

static Work works[contexts];
static std::string image;

static void *work(void *argument) {
  long id = (long)argument;
  CUcontext current;
  void *failed = NULL;
  CHECK(cuCtxGetCurrent(&current));
  if (current) return (void *)1;  // nothing is current in a new thread
  if (cuCtxSynchronize() != CUDA_ERROR_INVALID_CONTEXT) return (void *)1;
  for (int round = 0; round < rounds; round++) {
    Work *mine = &works[(id + round) % contexts];
    pthread_mutex_lock(&mine->mutex);
    CHECK(cuCtxPushCurrent(mine->context));
    std::vector<float> a(n), b(n, (float)id);
    for (int i = 0; i < n; i++) a[i] = (float)(i + round);
    CHECK(cuMemcpyHtoD(mine->a, a.data(), n * 4));
    CHECK(cuMemcpyHtoD(mine->b, b.data(), n * 4));
    int count = n;
    void *arguments[] = {&mine->a, &mine->b, &mine->c, &count};
    CUstream stream;
    CHECK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
    CHECK(cuLaunchKernel(mine->function, 6, 1, 1, 128, 1, 1, 0, stream, arguments, NULL));
    CHECK(cuStreamSynchronize(stream));
    CUcontext owner;
    CHECK(cuStreamGetCtx(stream, &owner));
    if (owner != mine->context) failed = (void *)1;
    std::vector<float> sums = download<float>(mine->c, n);
    for (int i = 0; i < n; i++)
      if (sums[i] != a[i] + b[i]) failed = (void *)1;
    CHECK(cuStreamDestroy(stream));
    CHECK(cuCtxPopCurrent(&current));
    if (current != mine->context) failed = (void *)1;
    pthread_mutex_unlock(&mine->mutex);
  }
  return failed;
}

static void set_up(Work *it, CUdevice device) {
  CUmodule module;
  CUcontext popped;
  CHECK(create_context(&it->context, CU_CTX_SCHED_AUTO, device));
  CHECK(cuModuleLoadData(&module, image.c_str()));
  CHECK(cuModuleGetFunction(&it->function, module, "vector_add"));
  CHECK(cuMemAlloc(&it->a, n * 4));
  CHECK(cuMemAlloc(&it->b, n * 4));
  CHECK(cuMemAlloc(&it->c, n * 4));
  CHECK(cuCtxPopCurrent(&popped));
  EXPECT(popped == it->context);
  pthread_mutex_init(&it->mutex, NULL);
}

// Contexts of a thread lie on one another.
static void stack() {
  CUcontext current;
  CHECK(cuCtxPushCurrent(works[0].context));
  CHECK(cuCtxPushCurrent(works[1].context));
  CHECK(cuCtxSetCurrent(works[2].context));
  CHECK(cuCtxGetCurrent(&current));
  EXPECT(current == works[2].context);
  CHECK(cuCtxPopCurrent(&current));
  CHECK(cuCtxPopCurrent(&current));
  EXPECT(current == works[0].context);
  EXPECT(cuCtxPopCurrent(&current) == CUDA_ERROR_INVALID_CONTEXT);
}

// What a context made goes with it.
static void tear_down() {
  size_t before, after, total;
  CUmodule module;
  CHECK(cuCtxPushCurrent(works[1].context));
  CHECK(cuMemGetInfo(&before, &total));
  CHECK(cuCtxDestroy(works[0].context));
  CHECK(cuMemGetInfo(&after, &total));
  EXPECT(after >= before + 3 * n * 4);
  EXPECT(cuFuncGetModule(&module, works[0].function) == CUDA_ERROR_INVALID_HANDLE);
  EXPECT(cuCtxPushCurrent(works[0].context) == CUDA_ERROR_INVALID_CONTEXT);
  CHECK(cuFuncGetModule(&module, works[1].function));
  CHECK(cuCtxDestroy(works[2].context));
  CHECK(cuCtxDestroy(works[1].context));
}

int main(int argc, char **argv) {
  pthread_t ids[threads];
  CUdevice device = first_device();
  image = read_text(argc > 1 ? argv[1] : "kernels.ptx");
  for (Work &it : works) set_up(&it, device);
  for (long t = 0; t < threads; t++) pthread_create(&ids[t], NULL, work, (void *)t);
  for (pthread_t id : ids) {
    void *failed;
    pthread_join(id, &failed);
    EXPECT(!failed);
  }
  stack();
  tear_down();
  return finish("thread_migration");
}
