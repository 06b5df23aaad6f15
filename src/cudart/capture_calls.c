// SPDX-License-Identifier: MIT
// Capturing streams into graphs.
#include "cudart/api.h"
#include "device/graphs/graphs.h"

// Capture modes restrict other calls of the thread. No call is unsafe here, so the modes
// have no effect except in queries.
enum { CAPTURE_MODES = 3 };
static _Thread_local int thread_mode;

STREAM_CALL(cudaStreamBeginCapture, _ptsz, LIST(StreamHandle stream, int mode),
            LIST(stream, mode)) {
  if (mode < 0 || mode >= CAPTURE_MODES) return DEVICE_INVALID_VALUE;
  return device_capture_begin(api_device(), api_stream(meaning, stream), NULL, NULL, 0);
}

// Edges that carry data are programmatic launches, which are left out.
STREAM_CALL(cudaStreamBeginCaptureToGraph, _ptsz,
            LIST(StreamHandle stream, DeviceGraph *graph, GraphNode *const *before,
                 const void *edges, size_t count, int mode),
            LIST(stream, graph, before, edges, count, mode)) {
  (void)edges;
  if (!graph || mode < 0 || mode >= CAPTURE_MODES) return DEVICE_INVALID_VALUE;
  return device_capture_begin(api_device(), api_stream(meaning, stream), graph, before, count);
}

STREAM_CALL(cudaStreamEndCapture, _ptsz, LIST(StreamHandle stream, DeviceGraph **graph),
            LIST(stream, graph)) {
  DeviceGraph *unwanted;  // captured into the caller's own graph
  return device_capture_end(api_device(), api_stream(meaning, stream), graph ? graph : &unwanted);
}

EXPORT int cudaThreadExchangeStreamCaptureMode(int *mode) {
  if (!mode || *mode < 0 || *mode >= CAPTURE_MODES) return api_result(DEVICE_INVALID_VALUE);
  int before = thread_mode;
  thread_mode = *mode;
  *mode = before;
  return 0;
}

// 0 none, 1 active, 2 broken
static DeviceError state_of(DeviceStream *stream, CaptureState *state, int *status) {
  DeviceError error = device_capture_state(api_device(), stream, state);
  if (!error && !status) error = DEVICE_INVALID_VALUE;
  if (!error) *status = state->is_broken ? 2 : state->is_active;
  return error;
}

STREAM_CALL(cudaStreamIsCapturing, _ptsz, LIST(StreamHandle stream, int *status),
            LIST(stream, status)) {
  CaptureState state;
  return state_of(api_stream(meaning, stream), &state, status);
}

static DeviceError capture_info(DeviceStream *stream, int *status, unsigned long long *id,
                                DeviceGraph **graph, GraphNode *const **before, const void **edges,
                                size_t *count) {
  CaptureState state;
  DeviceError error = state_of(stream, &state, status);
  if (error || !state.is_active) return error;
  if (id) *id = state.id;
  if (graph) *graph = state.graph;
  if (before) *before = state.before;
  if (edges) *edges = NULL;
  if (count) *count = state.before_count;
  return DEVICE_OK;
}

#define CAPTURE_INFO(name, suffix)                                                                \
  STREAM_CALL(name, suffix,                                                                       \
              LIST(StreamHandle stream, int *status, unsigned long long *id, DeviceGraph **graph, \
                   GraphNode *const **before, const void **edges, size_t *count),                 \
              LIST(stream, status, id, graph, before, edges, count)) {                            \
    return capture_info(api_stream(meaning, stream), status, id, graph, before, edges, count);    \
  }

enum { DEPENDENCIES_SET = 1 };

static DeviceError update(DeviceStream *stream, GraphNode *const *before, size_t count,
                          unsigned flags) {
  if (flags > DEPENDENCIES_SET) return DEVICE_INVALID_VALUE;
  return device_capture_wait_for(api_device(), stream, before, count, flags & DEPENDENCIES_SET);
}

#if CUDA_MAJOR >= 13
CAPTURE_INFO(cudaStreamGetCaptureInfo, _ptsz)

STREAM_CALL(cudaStreamUpdateCaptureDependencies, _ptsz,
            LIST(StreamHandle stream, GraphNode *const *before, const void *edges, size_t count,
                 unsigned flags),
            LIST(stream, before, edges, count, flags)) {
  (void)edges;
  return update(api_stream(meaning, stream), before, count, flags);
}
#else
CAPTURE_INFO(cudaStreamGetCaptureInfo_v3, _ptsz)

STREAM_CALL(cudaStreamGetCaptureInfo, _ptsz,
            LIST(StreamHandle stream, int *status, unsigned long long *id),
            LIST(stream, status, id)) {
  return capture_info(api_stream(meaning, stream), status, id, NULL, NULL, NULL, NULL);
}

STREAM_CALL(cudaStreamGetCaptureInfo_v2, _ptsz,
            LIST(StreamHandle stream, int *status, unsigned long long *id, DeviceGraph **graph,
                 GraphNode *const **before, size_t *count),
            LIST(stream, status, id, graph, before, count)) {
  return capture_info(api_stream(meaning, stream), status, id, graph, before, NULL, count);
}

STREAM_CALL(cudaStreamUpdateCaptureDependencies, _ptsz,
            LIST(StreamHandle stream, GraphNode *const *before, size_t count, unsigned flags),
            LIST(stream, before, count, flags)) {
  return update(api_stream(meaning, stream), before, count, flags);
}
#endif
