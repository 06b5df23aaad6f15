// SPDX-License-Identifier: MIT
// Records the kernels of a run (trace/recording.h): watches every step, and is told by the engine
// which kernels begin and complete, and by whoever loads modules which code they have.
//
// It also finds out whether the steps would be the same under every schedule, as they are for a
// program that has no data races and none of what schedule_causes.h lists: then the recording can
// stand for the program under any policies.
//
// One thread: a machine that is watched has one.
#ifndef DEVICE_RECORDING_RECORDER_H
#define DEVICE_RECORDING_RECORDER_H

#include "exec/watch.h"
#include "frontends/ptx/link/load.h"
#include "isa/launch.h"

typedef struct Recorder Recorder;

Status recorder_create(Recorder **recorder, const char *path, Error *err);
const ExecWatch *recorder_watch(const Recorder *recorder);

// The program was compiled from these texts.
void recorder_module(Recorder *recorder, const Program *program, const PtxText *texts, size_t count,
                     uint64_t base_address, const CompilerConfig *compiler);
// The same of a trace's kernel, from its listing (frontends/accelsim/sass_listing.h).
void recorder_sass(Recorder *recorder, const Program *program, const char *listing, size_t length);
// A kernel of the host begins at `now`, with that memory; is_idle: no other is in flight.
void recorder_launch(Recorder *recorder, Launch *launch, const DeviceMemory *memory, Cycle now,
                     bool is_idle);
void recorder_completed(Recorder *recorder, Launch *launch);
// No kernel is in flight.
void recorder_settle(Recorder *recorder);
// The GPU is given back: kernels that follow are on another one.
void recorder_reset(Recorder *recorder);

// What the recording says of its run.
typedef struct RecordingAbout {
  const char *input, *gpu, *scheme;
} RecordingAbout;

// Completes the file, or says why there is none. status: of the run; one that failed leaves no
// recording. Frees the recorder.
Status recorder_finish(Recorder *recorder, const RecordingAbout *about, Status status, Error *err);

// A digest of compiled code, as far as steps and their timing depend on it.
uint64_t recorder_code_digest(const Program *program);

#endif
