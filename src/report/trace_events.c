// SPDX-License-Identifier: MIT
// Writes a run as a Chrome trace.
#include "report/trace_events.h"

#include <stdint.h>

#include "base/memory.h"

enum { GPU_PROCESS = 0, FIRST_SM_PROCESS = 1, STALL_LANE = 0, FIRST_LANE = 1, MOST_SMS = 1 << 16 };
#define MOST ((json_int_t)1 << 53)

// Overlapping events of one process are shown in separate lanes.
typedef struct Lanes {
  json_int_t *ends;  // by lane: when its last event ends
  size_t count, capacity;
} Lanes;

typedef struct Trace {
  json_t *events;
  double mhz;
  Lanes kernels;
  Lanes *sms;
  size_t sm_count;
} Trace;

// A result may come from another program: clamped to a safe range.
static json_int_t integer(const json_t *object, const char *key) {
  json_int_t value = json_integer_value(json_object_get(object, key));
  return value < 0 ? 0 : value > MOST ? MOST : value;
}

static json_int_t sm_of(const json_t *row) {
  json_int_t sm = integer(row, "sm");
  return sm < MOST_SMS ? sm : MOST_SMS;
}

static const char *text(const json_t *object, const char *key) {
  const char *value = json_string_value(json_object_get(object, key));
  return value ? value : "";
}

static json_int_t take_lane(Lanes *lanes, json_int_t start, json_int_t end) {
  size_t lane = 0;
  while (lane < lanes->count && lanes->ends[lane] > start) lane++;
  if (lane == lanes->count) {
    GROW(lanes->ends, lanes->count, lanes->capacity);
    lanes->count++;
  }
  lanes->ends[lane] = end;
  return (json_int_t)lane;
}

static Lanes *lanes_of(Trace *trace, json_int_t sm) {
  while ((json_int_t)trace->sm_count <= sm) {
    trace->sms = memory_resize(trace->sms, sizeof *trace->sms * (trace->sm_count + 1));
    trace->sms[trace->sm_count++] = (Lanes){0};
  }
  return &trace->sms[sm];
}

// ---- events

static void add_span(Trace *trace, json_int_t process, json_int_t lane, const char *kind,
                     json_t *name, json_int_t start, json_int_t end, json_t *args) {
  json_array_append_new(
      trace->events,
      json_pack("{s:s, s:o, s:s, s:I, s:I, s:f, s:f, s:o}", "ph", "X", "name", name, "cat", kind,
                "pid", process, "tid", lane, "ts", (double)start / trace->mhz, "dur",
                (double)(end - start) / trace->mhz, "args", args));
}

static void add_name(Trace *trace, const char *what, json_int_t process, json_int_t lane,
                     json_t *name) {
  json_array_append_new(trace->events,
                        json_pack("{s:s, s:s, s:I, s:I, s:{s:o}}", "ph", "M", "name", what, "pid",
                                  process, "tid", lane, "args", "name", name));
}

static void add_counter(Trace *trace, const char *name, json_int_t cycle, double value) {
  json_array_append_new(
      trace->events, json_pack("{s:s, s:s, s:i, s:f, s:{s:f}}", "ph", "C", "name", name, "pid",
                               GPU_PROCESS, "ts", (double)cycle / trace->mhz, "args", name, value));
}

static void add_kernel(Trace *trace, const json_t *kernel) {
  json_int_t start = integer(kernel, "started_cycle"), end = integer(kernel, "ended_cycle");
  json_int_t lane = take_lane(&trace->kernels, start, end);
  const char *name =
      text(kernel, json_object_get(kernel, "readable_name") ? "readable_name" : "name");
  add_span(trace, GPU_PROCESS, lane, "kernel", json_string(name), start, end,
           json_pack("{s:I, s:I, s:O?}", "start_cycle", start, "cycles", end - start, "warp_ipc",
                     json_object_get(kernel, "warp_ipc")));
}

