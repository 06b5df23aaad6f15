// SPDX-License-Identifier: MIT
// Executes the first launches without timing, warms the L2, and keeps or restores checkpoints.
#include "device/launches/forwarding.h"

#include <inttypes.h>

#include "base/digest.h"
#include "device/launches/sampler_pass.h"

Status forwarding_begin(Forwarding *forwarding, const ForwardOptions *options, Error *err) {
  *forwarding = (Forwarding){.options = *options, .is_over = true};
  forwarding->state.digest = digest_start();
  if (options->launches || options->instructions || options->restore) forwarding->is_over = false;
  if (!forwarding->is_over) launch_profile_begin(&forwarding->state.profile, 1);
  if (!options->restore) return OK;
  TRY(checkpoint_open(&forwarding->file, options->restore, &forwarding->options.launches, err));
  return OK;
}

void forwarding_clear(Forwarding *forwarding) {
  if (forwarding->file) fclose(forwarding->file);
  launch_profile_clear(&forwarding->state.profile);
  *forwarding = (Forwarding){.is_over = true};
}

bool forwarding_holds(const Forwarding *forwarding, const Launch *launch, uint64_t executed) {
  if (forwarding->is_over) return false;
  return launch->number < forwarding->options.launches ||
         executed < forwarding->options.instructions;
}

bool forwarding_restores(const Forwarding *forwarding) {
  return forwarding->file != NULL;
}

void forwarding_launch(Forwarding *forwarding, const Launch *launch) {
  CheckpointState *state = &forwarding->state;
  state->digest = digest_add_text(state->digest, launch->kernel->name);
  state->digest = digest_add(state->digest, launch->grid, sizeof launch->grid);
  state->digest = digest_add(state->digest, launch->block, sizeof launch->block);
  state->digest = digest_add(state->digest, launch->params, launch->kernel->param_bytes);
  state->launches++;
}

void forwarding_access(Forwarding *forwarding, const MemoryAccess *access) {
  uint32_t lanes = sampler_pass_global_lanes(access);
  if (lanes)
    launch_profile_global(&forwarding->state.profile, access->address, lanes, access->bytes,
                          access->write);
}

static Status write_checkpoint(Forwarding *forwarding, const DeviceMemory *memory, Error *err) {
  const char *path = forwarding->options.checkpoint;
  if (forwarding->host_has_read)
    return error_set(err, ERR_UNSUPPORTED,
                     "--checkpoint %s: the program has copied results to the host before launch "
                     "%" PRIu64
                     "; what it does with them cannot be kept (use --skip-kernels or "
                     "--fast-forward without --checkpoint)",
                     path, forwarding->state.launches);
  return checkpoint_write(&forwarding->state, memory, path, err);
}

Status forwarding_end(Forwarding *forwarding, Gpu *gpu, uint64_t executed, Error *err) {
  const ForwardOptions *options = &forwarding->options;
  if (forwarding->is_over) return OK;
  forwarding->is_over = true;
  if (forwarding->file)
    TRY(checkpoint_read(&forwarding->state, gpu_memory(gpu), forwarding->file, options->restore,
                        err));
  else
    forwarding->state.instructions = executed;
  if (options->checkpoint) TRY(write_checkpoint(forwarding, gpu_memory(gpu), err));
  sampler_pass_warm_l2(gpu, &forwarding->state.profile);
  return OK;
}

const char *forwarding_complaint(const Forwarding *forwarding, uint64_t launches, Arena *arena) {
  if (forwarding->is_over || !launches) return NULL;
  return arena_printf(arena,
                      "%s: no launch was timed: the program has %" PRIu64
                      " launches, all before timing begins",
                      forwarding->options.restore        ? "--restore"
                      : forwarding->options.instructions ? "--fast-forward"
                                                         : "--skip-kernels",
                      launches);
}
