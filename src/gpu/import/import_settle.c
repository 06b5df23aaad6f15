// SPDX-License-Identifier: MIT
// What each option allows and all together do not.
#include "gpu/config/gpu_config.h"
#include "gpu/import/import_options.h"
#include "sm/residency/carve_out.h"
#include "sm/collector.h"

// Sub-cores that nothing can be shared out to evenly.
static void settle_sub_cores(ConfigImport *import) {
  const SmConfig *sm = import_section(import, "sm");
  uint32_t count;
  Error err;
  if (collectors_count(sm, &count, &err) == OK) return;
  import_about(import, "gpgpu_sub_core_model");
  import_lost(import, "%.300s", err.text);
  import_set(import, "sm.sub_cores", "false");
}

// Shared memory that no carve-out has room for.
static void settle_carve_outs(ConfigImport *import) {
  const SmConfig *sm = import_section(import, "sm");
  CarveOut carve_out;
  Error err;
  if (carve_out_init(&carve_out, sm, &err) == OK) return;
  import_about(import, "gpgpu_adaptive_cache_config");
  import_lost(import, "%.300s", err.text);
  import_set(import, "sm.unified_kb", "0");
}

// Column commands that would follow one another faster than the bus moves data.
static void settle_bursts(ConfigImport *import) {
  const DramConfig *dram = import_section(import, "dram");
  if (dram->burst_ticks <= dram->ccd) return;
  import_about(import, "gpgpu_dram_timing_opt");
  import_changed(import, "CCD = %u; %u is less than a command's data transfer", dram->burst_ticks,
                 dram->ccd);
  import_set_number(import, "dram.ccd", dram->burst_ticks);
}

// A queue of fewer writes than its marks.
static void settle_write_queue(ConfigImport *import) {
  const DramConfig *dram = import_section(import, "dram");
  if (!dram->write_queue_entries) return;
  uint32_t high = dram->write_high, low = dram->write_low;
  if (high > dram->write_queue_entries) high = dram->write_queue_entries;
  if (low > high) low = high;
  if (high == dram->write_high && low == dram->write_low) return;
  import_about(import, "dram_write_queue_size");
  import_changed(import, "marks of %u and %u", high, low);
  import_set_number(import, "dram.write_high", high);
  import_set_number(import, "dram.write_low", low);
}

static void settle_bank_groups(ConfigImport *import) {
  const DramConfig *dram = import_section(import, "dram");
  if (dram->bank_group_bits != GROUP_BITS_HIGH || dram->banks % dram->bank_groups == 0) return;
  import_about(import, "dram_bnkgrp_indexing_policy");
  import_changed(import, "the low bits name the group of one of %u banks in %u groups",
                 dram->banks, dram->bank_groups);
  import_set(import, "dram.bank_group_bits", "low");
}

void import_settle(ConfigImport *import) {
  settle_sub_cores(import);
  settle_carve_outs(import);
  settle_bursts(import);
  settle_write_queue(import);
  settle_bank_groups(import);
}
