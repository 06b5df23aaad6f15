// SPDX-License-Identifier: MIT
// A run as a Chrome trace, which chrome://tracing and ui.perfetto.dev show: the
// kernels, and for each SM its CTAs and the stretches in which it issued
// nothing, from the tables `cta_rows` and `stalls`; with an interval series also
// IPC and resident warps over time.
#ifndef REPORT_TRACE_EVENTS_H
#define REPORT_TRACE_EVENTS_H

#include <jansson.h>

// result: what run_result_json makes. {"traceEvents": [...]}; times are
// microseconds of the simulated GPU's clock.
json_t *trace_events(const json_t *result);

#endif
