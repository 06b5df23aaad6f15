// SPDX-License-Identifier: MIT
// Capturing streams into a graph. A captured stream remembers the nodes that its
// next one will wait for. An event recorded in it remembers them too, and a
// stream that waits for the event is captured from then on.
#include "base/memory.h"
#include "device/graphs/graph_state.h"

static void list_copy(NodeList *to, const NodeList *from) {
  for (uint32_t i = 0; i < from->count; i++) node_list_add(to, from->nodes[i]);
}

static void leave(DeviceStream *stream) {
  stream->capture = NULL;
  node_list_clear(&stream->heads);
}

void capture_forget_event(DeviceEvent *event) {
  event->capture = NULL;
  node_list_clear(&event->heads);
}

// A broken capture fails all further calls until it is ended, as CUDA specifies: the program
// may not check every call.
static DeviceError break_capture(Capture *capture, DeviceError error) {
  capture->is_broken = true;
  return error;
}

// The new node replaces the heads: a later one needs to wait for it only.
DeviceError capture_add(Device *device, DeviceStream *stream, const GraphWork *work) {
  GraphNode *node;
  if (stream->capture->is_broken) return DEVICE_CAPTURE_INVALIDATED;
  DeviceError error = graph_add_node(device, stream->capture->graph, work, stream->heads.nodes,
                                     stream->heads.count, &node);
  if (error) return break_capture(stream->capture, error);
  stream->heads.count = 0;
  node_list_add(&stream->heads, node);
  return DEVICE_OK;
}

DeviceError capture_record(Device *device, DeviceStream *stream, DeviceEvent *event) {
  (void)device;
  if (stream->capture->is_broken) return DEVICE_CAPTURE_INVALIDATED;
  capture_forget_event(event);
  event->capture = stream->capture;
  list_copy(&event->heads, &stream->heads);
  return DEVICE_OK;
}

DeviceError capture_wait(Device *device, DeviceStream *stream, DeviceEvent *event) {
  (void)device;
  if (!event->capture) return break_capture(stream->capture, DEVICE_CAPTURE_ISOLATION);
  if (stream->capture && stream->capture != event->capture)
    return break_capture(stream->capture, DEVICE_CAPTURE_MERGE);
  if (event->capture->is_broken) return DEVICE_CAPTURE_INVALIDATED;
  stream->capture = event->capture;
  list_copy(&stream->heads, &event->heads);
  return DEVICE_OK;
}

DeviceError capture_drop_stream(DeviceStream *stream) {
  Capture *capture = stream->capture;
  if (capture->origin == stream) return DEVICE_CAPTURE_UNSUPPORTED;
  list_copy(&capture->left, &stream->heads);
  leave(stream);
  return DEVICE_OK;
}

// ---- begin and end

static DeviceError begin(Device *device, DeviceStream *stream, DeviceGraph *graph) {
  if (stream == device->default_stream) return DEVICE_CAPTURE_UNSUPPORTED;
  if (stream->capture) return DEVICE_INVALID_VALUE;
  if (graph && !graph_object_is(device, graph, OBJECT_GRAPH)) return DEVICE_INVALID_VALUE;
  Capture *capture = memory_alloc(sizeof *capture);
  *capture = (Capture){.graph = graph ? graph : graph_new(device),
                       .origin = stream,
                       .id = ++device->next_sequence,
                       .is_new_graph = !graph};
  stream->capture = capture;
  return DEVICE_OK;
}

static DeviceError add_heads(const Device *device, DeviceStream *stream, GraphNode *const *nodes,
                             size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!graph_object_is(device, nodes[i], OBJECT_NODE) ||
        nodes[i]->graph != stream->capture->graph)
      return DEVICE_INVALID_VALUE;
  for (size_t i = 0; i < count; i++) node_list_add(&stream->heads, nodes[i]);
  return DEVICE_OK;
}

