// SPDX-License-Identifier: MIT
// heddle config import FILE...: converts the configuration of another simulator. The
// result goes to standard output or --output. Options without a counterpart are
// listed on standard error and, with those that have no effect on the machine, at
// the top of the file.
#include <string.h>

#include "base/files/replaced_file.h"
#include "cli/arguments.h"
#include "cli/verb.h"
#include "gpu/import/config_import.h"
#include "gpu/gpu.h"
#include "gpu/config/gpu_config.h"

static Status write_config(const ConfigImport *import, const char *path, Error *err) {
  ReplacedFile out;
  TRY(replaced_file_begin(&out, path, err));
  config_import_print(import, out.file);
  return replaced_file_end(&out, OK, err);
}

static Status import_files(const Arguments *arguments, ConfigImport *import, Error *err) {
  for (int i = 1; i < arguments->operand_count; i++)
    TRY(config_import_read(import, arguments->operands[i], err));
  TRY(config_import_apply(import, err));
  TRY(write_config(import, arguments_value(arguments, "--output", "-"), err));
  config_import_print_summary(import, stderr);
  fputs("\n", stderr);
  config_import_print_notes(import, ~(1u << IMPORT_UNUSED), "", stderr);
  return OK;
}

// The converted configuration may still be invalid.
static Status check_machine(const GpuConfig *config, Error *err) {
  Gpu *gpu;
  Status status = gpu_create(&gpu, config, NULL, err);
  if (status == OK)
    gpu_destroy(gpu);
  else
    error_prefix(err, "imported, but the configuration is invalid");
  return status;
}

static Status run_import(const Arguments *arguments, Error *err) {
  GpuConfig config;
  ParamSection sections[GPU_SECTION_COUNT + 1];
  if (arguments->operand_count < 2)
    return error_set(err, ERR_USAGE, "no file to import given, such as gpgpusim.config");
  // Parameters without an option are those of the default GPU, modelled after GPGPU-Sim's.
  TRY(gpu_config_load(&config, GPU_DEFAULT, err));
  gpu_config_sections(&config, sections);
  const char *name = arguments_value(arguments, "--name", "imported");
  TRY(param_set(sections, "gpu", "name", name, err));
  ConfigImport import;
  config_import_init(&import, sections);
  Status status = import_files(arguments, &import, err);
  config_import_clear(&import);
  return status == OK ? check_machine(&config, err) : status;
}

static Status run_config(const Arguments *arguments, Error *err) {
  const char *action = arguments->operands[0];
  if (strcmp(action, "import") == 0) return run_import(arguments, err);
  return error_set(err, ERR_USAGE, "unknown config command '%.80s' (commands: import)", action);
}

static const CliOption config_options[] = {
    {"--name", "NAME", "name of the GPU in results"},
    {"--output", "FILE", "output file (or -o FILE); default - is standard output"},
    {0}};

const Verb config_verb = {
    .name = "config",
    .summary = "converts a GPGPU-Sim option file to a configuration",
    .operands = "import FILE...",
    .details =
        "Later files override earlier ones, as with GPGPU-Sim's -config. A network file named\nin "
        "the options is searched for in the same folder.\n  heddle config import gpgpusim.config "
        "--name mine --output mine.cfg\n  heddle run FILE.case --gpu ./mine.cfg\n",
    .options = config_options,
    .min_operands = 1,
    .max_operands = 16,
    .run = run_config};
