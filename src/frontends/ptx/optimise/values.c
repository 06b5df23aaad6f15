// SPDX-License-Identifier: MIT
// Value numbering: propagates copies, folds constants, and eliminates common
// subexpressions.
//
// Blocks are visited in reverse post-order, so the definition of a value precedes its
// uses. Registers with several definitions (loop variables) take part within a block
// only: an operand is then a register and the last instruction of the block that wrote
// it.
//
// From Volta on, (x + c) << s is a sum of x << s, where that is computed already, and c << s: rows
// of a tile in shared memory become offsets of one address, as in the code of ptxas 13. And a load
// of what no store writes (ld.global.nc) that the block has executed already is no load: ptxas 13
// keeps one of three in HeCBench's ChannelSum.
#include <string.h>
#include <uthash.h>

#include "base/memory.h"
#include "frontends/ptx/optimise/alias.h"
#include "frontends/ptx/optimise/simplify.h"
#include "frontends/ptx/optimise/steps.h"

// Everything that determines a result. Compared bytewise, so it is zeroed first.
typedef struct Key {
  ExecFn exec;
  int64_t offset;
  Form form;
  uint8_t negated, dst_bytes, src_bytes, address_base, special;
  uint32_t version[MAX_SOURCES];
  Place src[MAX_SOURCES];
} Key;

typedef struct Computed {
  Key key;
  uint32_t index;  // of the instruction
  UT_hash_handle hh;
} Computed;

typedef struct Numbering {
  Graph *graph;
  bool follows_ptxas_13;
  Place *source;    // by register: the register it is a copy of, or itself
  Computed *table;  // by key
  Computed *entries;
  uint32_t entry_count;
  const Instruction *in;
} Numbering;

static void read_source(void *state, Place *place, PlaceUse use) {
  const Numbering *numbering = state;
  if (use != PLACE_READ) return;
  Place source = numbering->source[*place];
  // Constant guards and branch conditions are not folded.
  if (source < 0 && place == &numbering->in->guard) return;
  *place = source;
}

// ---- common subexpressions

static void fill_key(const Numbering *numbering, const Instruction *in, Key *key) {
  memset(key, 0, sizeof *key);
  key->exec = in->exec;
  key->offset = in->offset;
  key->form = in->form;
  key->negated = in->negated;
  key->dst_bytes = in->dst_bytes;
  key->src_bytes = in->src_bytes;
  key->address_base = in->address_base;
  key->special = in->special[0];
  for (int i = 0; i < MAX_SOURCES; i++) {
    key->src[i] = in->src[i];
    if (in->src[i] >= 0) key->version[i] = graph_version(numbering->graph, in->src[i]);
  }
}

static bool has_number(const Graph *graph, const Instruction *in) {
  return in->guard == NO_PLACE && in->dst[0] >= 0 && in->dst[1] == NO_PLACE && !in->list &&
         in->special_place[0] == NO_PLACE && graph_is_value(graph, in->dst[0]) &&
         instruction_is_pure(in, graph->lowering->linked);
}

// `before`: that has the key of the entry already, elsewhere.
static void note_computed(Numbering *numbering, Computed *entry, Computed *before, uint32_t index) {
  if (before) {
    before->index = index;
    return;
  }
  entry->index = index;
  HASH_ADD(hh, numbering->table, key, sizeof entry->key, entry);
  numbering->entry_count++;
}

// Replaces uses of the result with an equal value, if one is computed on every path
// to this instruction.
static void number_instruction(Numbering *numbering, uint32_t index) {
  const Graph *graph = numbering->graph;
  const Instruction *code = graph->lowering->code;
  Computed *entry = &numbering->entries[numbering->entry_count], *before;
  fill_key(numbering, &code[index], &entry->key);
  HASH_FIND(hh, numbering->table, &entry->key, sizeof entry->key, before);
  if (before && graph_dominates(graph, before->index, index))
    numbering->source[code[index].dst[0]] = code[before->index].dst[0];
  else
    note_computed(numbering, entry, before, index);
}

// (x + c) << s of values x, with a constant c and s.
static bool is_shifted_sum(const Graph *graph, const Instruction *in, uint64_t *c, uint64_t *s) {
  int bits = type_bits((DataType)in->form.type);
  if (!instruction_is_modular(in, OP_SHL, bits) || (bits != 32 && bits != 64) ||
      !graph_is_value(graph, in->src[0]) || graph->writer[in->src[0]] == NO_INDEX ||
      !constant_value(graph->lowering, in->src[1], 32, s) || *s >= (uint64_t)bits)
    return false;
  const Instruction *sum = graph_writer(graph, in->src[0]);
  return instruction_is_modular(sum, OP_ADD, bits) && graph_is_value(graph, sum->src[0]) &&
         constant_value(graph->lowering, sum->src[1], bits, c);
}

