// SPDX-License-Identifier: MIT
// Reads the .target of a case file's PTX.
#include "runner/case/case_target.h"

#include "base/files/file.h"
#include "device/memory/images.h"

// The directive comes first, after comments.
enum { PREFIX_BYTES = 1 << 13 };

static uint32_t target_of(const char *path) {
  char text[PREFIX_BYTES + 1];
  size_t length;
  Error ignored;
  if (file_read_prefix(path, text, PREFIX_BYTES, &length, &ignored) != OK) return 0;
  text[length] = '\0';
  return ptx_text_architecture(text);
}

uint32_t case_target(const Case *parsed) {
  uint32_t newest = 0;
  for (uint32_t i = 0; i < parsed->command_count; i++) {
    if (parsed->commands[i].kind != CASE_PTX) continue;
    uint32_t target = target_of(parsed->commands[i].path);
    if (target > newest) newest = target;
  }
  return newest;
}
