// SPDX-License-Identifier: MIT
// A hash table from instructions to their numbers.
#include "frontends/accelsim/sass_code.h"

#include <string.h>

#include "base/memory.h"

static bool is_same(const SassInstruction *item, const SassLine *line) {
  return item->pc == line->pc && item->destination_count == line->destination_count &&
         item->source_count == line->source_count && !strcmp(item->opcode, line->opcode) &&
         !memcmp(item->destinations, line->destinations,
                 line->destination_count * sizeof *line->destinations) &&
         !memcmp(item->sources, line->sources, line->source_count * sizeof *line->sources);
}

static uint32_t hash_of(uint32_t pc, const char *opcode) {
  uint32_t hash = pc * 2654435761u;
  for (; *opcode; opcode++) hash = (hash ^ (uint8_t)*opcode) * 16777619u;
  return hash ^ hash >> 15;
}

static void rehash(SassCode *code) {
  uint32_t size = code->table_size ? code->table_size * 2 : 1024;
  memory_free(code->table);
  code->table = memory_alloc(sizeof *code->table * size);
  code->table_size = size;
  for (uint32_t i = 0; i < code->count; i++) {
    uint32_t at = hash_of(code->items[i].pc, code->items[i].opcode) & (size - 1);
    while (code->table[at]) at = (at + 1) & (size - 1);
    code->table[at] = i + 1;
  }
}

uint32_t sass_code_add(SassCode *code, const SassLine *line) {
  if (code->count * 2 >= code->table_size) rehash(code);
  uint32_t at = hash_of(line->pc, line->opcode) & (code->table_size - 1);
  for (; code->table[at]; at = (at + 1) & (code->table_size - 1)) {
    SassInstruction *item = &code->items[code->table[at] - 1];
    if (!is_same(item, line)) continue;
    item->count++;
    return code->table[at] - 1;
  }
  GROW(code->items, code->count, code->capacity);
  SassInstruction *item = &code->items[code->count];
  *item = (SassInstruction){.pc = line->pc,
                            .source_line = line->source_line,
                            .opcode = arena_strdup(&code->arena, line->opcode),
                            .destination_count = line->destination_count,
                            .source_count = line->source_count,
                            .count = 1};
  memcpy(item->destinations, line->destinations, sizeof item->destinations);
  memcpy(item->sources, line->sources, sizeof item->sources);
  code->table[at] = ++code->count;
  return code->count - 1;
}

void sass_code_clear(SassCode *code) {
  memory_free(code->items);
  memory_free(code->table);
  arena_clear(&code->arena);
  *code = (SassCode){0};
}
