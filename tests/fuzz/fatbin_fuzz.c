// SPDX-License-Identifier: MIT
// Random fat binaries: every entry is unpacked, and of those that suit a GPU one is chosen.
#include <stdlib.h>

#include "base/memory.h"
#include "frontends/fatbin/fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void unpack(const FatbinEntry *entry) {
  char *text;
  size_t length;
  Error err;
  err.text[0] = '\0';
  if (fatbin_unpack(entry, &text, &length, &err) == OK) {
    if (text[length]) abort();
    memory_free(text);
  } else if (!err.text[0]) {
    abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Fatbin fatbin;
  FatbinEntry entry;
  bool found = true;
  uint32_t elf;
  Error err;
  if (fatbin_open(&fatbin, data, size, &err) != OK) return 0;
  while (fatbin_next(&fatbin, &entry, &found, &err) == OK && found) unpack(&entry);
  static const uint32_t capabilities[] = {20, 75, 120};
  for (int i = 0; i < 3; i++)
    if (fatbin_choose_ptx(data, size, capabilities[i], &entry, &found, &elf, &err) == OK && found)
      unpack(&entry);
  return 0;
}
