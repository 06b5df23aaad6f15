// SPDX-License-Identifier: MIT
// Random files of HEDDLE_OPTIONS: a configuration or a clear error.
#include <stdlib.h>
#include <string.h>

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
  return 0;
}
