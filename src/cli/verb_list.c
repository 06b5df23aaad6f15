// SPDX-License-Identifier: MIT
// heddle list TOPIC: available choices and statistics, from the tables that the
// program itself uses.
#include <string.h>

#include "base/text/closest.h"
#include "base/text/text_table.h"
#include "cli/arguments.h"
#include "study/study_file.h"
#include "cli/verb.h"
#include "runner/program/workload.h"
#include "runner/trace/trace_summary.h"
#include "gpu/gpu.h"
#include "gpu/config/scheme.h"
#include "observers/observers.h"
#include "policies/registry.h"
#include "report/run_result.h"
#include "run/run_machine.h"
#include "study/study.h"

// Total KB of this many such caches; "-" if there is none.
static void add_cache(TextTable *table, const CacheConfig *config, uint64_t count) {
  uint32_t sets, ways;
  if (!config->enabled || cache_geometry(config, &sets, &ways, NULL) != OK)
    text_table_add(table, "-");
  else
    text_table_add(table, "%llu",
                   (unsigned long long)(count * sets * ways * config->line_bytes / 1024));
}

static void add_gpu(TextTable *table, const char *name, const GpuConfig *config) {
  const ChipConfig *chip = &config->gpu;
  const uint32_t numbers[] = {chip->sm_count,       chip->core_clock_mhz, config->sm.max_warps,
                              config->sm.max_ctas,  config->sm.registers, config->sm.shared_kb};
  text_table_add(table, "%s", name);
  text_table_add(table, "%u.%u", chip->compute_capability / 10, chip->compute_capability % 10);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    text_table_add(table, "%u", numbers[i]);
  add_cache(table, &config->l1d, 1);
  add_cache(table, &config->l2, (uint64_t)chip->channels * chip->slices_per_channel);
  text_table_add(table, "%.0f", gpu_config_dram_gb_per_s(config));
  text_table_add(table, "%u", chip->memory_mb);
  text_table_add(table, "%s", config->energy.enabled ? "yes" : "no");
}

static Status list_gpus(const Arguments *arguments, Error *err) {
  (void)arguments;
  TextTable table;
  char name[GPU_NAME_BYTES];
  GpuConfig config;
  Status status = OK;
  text_table_init(&table, (const char *const[]){
                              "gpu", ">CC", ">SMs", ">MHz", ">warps/SM", ">CTAs/SM",
                              ">registers/SM", ">shared KB/SM", ">L1 KB/SM", ">L2 KB",
                              ">DRAM GB/s", ">memory MB", "energy", NULL});
  for (size_t i = 0; status == OK && gpu_config_shipped(i, name); i++) {
    status = gpu_config_load(&config, name, err);
    if (status == OK) add_gpu(&table, name, &config);
  }
  if (status == OK) text_table_print(&table, stdout, 0);
  text_table_clear(&table);
  return status;
}

// Warps per SM for which storage is reported, as in the papers.
enum { STORAGE_WARPS = 48 };

// name=default, meaning and range, below their policy; and its hardware cost, if the
// policy states it.
static void add_params(TextTable *table, const PolicyType *type) {
  Arena scratch = {0};
  char text[PARAM_VALUE_BYTES];
  void *state = arena_alloc(&scratch, type->state_size);
  Status status = policy_set_params(type, type->name, state, NULL);
  for (const Param *param = type->params; status == OK && param && param->name; param++) {
    text_table_add(table, "  :%s=%s", param->name, param_value_text(param, state, text));
    text_table_add(table, "%s (%s)", param->help, param_range_text(param, text));
  }
  if (status == OK && type->storage_bits) {
    uint64_t bits = type->storage_bits(state, STORAGE_WARPS);
    text_table_add(table, "  storage");
    text_table_add(table, "%llu bytes per SM with %d warps", (unsigned long long)(bits + 7) / 8,
                   STORAGE_WARPS);
  }
  arena_clear(&scratch);
}

static void print_family(const PolicyFamily *family, const PolicySet *more) {
  TextTable table;
  const PolicyType *type;
  printf("%s: %s\n", family->name, family->question);
  text_table_init(&table, (const char *const[]){"", "", NULL});
  for (size_t i = 0; (type = policy_at(family, more, i)); i++) {
    text_table_add(&table, "%s", type->name);
    text_table_add(&table, "%s", type->summary);
    add_params(&table, type);
  }
  text_table_print(&table, stdout, 2);
  text_table_clear(&table);
}

static Status load_plugins(const Arguments *arguments, PolicySet *set, Error *err) {
  Arena arena = {0};
  RunList paths = arguments_list(arguments, "--plugin", &arena);
  Status status = run_plugins_load(set, &paths, err);
  arena_clear(&arena);
  return status;
}

