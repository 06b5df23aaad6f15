// SPDX-License-Identifier: MIT
// From the description of a run to its machine. All mistakes in a run's options are found here, and
// reported by the option's name.
#ifndef RUN_RUN_MACHINE_H
#define RUN_RUN_MACHINE_H

#include "policies/plugin.h"
#include "gpu/config/gpu_config.h"
#include "run/kernel_choice.h"
#include "run/run_spec.h"
#include "sampling/sample_options.h"

typedef struct RunMachine {
  GpuConfig config;
  PolicySet plugins;
  KernelChoice choice;        // launches to time
  SampleOptions sample;       // if the run has some
  const char *observers;      // as observers/attach/observer_list.h reads it
  const char *const *inputs;  // of policies: the run's, or NULL
  Arena arena;
} RunMachine;

// Resolves in order of increasing priority: GPU, scheme, limits, single parameters. machine is
// zeroed or cleared before; clear it also after an error.
Status run_resolve(RunMachine *machine, const RunSpec *spec, Error *err);
// The same with a configuration that another process has resolved.
Status run_resolve_with(RunMachine *machine, const RunSpec *spec, const GpuConfig *config,
                        Error *err);
void run_machine_clear(RunMachine *machine);

// Sets the parameters that fields of a run are, such as max_cycles.
Status run_limits_assign(GpuConfig *config, const RunSpec *spec, Arena *arena, Error *err);

// Adds the policies of plugins, by their paths, to a set. Clear it also after an error.
Status run_plugins_load(PolicySet *set, const RunList *plugins, Error *err);

#endif
