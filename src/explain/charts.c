// SPDX-License-Identifier: MIT
// Roofline, memory chart and reuse of a kernel, from the counters of its run.
#include "explain/charts.h"

#include <string.h>

enum { SECTOR = 32, SEGMENT = 128, LANES = 32 };

static double positive(double value, double otherwise) {
  return value > 0 ? value : otherwise;
}

// ---- roofline

static double transaction_bytes(const RunFacts *facts) {
  const json_t *config = json_object_get(json_object_get(facts->result, "config"), "sm");
  const char *rule = json_string_value(json_object_get(config, "coalesce"));
  return rule && strcmp(rule, "sector") == 0 ? SECTOR : SEGMENT;
}

static json_t *levels(const RunFacts *facts, const KernelFacts *kernel) {
  double sms = facts->sm_count, cycles = positive(kernel->cycles, 1);
  double ports = positive(machine_setting(facts, "sm", "l1_accesses_per_cycle"), 1);
  double l2 = facts->slices * facts->l2_ticks_per_cycle * SECTOR;
  return json_pack("[{s:s, s:f, s:f}, {s:s, s:f, s:f}, {s:s, s:f, s:f}]", "name", "L1", "peak",
                   sms * ports * transaction_bytes(facts), "used",
                   kernel_fact(kernel, "lsu.transactions") * transaction_bytes(facts), "name", "L2",
                   "peak", l2, "used", kernel_fact(kernel, "l2.accesses") * SECTOR, "name", "DRAM",
                   "peak", kernel_fact(kernel, "dram.peak_bytes") / cycles, "used",
                   kernel_fact(kernel, "dram.bytes"));
}

// Units of the machine, with the interval of their usual instruction. Without DP units, the others
// execute double precision, at its own interval.
static const struct {
  const char *name, *units, *section, *interval, *lanes;
  bool is_always_there;
} arithmetic[] = {
    {"FP32", "sp_units", "latency", "fp_fma_interval", "sm.lanes_sp", true},
    {"FP64", "dp_units", "latency", "dp_fma_interval", "sm.lanes_dp", true},
    {"integer", "int_units", "latency", "int_add_interval", "sm.lanes_int", false},
    {"special functions", "sfu_units", "latency", "sfu_interval", "sm.lanes_sfu", false},
    {"tensor", "tensor_units", "tensor", "interval", "sm.lanes_tensor", false},
    {0}};

static json_t *units(const RunFacts *facts, const KernelFacts *kernel) {
  json_t *list = json_array();
  for (int i = 0; arithmetic[i].name; i++) {
    double count = machine_setting(facts, "sm", arithmetic[i].units);
    double every = machine_setting(facts, arithmetic[i].section, arithmetic[i].interval);
    if (count <= 0 && !arithmetic[i].is_always_there) continue;
    double peak = facts->sm_count * positive(count, 1) * LANES / positive(every, 1);
    json_array_append_new(list, json_pack("{s:s, s:f, s:f}", "name", arithmetic[i].name, "peak",
                                          peak, "used", kernel_fact(kernel, arithmetic[i].lanes)));
  }
  return list;
}

json_t *chart_roofline(const RunFacts *facts, const KernelFacts *kernel) {
  return json_pack("{s:f, s:o, s:o}", "cycles", kernel->cycles, "memory", levels(facts, kernel),
                   "arithmetic", units(facts, kernel));
}

// ---- memory chart

static json_t *edge(const char *from, const char *to, const char *what, double bytes) {
  return json_pack("{s:s, s:s, s:s, s:f}", "from", from, "to", to, "what", what, "bytes", bytes);
}

static json_t *cache(const KernelFacts *kernel, const char *name, const char *accesses,
                     const char *hits, const char *merges) {
  return json_pack("{s:s, s:f, s:f, s:f}", "name", name, "accesses", kernel_fact(kernel, accesses),
                   "hits", kernel_fact(kernel, hits), "merges", kernel_fact(kernel, merges));
}

json_t *chart_memory(const RunFacts *facts, const KernelFacts *kernel) {
  double shared = kernel_fact(kernel, "lsu.shared_accesses");
  double bank = positive(machine_setting(facts, "sm", "shared_bank_bytes"), 4);
  double row = bank * positive(machine_setting(facts, "sm", "shared_banks"), LANES);
  double written = kernel_fact(kernel, "dram.writes") *
                   positive(machine_setting(facts, "dram", "command_bytes"), SECTOR);
  json_t *edges = json_array(), *nodes = json_array();
  json_array_append_new(edges,
                        edge("SM", "L1", "loads and stores",
                             kernel_fact(kernel, "lsu.transactions") * transaction_bytes(facts)));
  json_array_append_new(edges, edge("SM", "shared", "accesses", shared * row));
  json_array_append_new(edges,
                        edge("L1", "L2", "requests", kernel_fact(kernel, "noc.request_bytes")));
  json_array_append_new(edges, edge("L2", "L1", "replies", kernel_fact(kernel, "noc.reply_bytes")));
  json_array_append_new(edges, edge("L2", "DRAM", "writes", written));
  json_array_append_new(edges,
                        edge("DRAM", "L2", "reads", kernel_fact(kernel, "dram.bytes") - written));
  json_array_append_new(nodes, cache(kernel, "L1", "l1d.accesses", "l1d.hits", "l1d.merges"));
  json_array_append_new(nodes, cache(kernel, "L2", "l2.accesses", "l2.hits", "l2.merges"));
  return json_pack(
      "{s:o, s:o, s:f, s:f, s:f, s:f}", "edges", edges, "caches", nodes, "shared_accesses", shared,
      "bank_conflict_cycles", kernel_fact(kernel, "lsu.shared_conflict_cycles"), "row_hits",
      kernel_fact(kernel, "dram.row_hits"), "row_misses", kernel_fact(kernel, "dram.row_misses"));
}

// ---- reuse

json_t *chart_reuse(const KernelFacts *kernel) {
  if (!json_object_get(kernel->sums, "reuse.accesses")) return NULL;
  return json_pack("{s:f, s:f, s:f, s:f}", "first", kernel_fact(kernel, "reuse.lines"),
                   "intra_warp", kernel_fact(kernel, "reuse.intra_warp"), "inter_warp",
                   kernel_fact(kernel, "reuse.intra_cta"), "inter_cta",
                   kernel_fact(kernel, "reuse.inter_cta"));
}
