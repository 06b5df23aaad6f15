// SPDX-License-Identifier: MIT
// Random fat binaries: every entry is unpacked, and of those that suit a GPU one is chosen. Entries
// are also read as machine code, whatever they claim to be.
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "frontends/fatbin/cubin.h"
#include "frontends/fatbin/fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void count_registers(const FatbinEntry *entry) {
  Cubin cubin;
  CubinCount count;
  char *bytes;
  size_t length;
  Error err;
  if (fatbin_unpack_bytes(entry, &bytes, &length, &err) != OK) return;
  if (cubin_open(&cubin, bytes, length))
    while (cubin_next(&cubin, &count))
      if (!count.registers || count.registers > 255 || strlen(count.function) >= length) abort();
  memory_free(bytes);
}

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
  while (fatbin_next(&fatbin, &entry, &found, &err) == OK && found) {
    unpack(&entry);
    count_registers(&entry);
  }
  static const uint32_t capabilities[] = {20, 75, 120};
  for (int i = 0; i < 3; i++)
    if (fatbin_choose_ptx(data, size, capabilities[i], &entry, &found, &elf, &err) == OK && found)
      unpack(&entry);
  return 0;
}