static void add_cta(Trace *trace, const json_t *kernel, const json_t *row) {
  json_int_t sm = sm_of(row), start = integer(row, "start_cycle");
  json_int_t end = integer(row, "end_cycle");
  if (end < start) end = integer(kernel, "ended_cycle");  // it has not ended
  json_int_t lane = FIRST_LANE + take_lane(lanes_of(trace, sm), start, end);
  add_span(trace, FIRST_SM_PROCESS + sm, lane, "cta",
           json_sprintf("CTA %" JSON_INTEGER_FORMAT, integer(row, "cta")), start, end,
           json_pack("{s:s, s:I, s:I}", "kernel", text(kernel, "name"), "start_cycle", start,
                     "warp_instructions", integer(row, "warp_instructions")));
}

static void add_stall(Trace *trace, const json_t *row) {
  json_int_t sm = sm_of(row), start = integer(row, "start_cycle");
  json_int_t loads = integer(row, "loads");
  lanes_of(trace, sm);
  add_span(trace, FIRST_SM_PROCESS + sm, STALL_LANE, "stall",
           json_string(loads ? "stalled, loads return" : "waits"), start,
           start + integer(row, "cycles"),
           json_pack("{s:I, s:I, s:s, s:I}", "cycles", integer(row, "cycles"), "loads", loads,
                     "next", text(row, "text"), "line", integer(row, "line")));
}

static void add_interval(Trace *trace, const json_t *row) {
  double cycles = (double)integer(row, "cycles");
  if (cycles <= 0) return;
  json_int_t start = integer(row, "start_cycle");
  add_counter(trace, "warp IPC", start, (double)integer(row, "warp_instructions") / cycles);
  add_counter(trace, "resident warps", start, (double)integer(row, "warp_cycles") / cycles);
}

static void add_tables(Trace *trace, const json_t *kernel) {
  const json_t *row;
  size_t i;
  json_array_foreach(json_object_get(kernel, "cta_rows"), i, row) add_cta(trace, kernel, row);
  json_array_foreach(json_object_get(kernel, "stalls"), i, row) add_stall(trace, row);
  json_array_foreach(json_object_get(kernel, "intervals"), i, row) add_interval(trace, row);
}

static void add_names(Trace *trace) {
  add_name(trace, "process_name", GPU_PROCESS, 0, json_string("GPU"));
  for (size_t lane = 0; lane < trace->kernels.count; lane++)
    add_name(trace, "thread_name", GPU_PROCESS, (json_int_t)lane, json_string("kernels"));
  for (size_t sm = 0; sm < trace->sm_count; sm++) {
    json_int_t process = FIRST_SM_PROCESS + (json_int_t)sm;
    add_name(trace, "process_name", process, 0, json_sprintf("SM %zu", sm));
    add_name(trace, "thread_name", process, STALL_LANE, json_string("no instruction"));
    for (size_t lane = 0; lane < trace->sms[sm].count; lane++)
      add_name(trace, "thread_name", process, FIRST_LANE + (json_int_t)lane,
               json_sprintf("CTAs %zu", lane));
  }
}

json_t *trace_events(const json_t *result) {
  Trace trace = {.events = json_array()};
  const json_t *kernel;
  size_t i;
  trace.mhz = (double)json_integer_value(
      json_object_get(json_object_get(json_object_get(result, "config"), "gpu"), "core_clock_mhz"));
  if (trace.mhz <= 0) trace.mhz = 1;
  json_array_foreach(json_object_get(result, "kernels"), i, kernel) {
    add_kernel(&trace, kernel);
    add_tables(&trace, kernel);
  }
  add_names(&trace);
  for (i = 0; i < trace.sm_count; i++) memory_free(trace.sms[i].ends);
  memory_free(trace.sms);
  memory_free(trace.kernels.ends);
  return json_pack("{s:o, s:s}", "traceEvents", trace.events, "displayTimeUnit", "ns");
}
