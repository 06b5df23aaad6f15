// SPDX-License-Identifier: MIT
// The code of a kernel is an ELF section of its name; an instruction of sm_75
// has 16 bytes, its opcode the lowest twelve bits. The last EXIT is followed by
// subroutines for rare cases of divisions and roots, a branch to itself and NOPs.
#include "support/assembler.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/memory.h"

enum { INSTRUCTION_BYTES = 16, OPCODE_MASK = 0xfff, EXIT = 0x94d };
enum { LARGEST_FILE = 1 << 28 };

const char *assembler_find(void) {
  static const char *const names[] = {"ptxas", "/usr/local/cuda/bin/ptxas"};
  for (size_t i = 0; i < 2; i++) {
    char command[128];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", names[i]);
    if (system(command) == 0) return names[i];
  }
  return NULL;
}

// Old files are for GPUs that the assembler has forgotten.
static Status write_for(uint32_t architecture, const char *from, const char *to, Error *err) {
  char *text;
  size_t length;
  TRY(file_read(from, LARGEST_FILE, &text, &length, err));
  FILE *file = fopen(to, "w");
  if (!file) {
    memory_free(text);
    return error_set(err, ERR_IO, "%s: cannot be written", to);
  }
  for (char *line = text, *next; *line; line = next) {
    next = line + strcspn(line, "\n");
    if (*next) *next++ = 0;
    if (strncmp(line, ".version", 8) == 0) line = ".version 8.0";
    if (strncmp(line, ".target", 7) == 0)
      fprintf(file, ".target sm_%u\n", architecture);
    else
      fprintf(file, "%s\n", line);
  }
  fclose(file);
  memory_free(text);
  return OK;
}

static AssembledKernel *kernel_named(Assembled *assembled, const char *name) {
  for (uint32_t i = 0; i < assembled->count; i++)
    if (strcmp(assembled->kernels[i].name, name) == 0) return &assembled->kernels[i];
  GROW(assembled->kernels, assembled->count, assembled->capacity);
  AssembledKernel *kernel = &assembled->kernels[assembled->count++];
  memset(kernel, 0, sizeof *kernel);
  snprintf(kernel->name, sizeof kernel->name, "%s", name);
  return kernel;
}

static void read_registers(Assembled *assembled, FILE *output) {
  char line[1024], name[256] = "";
  while (fgets(line, sizeof line, output)) {
    unsigned registers;
    const char *used = strstr(line, "Used ");
    if (sscanf(line, "ptxas info : Compiling entry function '%255[^']", name) == 1) continue;
    if (used && name[0] && sscanf(used, "Used %u registers", &registers) == 1)
      kernel_named(assembled, name)->registers = registers;
  }
}

static uint32_t opcode_at(const char *code, uint64_t index) {
  uint32_t word;
  memcpy(&word, code + index * INSTRUCTION_BYTES, sizeof word);
  return word & OPCODE_MASK;
}

static void count_opcodes(AssembledKernel *kernel, const char *code, uint64_t bytes) {
  uint64_t count = bytes / INSTRUCTION_BYTES;
  while (count && opcode_at(code, count - 1) != EXIT) count--;
  kernel->instructions = (uint32_t)count;
  for (uint64_t i = 0; i < count; i++) kernel->opcodes[opcode_at(code, i) & 511]++;
}

static Status read_code(Assembled *assembled, const char *path, Error *err) {
  char *elf;
  size_t length;
  TRY(file_read(path, LARGEST_FILE, &elf, &length, err));
  const Elf64_Ehdr *head = (const void *)elf;
  const Elf64_Shdr *sections = (const void *)(elf + head->e_shoff);
  const char *names = elf + sections[head->e_shstrndx].sh_offset;
  for (int i = 0; i < head->e_shnum; i++) {
    const char *name = names + sections[i].sh_name;
    if (strncmp(name, ".text.", 6) == 0)
      count_opcodes(kernel_named(assembled, name + 6), elf + sections[i].sh_offset,
                    sections[i].sh_size);
  }
  memory_free(elf);
  return OK;
}

Status assembler_run(Assembled *assembled, const char *path, uint32_t architecture, Error *err) {
  char ptx[] = "/tmp/assembler_XXXXXX", cubin[64], command[512];
  *assembled = (Assembled){0};
  int file = mkstemp(ptx);
  if (file < 0) return error_set(err, ERR_IO, "%s: cannot be made", ptx);
  close(file);
  snprintf(cubin, sizeof cubin, "%s.cubin", ptx);
  snprintf(command, sizeof command, "%s -arch=sm_%u -v %s -o %s 2>&1", assembler_find(),
           architecture, ptx, cubin);
  Status status = write_for(architecture, path, ptx, err);
  FILE *output = status == OK ? popen(command, "r") : NULL;
  if (output) {
    read_registers(assembled, output);
    if (pclose(output) != 0) status = error_set(err, ERR_UNSUPPORTED, "%s: ptxas refuses it", path);
  }
  if (status == OK) status = read_code(assembled, cubin, err);
  remove(ptx);
  remove(cubin);
  return status;
}

void assembled_clear(Assembled *assembled) {
  memory_free(assembled->kernels);
}
