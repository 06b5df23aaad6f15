// SPDX-License-Identifier: MIT
// Adjacent accesses of a block become one vector access of up to 16 bytes (8 from
// constant memory) if the address is known to be aligned: loads at the position of the
// first, stores at that of the last. Accesses to global memory are not merged, nor does
// ptxas merge them.
#include "base/memory.h"
#include "frontends/ptx/optimise/alias.h"
#include "frontends/ptx/optimise/alignment.h"
#include "frontends/ptx/optimise/steps.h"

// Maximum distance between members in instructions: about an unrolled loop body.
enum { WINDOW = 96, MOST_MEMBERS = 4 };

typedef struct Merge {
  Graph *graph;
  Alignments alignments;
  uint32_t end;                    // of the block
  uint64_t chunk;                  // offset of the first element
  uint32_t element_bytes, count;   // elements of the vector
  uint32_t members[MOST_MEMBERS];  // instruction of each element, or NO_INDEX
  uint32_t found, last;
} Merge;

static bool can_merge(const Instruction *in) {
  uint32_t bytes = (uint32_t)type_bytes((DataType)in->form.type);
  uint8_t lane_bytes = access_is_store(in) ? in->src_bytes : in->dst_bytes;
  bool is_near = in->form.space == SPACE_SHARED || in->form.space == SPACE_LOCAL ||
                 (in->form.space == SPACE_CONST && !access_is_store(in));
  return !instruction_is_removed(in) && access_is_plain(in) && in->form.op != OP_LDU && is_near &&
         in->form.vector <= 1 && (bytes == 4 || bytes == 8) && lane_bytes == bytes &&
         in->guard == NO_PLACE && !in->list;
}

static Place data_of(const Instruction *in) {
  return access_is_store(in) ? in->src[1] : in->dst[0];
}

// ---- instructions between two members

typedef struct Mention {
  Place place;
  bool reads, writes;
} Mention;

static void note_mention(void *state, Place *place, PlaceUse use) {
  Mention *mention = state;
  if (*place != mention->place) return;
  mention->reads |= use == PLACE_READ;
  mention->writes |= use != PLACE_READ;
}

static Mention mention_of(const Merge *merge, Instruction *in, Place place) {
  Mention mention = {.place = place};
  if (place >= 0)
    instruction_each_place(in, merge->graph->lowering->linked, note_mention, &mention);
  return mention;
}

// Whether a load may be moved up to `first`: no instruction in between uses its register.
static bool can_rise(const Merge *merge, uint32_t first, uint32_t index) {
  Instruction *code = merge->graph->lowering->code;
  Place to = code[index].dst[0];
  if (to == code[index].src[0]) return false;
  for (uint32_t i = first; i < index; i++) {
    Mention mention = mention_of(merge, &code[i], to);
    if (mention.reads || mention.writes) return false;
  }
  return true;
}

// Whether the stores collected so far may be moved down across this instruction.
static bool may_sink_past(const Merge *merge, Instruction *in) {
  const Instruction *code = merge->graph->lowering->code;
  for (uint32_t k = 0; k < merge->count; k++) {
    if (merge->members[k] == NO_INDEX) continue;
    const Instruction *member = &code[merge->members[k]];
    if (mention_of(merge, in, member->src[1]).writes) return false;
    if (access_is_plain(in) && access_conflicts(in, member, true)) return false;
  }
  return true;
}

// ---- collecting

static bool element_of(const Merge *merge, const Instruction *first, const Instruction *in,
                       uint32_t *element) {
  if (!can_merge(in) || in->form.op != first->form.op || !access_same_base(in, first)) return false;
  if (in->form.cache != first->form.cache ||
      type_bytes((DataType)in->form.type) != (int)merge->element_bytes)
    return false;
  uint64_t from = (uint64_t)in->offset - merge->chunk;
  if (in->address_bytes == 4) from = (uint32_t)from;
  *element = (uint32_t)(from / merge->element_bytes);
  return from % merge->element_bytes == 0 && from / merge->element_bytes < merge->count;
}