// Takes the lock if the stream is there.
static DeviceError enter(Device *device, DeviceStream **stream) {
  device_lock(device);
  DeviceError error = device_ready(device);
  *stream = error ? NULL : stream_checked(device, *stream);
  if (!error && !*stream) error = DEVICE_INVALID_HANDLE;
  if (error) device_unlock(device);
  return error;
}

DeviceError device_capture_begin(Device *device, DeviceStream *stream, DeviceGraph *graph,
                                 GraphNode *const *before, size_t before_count) {
  DeviceError error = enter(device, &stream);
  if (error) return error;
  error = begin(device, stream, graph);
  if (!error) error = add_heads(device, stream, before, before_count);
  device_unlock(device);
  return error;
}

// A head that another node waits for is joined, in whichever stream that node is.
static bool are_joined(const Capture *capture, const NodeList *heads) {
  for (uint32_t i = 0; i < heads->count; i++) {
    const GraphNode *head = heads->nodes[i];
    bool is_joined = head->after.count;
    for (uint32_t o = 0; o < capture->origin->heads.count; o++)
      is_joined |= capture->origin->heads.nodes[o] == head;
    if (!is_joined) return false;
  }
  return true;
}

// Whether other streams have, or had, nodes that the origin does not wait for.
static bool is_unjoined(const Device *device, const Capture *capture) {
  for (const DeviceStream *stream = device->streams; stream; stream = stream->hh.next)
    if (stream->capture == capture && stream != capture->origin &&
        !are_joined(capture, &stream->heads))
      return true;
  return !are_joined(capture, &capture->left);
}

static void end(Device *device, Capture *capture) {
  for (DeviceStream *stream = device->streams; stream; stream = stream->hh.next)
    if (stream->capture == capture) leave(stream);
  for (DeviceEvent *event = device->events; event; event = event->hh.next)
    if (event->capture == capture) capture_forget_event(event);
  node_list_clear(&capture->left);
  memory_free(capture);
}

DeviceError device_capture_end(Device *device, DeviceStream *stream, DeviceGraph **graph) {
  DeviceError error = enter(device, &stream);
  if (error) return error;
  Capture *capture = stream->capture;
  *graph = NULL;
  if (!capture)
    error = DEVICE_INVALID_VALUE;
  else if (capture->origin != stream)
    error = DEVICE_CAPTURE_UNMATCHED;
  else if (capture->is_broken)
    error = DEVICE_CAPTURE_INVALIDATED;
  else if (is_unjoined(device, capture))
    error = DEVICE_CAPTURE_UNJOINED;
  if (!error) *graph = capture->graph;
  if (capture && capture->origin == stream && error && capture->is_new_graph)
    graph_free(device, capture->graph);
  if (capture && capture->origin == stream) end(device, capture);
  device_unlock(device);
  return error;
}

DeviceError device_capture_state(Device *device, DeviceStream *stream, CaptureState *state) {
  DeviceError error = enter(device, &stream);
  if (error) return error;
  const Capture *capture = stream->capture;
  *state = (CaptureState){0};
  if (capture)
    *state = (CaptureState){.is_active = true,
                            .is_broken = capture->is_broken,
                            .id = capture->id,
                            .graph = capture->graph,
                            .before = stream->heads.nodes,
                            .before_count = stream->heads.count};
  device_unlock(device);
  return DEVICE_OK;
}

DeviceError device_capture_wait_for(Device *device, DeviceStream *stream, GraphNode *const *before,
                                    size_t before_count, bool replaces) {
  DeviceError error = enter(device, &stream);
  if (error) return error;
  if (!stream->capture) error = DEVICE_INVALID_VALUE;
  if (!error && replaces) stream->heads.count = 0;
  if (!error) error = add_heads(device, stream, before, before_count);
  device_unlock(device);
  return error;
}

void captures_clear(Device *device) {
  for (DeviceStream *stream = device->streams; stream; stream = stream->hh.next)
    if (stream->capture) end(device, stream->capture);
}
