// SPDX-License-Identifier: MIT
// From the description of a run to its machine.
#include "run/run_machine.h"

#include "gpu/config/scheme.h"
#include "observers/observers.h"
#include "races/races.h"
#include "observers/attach/observer_list.h"

Status run_plugins_load(PolicySet *set, const RunList *plugins, Error *err) {
  set->observers = &observer_family;
  for (uint32_t i = 0; i < plugins->count; i++) TRY(policy_set_load(set, plugins->items[i], err));
  return OK;
}

static const char *option_of(const RunRow *row) {
  return row->option ? row->option : row->name;
}

Status run_limits_assign(GpuConfig *config, const RunSpec *spec, Arena *arena, Error *err) {
  for (const RunRow *row = run_rows; row->name; row++) {
    if (!row->parameter) continue;
    const char *value = *(const char *const *)((const char *)spec + row->offset);
    if (!value) continue;
    const char *assignment = arena_printf(arena, "%s=%s", row->parameter, value);
    if (gpu_config_assign(config, assignment, err) != OK)
      return error_prefix(err, "%s", option_of(row));
  }
  return OK;
}

static Status assign_settings(RunMachine *machine, const RunSpec *spec, Error *err) {
  for (uint32_t i = 0; i < spec->set.count; i++)
    if (gpu_config_assign(&machine->config, spec->set.items[i], err) != OK)
      return error_prefix(err, "--set %.80s", spec->set.items[i]);
  for (uint32_t i = 0; i < spec->ideal.count; i++)
    if (ideal_assign(&machine->config, spec->ideal.items[i], err) != OK)
      return error_prefix(err, "--ideal %.80s", spec->ideal.items[i]);
  return OK;
}

static const char *observers_of(const RunSpec *spec, Arena *arena) {
  const char *list = "";
  for (uint32_t i = 0; i < spec->observe.count; i++)
    list = arena_printf(arena, "%s;%s", list, spec->observe.items[i]);
  return list;
}

static Status read_choice(RunMachine *machine, const RunSpec *spec, Error *err) {
  if (!spec->kernels) return OK;
  if (spec->functional)
    return error_set(err, ERR_USAGE,
                     "--kernels selects launches to time and cannot be combined with --functional");
  if (kernel_choice_parse(&machine->choice, spec->kernels, err) == OK) return OK;
  return error_prefix(err, "--kernels %.80s", spec->kernels);
}

static Status check_races(const RunSpec *spec, Error *err) {
  RaceOptions races;
  if (!spec->check || race_options_read(&races, spec->check, err) == OK) return OK;
  return error_prefix(err, "--check %.80s", spec->check);
}

static Status check_forwarding(const RunSpec *spec, Error *err) {
  bool forwards = spec->skip_kernels || spec->fast_forward;
  if (spec->functional && (forwards || spec->checkpoint || spec->restore))
    return error_set(err, ERR_USAGE,
                     "--skip-kernels, --fast-forward, --checkpoint and --restore say where timing "
                     "begins and cannot be combined with --functional");
  if (spec->checkpoint && !forwards)
    return error_set(err, ERR_USAGE,
                     "--checkpoint %.80s: nothing says where; add --skip-kernels N or "
                     "--fast-forward INSTRUCTIONS",
                     spec->checkpoint);
  if (spec->restore && forwards)
    return error_set(err, ERR_USAGE,
                     "--restore %.80s: the checkpoint says where timing begins; leave out "
                     "--skip-kernels and --fast-forward",
                     spec->restore);
  return OK;
}

static Status refuse_sample_with(const char *option, const char *why, Error *err) {
  return error_set(err, ERR_USAGE, "--sample cannot be combined with %s: %s", option, why);
}

static Status read_sample(RunMachine *machine, const RunSpec *spec, Error *err) {
  const RunConfig *run = &machine->config.run;
  if (!spec->sample) return OK;
  if (sample_options_read(&machine->sample, spec->sample, err) != OK)
    return error_prefix(err, "--sample");
  if (spec->functional) return refuse_sample_with("--functional", "nothing is timed", err);
  if (spec->check) return refuse_sample_with("--check", "launches are executed twice", err);
  if (spec->record || spec->recordings)
    return refuse_sample_with("recordings", "launches are executed twice", err);
  if (run->max_cycles || run->max_instructions || run->max_ctas)
    return refuse_sample_with("--max-cycles, --max-instructions or --max-ctas",
                              "what is projected cannot be stopped", err);
  return OK;
}

// What does not depend on the configuration.
static Status resolve_rest(RunMachine *machine, const RunSpec *spec, Error *err) {
  machine->observers = observers_of(spec, &machine->arena);
  machine->inputs = spec->input.items;
  TRY(observer_list_check(machine->observers, &machine->plugins, spec->functional, err));
  TRY(check_races(spec, err));
  TRY(read_sample(machine, spec, err));
  TRY(check_forwarding(spec, err));
  return read_choice(machine, spec, err);
}

Status run_resolve(RunMachine *machine, const RunSpec *spec, Error *err) {
  TRY(run_plugins_load(&machine->plugins, &spec->plugin, err));
  TRY(scheme_config(&machine->config, spec->gpu, spec->scheme, &machine->plugins, err));
  TRY(run_limits_assign(&machine->config, spec, &machine->arena, err));
  TRY(assign_settings(machine, spec, err));
  TRY(ideal_check(&machine->config.ideal, err));
  return resolve_rest(machine, spec, err);
}

Status run_resolve_with(RunMachine *machine, const RunSpec *spec, const GpuConfig *config,
                        Error *err) {
  machine->config = *config;
  TRY(run_plugins_load(&machine->plugins, &spec->plugin, err));
  return resolve_rest(machine, spec, err);
}

void run_machine_clear(RunMachine *machine) {
  kernel_choice_clear(&machine->choice);
  policy_set_clear(&machine->plugins);
  arena_clear(&machine->arena);
  *machine = (RunMachine){0};
}