// Whether none of the collected accesses can be moved across this instruction.
static bool stops(const Merge *merge, const Instruction *first, Instruction *in) {
  if (access_is_fenced(in) || mention_of(merge, in, first->src[0]).writes) return true;
  if (access_is_store(first)) return !may_sink_past(merge, in);
  if (!access_is_plain(in) || !access_is_store(in)) return false;
  // The store may conflict with any element of the vector.
  Instruction whole = *first;
  whole.form.vector = (uint8_t)merge->count;
  whole.offset = (int64_t)merge->chunk;
  return access_conflicts(in, &whole, true);
}

static bool repeats(const Merge *merge, Place place) {
  const Instruction *code = merge->graph->lowering->code;
  for (uint32_t k = 0; k < merge->count; k++)
    if (merge->members[k] != NO_INDEX && data_of(&code[merge->members[k]]) == place) return true;
  return false;
}

static void collect(Merge *merge, uint32_t index) {
  Instruction *code = merge->graph->lowering->code, *first = &code[index];
  uint32_t limit = index + WINDOW < merge->end ? index + WINDOW : merge->end;
  for (uint32_t k = 0; k < merge->count; k++) merge->members[k] = NO_INDEX;
  merge->found = 0;
  for (uint32_t i = index; i < limit && merge->found < merge->count; i++) {
    uint32_t element;
    if (instruction_is_removed(&code[i])) continue;
    if (element_of(merge, first, &code[i], &element) && merge->members[element] == NO_INDEX &&
        (access_is_store(first) ||
         (!repeats(merge, code[i].dst[0]) && can_rise(merge, index, i)))) {
      merge->members[element] = i;
      merge->last = i;
      merge->found++;
    } else if (stops(merge, first, &code[i])) {
      return;
    }
    // The base register is overwritten: later accesses have another address.
    if (mention_of(merge, &code[i], first->src[0]).writes) return;
  }
}

// ---- merging

static const char *vector_text(const Merge *merge, const Instruction *in) {
  return arena_printf(&merge->graph->lowering->linker->program->arena, "%s.%s.v%u.%s",
                      opcode_info[in->form.op].name, space_name((Space)in->form.space),
                      merge->count, type_name((DataType)in->form.type));
}

static bool write_vector(Merge *merge, uint32_t index) {
  Instruction *code = merge->graph->lowering->code;
  Instruction vector = code[index];
  bool is_store = access_is_store(&vector);
  vector.form.vector = (uint8_t)merge->count;
  vector.exec = exec_find(&vector.form);
  if (!vector.exec) return false;
  vector.offset = (int64_t)merge->chunk;
  vector.text = vector_text(merge, &vector);
  for (uint32_t k = 0; k < merge->count; k++) {
    Place data = data_of(&code[merge->members[k]]);
    *(is_store ? &vector.src[1 + k] : &vector.dst[k]) = data;
  }
  for (uint32_t k = 0; k < merge->count; k++) instruction_remove(&code[merge->members[k]]);
  code[is_store ? merge->last : index] = vector;
  return true;
}

// Tries a vector of this many elements around an access.
static bool try_vector(Merge *merge, uint32_t index, uint32_t count) {
  const Instruction *in = &merge->graph->lowering->code[index];
  uint32_t element_bytes = (uint32_t)type_bytes((DataType)in->form.type);
  uint32_t bytes = element_bytes * count;
  uint32_t most = in->form.space == SPACE_CONST ? 8 : 16;
  if (bytes > most) return false;
  if (address_zeros(&merge->alignments, merge->graph->lowering, in) <
      (uint32_t)__builtin_ctz(bytes))
    return false;
  merge->element_bytes = element_bytes;
  merge->count = count;
  merge->chunk = (uint64_t)in->offset & ~(uint64_t)(bytes - 1);
  collect(merge, index);
  return merge->found == count && write_vector(merge, index);
}

void accesses_merge(Graph *graph) {
  Merge merge = {.graph = graph};
  alignments_find(&merge.alignments, graph->lowering);
  for (uint32_t b = 0; b < graph->flow.block_count; b++) {
    merge.end = graph->flow.blocks[b].end;
    for (uint32_t i = graph->flow.blocks[b].first; i < merge.end; i++)
      if (can_merge(&graph->lowering->code[i]) && !try_vector(&merge, i, 4))
        try_vector(&merge, i, 2);
  }
  alignments_clear(&merge.alignments);
  graph_count(graph);
}
