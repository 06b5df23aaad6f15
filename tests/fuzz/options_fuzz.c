// SPDX-License-Identifier: MIT
// Random files of HEDDLE_OPTIONS: a configuration or a clear error.
#include <stdlib.h>
#include <string.h>

#include "device/kernel_choice.h"
#include "device/observer_list.h"
#include "device/options.h"
#include "fuzz_file.h"
#include "policies/plugin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static DeviceOptions options;
  static GpuConfig config;
  PolicySet plugins = {0};
  Error err;
  setenv("HEDDLE_OPTIONS", fuzz_file(data, size), 1);
  device_options_read(&options, NULL);
  err.text[0] = '\0';
  if (device_options_config(&options, &plugins, &config, &err) != OK && !err.text[0]) abort();
  policy_set_clear(&plugins);
  KernelChoice choice = {0};
  err.text[0] = '\0';
  if (kernel_choice_parse(&choice, options.kernels, &err) != OK && !err.text[0]) abort();
  kernel_choice_clear(&choice);
  err.text[0] = '\0';
  if (observer_list_check(options.observe, NULL, false, &err) != OK && !err.text[0]) abort();
  return 0;
}