static Status list_policies(const Arguments *arguments, Error *err) {
  PolicySet plugins = {0};
  Status status = load_plugins(arguments, &plugins, err);
  for (const PolicyFamily *const *each = policy_families; status == OK && *each; each++)
    print_family(*each, &plugins);
  policy_set_clear(&plugins);
  return status;
}

static Status list_schemes(const Arguments *arguments, Error *err) {
  (void)arguments;
  TextTable table;
  char name[SCHEME_NAME_BYTES], text[SCHEME_TEXT_BYTES];
  Scheme scheme;
  Status status = OK;
  text_table_init(&table, (const char *const[]){"scheme", "description", "policies", NULL});
  for (size_t i = 0; status == OK && scheme_shipped(i, name); i++) {
    status = scheme_parse(&scheme, name, NULL, err);
    text_table_add(&table, "%s", name);
    text_table_add(&table, "%s", scheme.summary);
    text_table_add(&table, "%s", scheme_text(&scheme, text));
  }
  if (status == OK) text_table_print(&table, stdout, 0);
  text_table_clear(&table);
  if (status == OK)
    printf("\nA policy, or several joined by +, is a scheme too: --scheme \"lrr + next_line\".\n");
  return status;
}

// The papers that use the workload, each with the category that it assigns.
static void add_papers(TextTable *table, const Workload *workload) {
  char text[512];
  size_t used = 0;
#define X(paper, citation)                                                           \
  if (workload->paper_##paper[0])                                                    \
    used += (size_t)snprintf(text + used, sizeof text - used, "%s" citation " (%s)", \
                             used ? ", " : "", workload->paper_##paper);
  text[0] = '\0';
  WORKLOAD_PAPER_LIST(X)
#undef X
  text_table_add(table, "%s", text);
}

static Status list_workloads(const Arguments *arguments, Error *err) {
  (void)arguments;
  TextTable table;
  Workload workload;
  bool found = true;
  Status status = OK;
  text_table_init(&table, (const char *const[]){"workload", "abbr.", "suite", "CTA",
                                                "papers (categories)", "description", NULL});
  for (size_t i = 0; status == OK; i++) {
    status = workload_at(i, &workload, &found, err);
    if (status != OK || !found) break;
    const char *const texts[] = {workload.name, workload.abbreviation, workload.suite,
                                 workload.cta};
    for (size_t j = 0; j < sizeof texts / sizeof *texts; j++)
      text_table_add(&table, "%s", texts[j]);
    add_papers(&table, &workload);
    text_table_add(&table, "%s", workload.summary);
  }
  if (status == OK) text_table_print(&table, stdout, 0);
  text_table_clear(&table);
  return status;
}

static Status list_studies(const Arguments *arguments, Error *err) {
  (void)arguments;
  TextTable table;
  char name[STUDY_NAME_BYTES];
  const char *text;
  Status status = OK;
  text_table_init(&table, (const char *const[]){"study", ">runs", "description", NULL});
  for (size_t i = 0; status == OK && (text = shipped_study(i, name)); i++) {
    Study study;
    status = study_read(&study, name, text, err);
    if (status != OK) break;
    text_table_add(&table, "%s", name);
    text_table_add(&table, "%zu", study_run_count(&study));
    text_table_add(&table, "%s", study.title);
    study_clear(&study);
  }
  if (status == OK) text_table_print(&table, stdout, 0);
  text_table_clear(&table);
  return status;
}

static Status list_observers(const Arguments *arguments, Error *err) {
  PolicySet plugins = {0};
  Status status = load_plugins(arguments, &plugins, err);
  if (status == OK) print_family(&observer_family, &plugins);
  policy_set_clear(&plugins);
  return status;
}

static Status list_params(const Arguments *arguments, Error *err) {
  GpuConfig config;
  ParamSection sections[GPU_SECTION_COUNT + 1];
  const char *gpu = arguments_value(arguments, "--gpu", GPU_DEFAULT);
  TRY(gpu_config_load(&config, gpu, err));
  gpu_config_sections(&config, sections);
  TextTable table;
  text_table_init(&table, (const char *const[]){"parameter", "value", "allowed", "meaning", NULL});
  for (const ParamSection *section = sections; section->name; section++)
    for (const Param *param = section->params; param->name; param++) {
      char text[PARAM_VALUE_BYTES];
      text_table_add(&table, "%s.%s", section->name, param->name);
      text_table_add(&table, "%s", param_value_text(param, section->values, text));
      text_table_add(&table, "%s", param_range_text(param, text));
      text_table_add(&table, "%s", param->help);
    }
  text_table_print(&table, stdout, 0);
  text_table_clear(&table);
  printf("\nValues of %s; --gpu NAME selects another GPU.\n", gpu);
  return OK;
}

static void add_stats(TextTable *table, const char *place, const char *of, const Stat *stats) {
  for (const Stat *stat = stats; stat->name; stat++) {
    text_table_add(table, "%s%s", place, stat->name);
    text_table_add(table, "%s", of);
    text_table_add(table, "%s%s", stat->help, stat->is_ratio ? " (ratio)" : "");
  }
}

static void add_columns(TextTable *table, const ResultTableType *type) {
  char place[64];
  snprintf(place, sizeof place, "kernels[i].%s[j].", type->name);
  for (const RowLabel *label = type->labels; label && label->name; label++) {
    text_table_add(table, "%s%s", place, label->name);
    text_table_add(table, "%s", type->summary);
    text_table_add(table, "%s (text)", label->help);
  }
  add_stats(table, place, type->summary, type->columns);
}

static void add_parts(TextTable *table, const StatsPart *parts) {
  for (const StatsPart *part = parts; part->prefix; part++) {
    char place[64];
    snprintf(place, sizeof place, "total.%s", part->prefix);
    add_stats(table, place, part->summary, part->table);
  }
}

// Counters and most tables are under total and under each element of kernels.
static Status list_stats(const Arguments *arguments, Error *err) {
  (void)arguments, (void)err;
  TextTable table;
  char place[64];
  text_table_init(&table, (const char *const[]){"statistic", "of", "meaning", NULL});
  for (const StatGroup *group = stat_groups; group->place; group++) {
    snprintf(place, sizeof place, "%s.", group->place);
    add_stats(&table, place, group->summary, group->table);
  }
  add_parts(&table, machine_stats_parts);
  add_parts(&table, sampling_stats_parts);
  for (const PolicyFamily *const *family = policy_families; *family; family++)
    for (const PolicyType *const *type = (*family)->types; *type; type++) {
      snprintf(place, sizeof place, "policies.%s.%s.", (*family)->name, (*type)->name);
      if ((*type)->stats) add_stats(&table, place, (*type)->summary, (*type)->stats);
      for (const ResultTableType *const *each = (*type)->tables; each && *each; each++)
        add_columns(&table, *each);
    }
  for (const ResultTableType *const *type = gpu_tables; *type; type++) add_columns(&table, *type);
  for (const PolicyType *const *type = observer_family.types; *type; type++)
    for (const ResultTableType *const *each = ((const ObserverType *)*type)->tables; *each; each++)
      add_columns(&table, *each);
  text_table_print(&table, stdout, 0);
  text_table_clear(&table);
  printf("\nEach statistic under total is also reported for each kernel.\n");
  return OK;
}

static Status list_traces(const Arguments *arguments, Error *err) {
  if (arguments->operand_count < 2)
    return error_set(err, ERR_USAGE, "missing argument: heddle list traces FILE...");
  for (int i = 1; i < arguments->operand_count; i++) {
    if (arguments->operand_count > 2) printf("%s%s\n", i > 1 ? "\n" : "", arguments->operands[i]);
    TRY(trace_summary_print(arguments->operands[i], stdout, err));
  }
  return OK;
}

static const struct {
  const char *name;
  Status (*list)(const Arguments *arguments, Error *err);
} topics[] = {
    {"gpus", list_gpus},       {"workloads", list_workloads}, {"policies", list_policies},
    {"schemes", list_schemes}, {"studies", list_studies},     {"observers", list_observers},
    {"params", list_params},   {"stats", list_stats},         {"traces", list_traces}};

static Status run_list(const Arguments *arguments, Error *err) {
  const char *name = arguments->operands[0];
  Closest closest = closest_start(name);
  for (size_t i = 0; i < sizeof topics / sizeof *topics; i++) {
    if (strcmp(topics[i].name, name) == 0) {
      if (arguments->operand_count > 1 && topics[i].list != list_traces)
        return error_set(err, ERR_USAGE, "unexpected argument '%.80s'", arguments->operands[1]);
      return topics[i].list(arguments, err);
    }
    closest_offer(&closest, topics[i].name);
  }
  return error_set(err, ERR_USAGE,
                   "unknown list '%.80s'%s%s%s (gpus, workloads, policies, schemes, studies, "
                   "observers, params, stats, traces)",
                   name, CLOSEST_HINT(closest));
}

static const CliOption list_options[] = {
    {"--gpu", "NAME", "GPU of the values in `list params`: a shipped GPU or a .cfg file"},
    {"--plugin", "FILE.so", "also list the policy of this plugin"},
    {0}};

const Verb list_verb = {
    .name = "list",
    .summary = "lists GPUs, workloads, policies, schemes, studies, parameters, statistics, traces",
    .operands = "gpus|workloads|policies|schemes|studies|observers|params|stats|traces FILE...",
    .options = list_options,
    .min_operands = 1,
    .max_operands = 1 << 16,
    .run = run_list};
