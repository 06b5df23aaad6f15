// SPDX-License-Identifier: MIT
// --default-stream per-thread: calls without a stream mean the thread's own, and
// go by other names. The one that clang calls for k<<<...>>>() keeps its name and
// is defined here, for the whole program.
#ifndef HEDDLE_PER_THREAD_H
#define HEDDLE_PER_THREAD_H

#define cudaMemcpy cudaMemcpy_ptds
#define cudaMemcpy2D cudaMemcpy2D_ptds
#define cudaMemcpy3D cudaMemcpy3D_ptds
#define cudaMemcpyToArray cudaMemcpyToArray_ptds
#define cudaMemcpyFromArray cudaMemcpyFromArray_ptds
#define cudaMemcpyArrayToArray cudaMemcpyArrayToArray_ptds
#define cudaMemcpy2DToArray cudaMemcpy2DToArray_ptds
#define cudaMemcpy2DFromArray cudaMemcpy2DFromArray_ptds
#define cudaMemcpy2DArrayToArray cudaMemcpy2DArrayToArray_ptds
#define cudaMemcpyToSymbol cudaMemcpyToSymbol_ptds
#define cudaMemcpyFromSymbol cudaMemcpyFromSymbol_ptds
#define cudaMemset cudaMemset_ptds
#define cudaMemset2D cudaMemset2D_ptds
#define cudaMemset3D cudaMemset3D_ptds
#define cudaMemcpyAsync cudaMemcpyAsync_ptsz
#define cudaMemcpy2DAsync cudaMemcpy2DAsync_ptsz
#define cudaMemcpy3DAsync cudaMemcpy3DAsync_ptsz
#define cudaMemcpyToArrayAsync cudaMemcpyToArrayAsync_ptsz
#define cudaMemcpyFromArrayAsync cudaMemcpyFromArrayAsync_ptsz
#define cudaMemcpy2DToArrayAsync cudaMemcpy2DToArrayAsync_ptsz
#define cudaMemcpy2DFromArrayAsync cudaMemcpy2DFromArrayAsync_ptsz
#define cudaMemcpyToSymbolAsync cudaMemcpyToSymbolAsync_ptsz
#define cudaMemcpyFromSymbolAsync cudaMemcpyFromSymbolAsync_ptsz
#define cudaMemsetAsync cudaMemsetAsync_ptsz
#define cudaMemset2DAsync cudaMemset2DAsync_ptsz
#define cudaMemset3DAsync cudaMemset3DAsync_ptsz
#define cudaMemPrefetchAsync cudaMemPrefetchAsync_ptsz
#define cudaMallocAsync cudaMallocAsync_ptsz
#define cudaMallocFromPoolAsync cudaMallocFromPoolAsync_ptsz
#define cudaFreeAsync cudaFreeAsync_ptsz
#define cudaStreamGetPriority cudaStreamGetPriority_ptsz
#define cudaStreamGetFlags cudaStreamGetFlags_ptsz
#define cudaStreamGetId cudaStreamGetId_ptsz
#define cudaStreamWaitEvent cudaStreamWaitEvent_ptsz
#define cudaStreamAddCallback cudaStreamAddCallback_ptsz
#define cudaStreamSynchronize cudaStreamSynchronize_ptsz
#define cudaStreamQuery cudaStreamQuery_ptsz
#define cudaStreamAttachMemAsync cudaStreamAttachMemAsync_ptsz
#define cudaStreamBeginCapture cudaStreamBeginCapture_ptsz
#define cudaStreamEndCapture cudaStreamEndCapture_ptsz
#define cudaStreamIsCapturing cudaStreamIsCapturing_ptsz
#define cudaEventRecord cudaEventRecord_ptsz
#define cudaEventRecordWithFlags cudaEventRecordWithFlags_ptsz
#define cudaLaunchHostFunc cudaLaunchHostFunc_ptsz
#define cudaLaunchCooperativeKernel cudaLaunchCooperativeKernel_ptsz
#define cudaLaunchKernelExC cudaLaunchKernelExC_ptsz
#define cudaGraphLaunch cudaGraphLaunch_ptsz
#define cudaGraphUpload cudaGraphUpload_ptsz

#ifdef __cplusplus
extern "C" {
cudaError_t cudaLaunchKernel_ptsz(const void *function, dim3 grid, dim3 block, void **arguments,
                                  size_t shared_bytes, cudaStream_t stream);
__attribute__((weak, visibility("hidden"))) cudaError_t cudaLaunchKernel(
    const void *function, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
    cudaStream_t stream) {
  return cudaLaunchKernel_ptsz(function, grid, block, arguments, shared_bytes, stream);
}
}
#endif

#endif
