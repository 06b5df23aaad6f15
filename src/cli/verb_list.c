// SPDX-License-Identifier: MIT
// heddle list TOPIC: what there is to choose from and to measure. Each listing
// walks the tables that the program itself uses.
#include <string.h>

#include "base/closest.h"
#include "base/text_table.h"
#include "cli/arguments.h"
#include "cli/verb.h"
#include "gpu/gpu_config.h"
#include "policies/registry.h"
#include "report/run_result.h"

static Status list_gpus(const Arguments *arguments, Error *err) {
  (void)arguments;
  TextTable table;
  char name[GPU_NAME_BYTES];
  GpuConfig config;
  Status status = OK;
  text_table_init(
      &table, (const char *const[]){"gpu", ">SMs", ">MHz", ">memory MB", ">warps/SM", ">CTAs/SM",
                                    ">registers/SM", ">shared KB/SM", NULL});
  for (size_t i = 0; status == OK && gpu_config_shipped(i, name); i++) {
    status = gpu_config_load(&config, name, err);
    const uint32_t numbers[] = {
        config.gpu.sm_count, config.gpu.core_clock_mhz, config.gpu.memory_mb, config.sm.max_warps,
        config.sm.max_ctas,  config.sm.registers,       config.sm.shared_kb};
    text_table_add(&table, "%s", name);
    for (size_t j = 0; j < sizeof numbers / sizeof *numbers; j++)
      text_table_add(&table, "%u", numbers[j]);
  }
  if (status == OK) text_table_print(&table, stdout, 0);
  text_table_clear(&table);
  return status;
}

static Status list_policies(const Arguments *arguments, Error *err) {
  (void)arguments, (void)err;
  for (const PolicyFamily *const *each = policy_families; *each; each++) {
    const PolicyFamily *family = *each;
    TextTable table;
    printf("%s: %s\n", family->name, family->question);
    text_table_init(&table, (const char *const[]){"", "", NULL});
    for (const PolicyType *const *type = family->types; *type; type++) {
      text_table_add(&table, "%s", (*type)->name);
      text_table_add(&table, "%s", (*type)->summary);
    }
    text_table_print(&table, stdout, 2);
    text_table_clear(&table);
  }
  return OK;
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
  printf("\nValues are those of %s; --gpu NAME shows another GPU's.\n", gpu);
  return OK;
}

static Status list_stats(const Arguments *arguments, Error *err) {
  (void)arguments, (void)err;
  TextTable table;
  text_table_init(&table, (const char *const[]){"statistic", "of", "meaning", NULL});
  for (const StatGroup *group = stat_groups; group->place; group++)
    for (const Stat *stat = group->table; stat->name; stat++) {
      text_table_add(&table, "%s.%s", group->place, stat->name);
      text_table_add(&table, "%s", group->summary);
      text_table_add(&table, "%s%s", stat->help, stat->is_ratio ? " (ratio)" : "");
    }
  text_table_print(&table, stdout, 0);
  text_table_clear(&table);
  return OK;
}

static const struct {
  const char *name;
  Status (*list)(const Arguments *arguments, Error *err);
} topics[] = {{"gpus", list_gpus},
              {"policies", list_policies},
              {"params", list_params},
              {"stats", list_stats}};

static Status run_list(const Arguments *arguments, Error *err) {
  const char *name = arguments->operands[0];
  Closest closest = closest_start(name);
  for (size_t i = 0; i < sizeof topics / sizeof *topics; i++) {
    if (strcmp(topics[i].name, name) == 0) return topics[i].list(arguments, err);
    closest_offer(&closest, topics[i].name);
  }
  return error_set(err, ERR_USAGE,
                   "nothing to list under '%.80s'%s%s%s (gpus, policies, params, stats)", name,
                   CLOSEST_HINT(closest));
}

static const CliOption list_options[] = {
    {"--gpu", "NAME", "whose values `list params` shows: a shipped GPU or a .cfg file"}, {0}};

const Verb list_verb = {.name = "list",
                        .summary = "shows what there is: GPUs, policies, parameters, statistics",
                        .operands = "gpus|policies|params|stats",
                        .options = list_options,
                        .min_operands = 1,
                        .max_operands = 1,
                        .run = run_list};
