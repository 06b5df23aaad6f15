// SPDX-License-Identifier: MIT
// Keys of a trace's header. Published traces hold garbage in some of them (registers of 21955 from
// kernels that a CUDA graph launched), so limits of hardware are applied and reported.
#include "frontends/accelsim/trace_header.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_REGISTERS = 255, MOST_SHARED_BYTES = 228 << 10, MOST_CTA_THREADS = 1024 };

typedef enum ValueKind { VALUE_U32, VALUE_U64, VALUE_TRIPLE, VALUE_NAME, VALUE_FLAG } ValueKind;

typedef struct HeaderKey {
  const char *name;
  ValueKind kind;
  int base;
  size_t offset;
} HeaderKey;

static const HeaderKey keys[] = {
    {"kernel name", VALUE_NAME, 0, offsetof(TraceHeader, name)},
    {"kernel id", VALUE_U64, 10, offsetof(TraceHeader, id)},
    {"grid dim", VALUE_TRIPLE, 10, offsetof(TraceHeader, grid)},
    {"block dim", VALUE_TRIPLE, 10, offsetof(TraceHeader, block)},
    {"shmem", VALUE_U64, 10, offsetof(TraceHeader, shared_bytes)},
    {"nregs", VALUE_U32, 10, offsetof(TraceHeader, registers)},
    {"binary version", VALUE_U32, 10, offsetof(TraceHeader, binary_version)},
    {"cuda stream id", VALUE_U64, 10, offsetof(TraceHeader, stream)},
    {"shmem base_addr", VALUE_U64, 16, offsetof(TraceHeader, shared_base)},
    {"local mem base_addr", VALUE_U64, 16, offsetof(TraceHeader, local_base)},
    {"accelsim tracer version", VALUE_U32, 10, offsetof(TraceHeader, version)},
    {"enable lineinfo", VALUE_FLAG, 10, offsetof(TraceHeader, has_lines)},
};

static bool read_triple(const char *value, uint32_t to[3]) {
  char end;
  return sscanf(value, "(%u,%u,%u%c", &to[0], &to[1], &to[2], &end) == 4 && end == ')';
}

static bool read_value(TraceHeader *header, const HeaderKey *key, const char *value, Arena *arena) {
  void *to = (char *)header + key->offset;
  char *end = NULL;
  uint64_t number = 0;
  if (key->kind == VALUE_NAME) {
    *(const char **)to = arena_strdup(arena, value);
    return *value;
  }
  if (key->kind == VALUE_TRIPLE) return read_triple(value, to);
  number = strtoull(value, &end, key->base);
  if (end == value || *end) return false;
  if (key->kind == VALUE_U64) *(uint64_t *)to = number;
  if (key->kind == VALUE_U32) *(uint32_t *)to = number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
  if (key->kind == VALUE_FLAG) *(bool *)to = number;
  return true;
}

Status trace_header_line(TraceHeader *header, const LineSource *lines, const char *line,
                         Arena *arena, Error *err) {
  const char *equals = strstr(line, " =");
  if (*line != '-' || !equals)
    return line_source_error(lines, err, "expected a header line such as -kernel name = f: %.80s",
                             line);
  size_t length = (size_t)(equals - line - 1);
  const char *value = equals + 2;
  value += *value == ' ';
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    if (strlen(keys[i].name) != length || memcmp(line + 1, keys[i].name, length)) continue;
    if (read_value(header, &keys[i], value, arena)) return OK;
    return line_source_error(lines, err, "%s: invalid value '%.80s'", keys[i].name, value);
  }
  return OK;
}

static uint64_t product(const uint32_t of[3]) {
  return (uint64_t)of[0] * of[1] * of[2];
}

Status trace_header_check(TraceHeader *header, const LineSource *lines, Error *err) {
  if (!header->name) return line_source_error(lines, err, "the header has no kernel name");
  if (!product(header->grid)) return line_source_error(lines, err, "the header has no grid dim");
  if (header->grid[0] > INT32_MAX || header->grid[1] > UINT16_MAX || header->grid[2] > UINT16_MAX)
    return line_source_error(lines, err, "grid dim is larger than CUDA allows");
  if (header->block[0] > MOST_CTA_THREADS || header->block[1] > MOST_CTA_THREADS ||
      header->block[2] > MOST_CTA_THREADS || !product(header->block) ||
      product(header->block) > MOST_CTA_THREADS)
    return line_source_error(lines, err, "block dim is missing, or has more than 1024 threads");
  header->was_clamped =
      header->registers > MOST_REGISTERS || header->shared_bytes > MOST_SHARED_BYTES;
  if (header->registers > MOST_REGISTERS) header->registers = MOST_REGISTERS;
  if (header->shared_bytes > MOST_SHARED_BYTES) header->shared_bytes = MOST_SHARED_BYTES;
  return OK;
}
