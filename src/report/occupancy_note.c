// SPDX-License-Identifier: MIT
// What limits the CTAs per SM of a kernel, as a phrase: "limited by registers (40 per thread; 32
// would allow 8 CTAs per SM)".
#include "report/occupancy_note.h"

#include <string.h>

#include "base/text/text_table.h"

uint32_t kernel_idle_sms(const KernelResult *kernel, uint32_t sm_count) {
  uint64_t ctas = kernel->limit.grid_ctas;
  uint32_t used = kernel->stats ? kernel->sms : (ctas < sm_count ? (uint32_t)ctas : sm_count);
  return used < sm_count ? sm_count - used : 0;
}

static const char *plural(uint64_t count) {
  return count == 1 ? "" : "s";
}

static void note_grid(const KernelResult *kernel, uint32_t sm_count, FILE *out) {
  const OccupancyLimit *limit = &kernel->limit;
  char number[GROUPED_BYTES];
  uint32_t idle = kernel_idle_sms(kernel, sm_count);
  fprintf(out, "the grid of %s CTA%s", text_grouped(number, limit->grid_ctas),
          plural(limit->grid_ctas));
  if (limit->grid_ctas < sm_count)
    fprintf(out, " for %u SMs: %u SM%s idle", sm_count, idle, plural(idle));
  else
    fprintf(out, " (%s fit the GPU)", text_grouped(number, limit->gpu_ctas));
}

static void note_amount(const OccupancyLimit *limit, const char *name, const char *unit,
                        FILE *out) {
  char number[GROUPED_BYTES];
  fprintf(out, "%s (%s %s", name, text_grouped(number, limit->used), unit);
  if (limit->relaxed)
    fprintf(out, "; %s would allow %u CTAs per SM", text_grouped(number, limit->relaxed),
            limit->relaxed_ctas);
  fputc(')', out);
}

static void note_resource(const OccupancyLimit *limit, FILE *out) {
  if (strcmp(limit->by, "registers") == 0) note_amount(limit, "registers", "per thread", out);
  if (strcmp(limit->by, "shared_memory") == 0)
    note_amount(limit, "shared memory", "bytes per CTA", out);
  if (strcmp(limit->by, "warps") == 0)
    fprintf(out, "warp slots (%u warp%s per CTA, %u per SM)", limit->used, plural(limit->used),
            limit->available);
  if (strcmp(limit->by, "ctas") == 0) fprintf(out, "CTA slots (%u per SM)", limit->available);
}

// Beside the grid, what limits an SM is of interest if SMs have several CTAs and are not full.
static bool has_second_limit(const OccupancyLimit *limit, uint32_t sm_count) {
  bool fills_sm = strcmp(limit->by, "warps") == 0 && limit->available % limit->used == 0;
  return limit->grid_ctas >= sm_count && !fills_sm;
}

const char *occupancy_note(const KernelResult *kernel, uint32_t sm_count,
                           char note[OCCUPANCY_NOTE_BYTES]) {
  const OccupancyLimit *limit = &kernel->limit;
  memset(note, 0, OCCUPANCY_NOTE_BYTES);
  FILE *out = limit->by ? fmemopen(note, OCCUPANCY_NOTE_BYTES - 1, "w") : NULL;
  if (!out) return note;
  fputs("limited by ", out);
  if (limit->grid_is_small) note_grid(kernel, sm_count, out);
  bool names_resource = !limit->grid_is_small || has_second_limit(limit, sm_count);
  if (limit->grid_is_small && names_resource) fputs(", then by ", out);
  if (names_resource) note_resource(limit, out);
  fclose(out);
  return note;
}