static void distribute_shift(Numbering *numbering, uint32_t index) {
  Graph *graph = numbering->graph;
  Instruction *in = &graph->lowering->code[index], shift = *in;
  uint64_t c, s;
  Computed sought, *before;
  if (!has_number(graph, in) || !is_shifted_sum(graph, in, &c, &s)) return;
  shift.src[0] = graph_writer(graph, in->src[0])->src[0];
  fill_key(numbering, &shift, &sought.key);
  HASH_FIND(hh, numbering->table, &sought.key, sizeof sought.key, before);
  if (!before || !graph_dominates(graph, before->index, index)) return;
  bool is_wide = type_bits((DataType)in->form.type) == 64;
  c = is_wide ? c << s : (uint32_t)(c << s);
  in->form = (Form){.op = OP_ADD, .type = is_wide ? TYPE_U64 : TYPE_U32, .vector = 1};
  in->exec = exec_find(&in->form);
  in->src[0] = graph->lowering->code[before->index].dst[0];
  in->src[1] = constant_place(&graph->lowering->linker->constants, c, is_wide ? 8 : 4);
  instruction_rename(graph->lowering, in, "add");
}

static bool may_be_repeated(const Numbering *numbering, const Instruction *in) {
  const Graph *graph = numbering->graph;
  return numbering->follows_ptxas_13 && access_is_read_only(in) && in->guard == NO_PLACE &&
         in->dst[0] >= 0 && in->dst[1] == NO_PLACE && !in->list &&
         graph_is_value(graph, in->dst[0]);
}

// It cannot fault where the first has not.
static void number_load(Numbering *numbering, uint32_t index) {
  const Graph *graph = numbering->graph;
  Instruction *in = &graph->lowering->code[index];
  Computed *entry = &numbering->entries[numbering->entry_count], *before;
  fill_key(numbering, in, &entry->key);
  HASH_FIND(hh, numbering->table, &entry->key, sizeof entry->key, before);
  bool is_here = before && graph->flow.block_of[before->index] == graph->flow.block_of[index];
  if (is_here) {
    numbering->source[in->dst[0]] = graph->lowering->code[before->index].dst[0];
    instruction_remove(in);
  } else {
    note_computed(numbering, entry, before, index);
  }
}

// ---- traversal

static void visit(Numbering *numbering, uint32_t index) {
  Graph *graph = numbering->graph;
  Instruction *in = &graph->lowering->code[index];
  numbering->in = in;
  instruction_each_place(in, graph->lowering->linked, read_source, numbering);
  simplify_instruction(graph, index);
  if (numbering->follows_ptxas_13) distribute_shift(numbering, index);
  bool is_value = in->dst[0] >= 0 && graph_is_value(graph, in->dst[0]);
  if (is_value && instruction_is_copy(in) && (in->src[0] < 0 || graph_is_value(graph, in->src[0])))
    numbering->source[in->dst[0]] = in->src[0];
  else if (has_number(graph, in))
    number_instruction(numbering, index);
  else if (may_be_repeated(numbering, in))
    number_load(numbering, index);
  graph_note_writes(graph, index);
}

void values_number(Graph *graph, const CompilerRules *rules) {
  const Lowering *lowering = graph->lowering;
  Numbering numbering = {.graph = graph,
                         .follows_ptxas_13 = rules->follows_ptxas_13,
                         .source = memory_alloc(sizeof(Place) * (lowering->register_count + 1u)),
                         .entries = memory_alloc(sizeof(Computed) * (lowering->code_count + 1u))};
  for (uint32_t v = 0; v < lowering->register_count; v++) numbering.source[v] = (Place)v;
  graph->knows_bits = rules->follows_ptxas_13;
  graph_begin_walk(graph);
  for (uint32_t i = 0; i < graph->order_count; i++) {
    const FlowBlock *block = &graph->flow.blocks[graph->order[i]];
    graph->walk_block = graph->order[i];
    for (uint32_t k = block->first; k < block->end; k++)
      if (!instruction_is_removed(&lowering->code[k])) visit(&numbering, k);
  }
  HASH_CLEAR(hh, numbering.table);
  memory_free(numbering.source);
  memory_free(numbering.entries);
  graph_count(graph);
}
