// SPDX-License-Identifier: MIT
// From SASS to instructions of this machine: unit and latency by the table, registers with the
// widths that the opcode implies (a trace names only the first register of each operand).
#include "frontends/accelsim/sass_program.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text/readable_name.h"

// ---- the table of opcodes

typedef enum RegisterRule {
  RULE_ONE,
  RULE_DOUBLE,
  RULE_WIDE,
  RULE_CONVERT,
  RULE_LOAD,
  RULE_STORE,
  RULE_MATRIX,
  RULE_PAIR
} RegisterRule;

typedef struct SassOpcode {
  const char *mnemonic;
  uint8_t op, type, space, rule;
} SassOpcode;

static const SassOpcode opcodes[] = {
#define SASS(mnemonic, op, type, space, rule) \
  {mnemonic, OP_##op, TYPE_##type, SPACE_##space, RULE_##rule},
#include "frontends/accelsim/sass_opcodes.def"
#undef SASS
};

static const SassOpcode *find_opcode(const char *opcode) {
  size_t length = strcspn(opcode, ".");
  for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
    if (strlen(opcodes[i].mnemonic) == length && !memcmp(opcodes[i].mnemonic, opcode, length))
      return &opcodes[i];
  return NULL;
}

bool sass_opcode_is_known(const char *opcode) {
  return find_opcode(opcode) != NULL;
}

// Whether one of the words between the dots is `word`.
static bool has_word(const char *opcode, const char *word) {
  size_t length = strlen(word);
  for (const char *dot = strchr(opcode, '.'); dot; dot = strchr(dot + 1, '.'))
    if (!strncmp(dot + 1, word, length) && (dot[length + 1] == '.' || !dot[length + 1]))
      return true;
  return false;
}

// ---- forms

typedef struct Fragment {
  const char *word;
  uint8_t shape;    // MatrixShape
  uint8_t a, b, c;  // registers of the operands where the result has 32 bits
} Fragment;

// Shapes as SASS writes them; fragments as the PTX manual lays them out.
static const Fragment fragments[] = {
    {"884", SHAPE_M8N8K4, 2, 2, 4},       {"1684", SHAPE_M16N8K4, 2, 1, 4},
    {"1688", SHAPE_M16N8K8, 2, 1, 4},     {"16816", SHAPE_M16N8K16, 4, 2, 4},
    {"16832", SHAPE_M16N8K32, 4, 2, 4},   {"16864", SHAPE_M16N8K64, 4, 2, 4},
    {"168128", SHAPE_M16N8K128, 2, 1, 4}, {"168256", SHAPE_M16N8K256, 4, 2, 4},
    {"8816", SHAPE_M8N8K16, 1, 1, 2},     {"8832", SHAPE_M8N8K32, 1, 1, 2},
    {"88128", SHAPE_M8N8K128, 1, 1, 2},
};

// Simplified: products of a warp group (HGMMA and its kind) count as one m16n8k16 per warp.
static const Fragment *fragment_of(const char *opcode) {
  for (size_t i = 0; i < sizeof fragments / sizeof *fragments; i++)
    if (has_word(opcode, fragments[i].word)) return &fragments[i];
  return &fragments[3];
}

// The words of the element types of matrix instructions.
static uint8_t matrix_type(const char *opcode, uint8_t op_type) {
  static const struct {
    const char *word;
    uint8_t type;
  } types[] = {{"BF16", TYPE_BF16}, {"TF32", TYPE_TF32}, {"E4M3", TYPE_E4M3}, {"E5M2", TYPE_E5M2},
               {"S8", TYPE_S8},     {"U8", TYPE_U8},     {"S4", TYPE_S4},     {"U4", TYPE_U4}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (has_word(opcode, types[i].word)) return types[i].type;
  if (op_type == TYPE_F64) return TYPE_F64;
  return op_type == TYPE_S32 ? TYPE_B1 : TYPE_F16;
}

static uint8_t memory_type(uint8_t bytes) {
  switch (bytes) {
    case 1: return TYPE_B8;
    case 2: return TYPE_B16;
    case 8: return TYPE_B64;
    case 16: return TYPE_B128;
    default: return TYPE_B32;
  }
}

static uint8_t special_function(const char *opcode) {
  if (has_word(opcode, "SIN") || has_word(opcode, "COS")) return OP_SIN;
  if (has_word(opcode, "EX2") || has_word(opcode, "LG2") || has_word(opcode, "TANH")) return OP_EX2;
  return has_word(opcode, "RCP") ? OP_RCP : OP_RSQRT;
}

// How many matrices LDSM and STSM move.
static uint8_t matrix_count(const char *opcode) {
  return has_word(opcode, "4") ? 4 : has_word(opcode, "2") ? 2 : 1;
}

// Accesses that name no cache skip the L1 where the opcode says so: STRONG.GPU and wider scopes.
static bool is_strong(const char *opcode) {
  return has_word(opcode, "STRONG") &&
         (has_word(opcode, "GPU") || has_word(opcode, "SYS") || has_word(opcode, "VC"));
}

static void describe_memory(Instruction *in, const SassInstruction *sass) {
  bool is_matrix = in->form.op == OP_LDMATRIX || in->form.op == OP_STMATRIX;
  in->dst_bytes = is_matrix ? 16 : sass_opcode_bytes(sass->opcode);
  if (is_matrix)
    in->form.vector = matrix_count(sass->opcode);
  else
    in->form.type = memory_type(in->dst_bytes);
  in->form.volatile_ = is_strong(sass->opcode);
  in->form.operation = OPERATION_ADD;
  if (in->form.op == OP_CP) in->form.mode = MODE_ASYNC;
}

static Form form_of(const SassOpcode *row, const SassInstruction *sass) {
  Form form = {.op = row->op, .type = row->type, .space = row->space, .vector = 1};
  const char *opcode = sass->opcode;
  if (row->op == OP_MMA) {
    form.shape = fragment_of(opcode)->shape;
    form.type2 = matrix_type(opcode, row->type);
  }
  if (row->rule == RULE_CONVERT) {
    form.type2 = row->type == TYPE_F32 && strncmp(opcode, "F2F", 3) && strncmp(opcode, "FRND", 4)
                     ? TYPE_S32
                     : TYPE_F32;
    if (has_word(opcode, "F64")) form.type = TYPE_F64;
  }
  if (!strncmp(opcode, "MUFU", 4)) form.op = special_function(opcode);
  if (row->op == OP_BAR) form.mode = has_word(opcode, "ARV") ? MODE_ARRIVE : MODE_SYNC;
  return form;
}

// ---- registers

static void use_source(RegisterUse *use, uint32_t number) {
  if (number >= SASS_REGISTERS || use->source_count == MAX_REGISTER_SOURCES) return;
  use->source_numbers[use->source_count] = (uint8_t)number;
  use->sources[use->source_count++] = (uint16_t)number;
}

static void use_destination(RegisterUse *use, uint32_t number) {
  if (number >= SASS_REGISTERS || use->destination_count == MAX_REGISTER_DESTINATIONS) return;
  use->destination_numbers[use->destination_count] = (uint8_t)number;
  use->destinations[use->destination_count++] = (uint16_t)number;
}

// Predicates have no width, and nothing is behind the last register of a kind.
static uint32_t last_of(uint32_t number, uint32_t width) {
  uint32_t end = number + width;
  if (number >= SASS_PREDICATE) return number + 1;
  if (number < SASS_UNIFORM) return end > SASS_UNIFORM - 1 ? SASS_UNIFORM - 1 : end;
  return end > SASS_PREDICATE ? SASS_PREDICATE : end;
}

typedef struct Widths {
  uint8_t destination, sources[MAX_SASS_SOURCES];  // in registers
} Widths;

static uint8_t registers_for(uint8_t bytes) {
  return bytes > 4 ? (uint8_t)(bytes / 4) : 1;
}

static void matrix_widths(const SassInstruction *sass, Widths *widths) {
  const Fragment *fragment = fragment_of(sass->opcode);
  bool is_narrow = !strncmp(sass->opcode, "HMMA", 4) && has_word(sass->opcode, "F16") &&
                   !has_word(sass->opcode, "F32");
  uint8_t result = is_narrow ? fragment->c / 2 : fragment->c;
  *widths = (Widths){.destination = result, .sources = {fragment->a, fragment->b, result, 1, 1}};
}

static void memory_widths(const SassInstruction *sass, const SassOpcode *row, Widths *widths) {
  bool is_matrix = row->op == OP_LDMATRIX || row->op == OP_STMATRIX;
  uint8_t data =
      is_matrix ? matrix_count(sass->opcode) : registers_for(sass_opcode_bytes(sass->opcode));
  bool is_far = row->space == SPACE_GLOBAL || row->space == SPACE_GENERIC;
  if (row->rule == RULE_LOAD) widths->destination = data;
  if (is_far && has_word(sass->opcode, "E")) widths->sources[0] = 2;
  if (row->rule == RULE_STORE && sass->source_count > 1 && row->op != OP_CP)
    widths->sources[sass->source_count - 1] = data;
}

static Widths widths_of(const SassInstruction *sass, const SassOpcode *row) {
  Widths widths = {.destination = 1};
  memset(widths.sources, row->rule == RULE_DOUBLE ? 2 : 1, sizeof widths.sources);
  bool is_wide = row->rule == RULE_WIDE && has_word(sass->opcode, "WIDE");
  bool has_f64 = has_word(sass->opcode, "F64");
  if (row->rule == RULE_DOUBLE || row->rule == RULE_PAIR || is_wide) widths.destination = 2;
  if (row->rule == RULE_PAIR && has_word(sass->opcode, "32")) widths.destination = 1;
  if (is_wide) widths.sources[2] = 2;
  if (row->rule == RULE_CONVERT && has_f64) {
    bool is_to_integer = row->type == TYPE_S32;
    widths.destination = is_to_integer ? 1 : 2;
    widths.sources[0] = is_to_integer ? 2 : 1;
  }
  if (row->rule == RULE_MATRIX) matrix_widths(sass, &widths);
  if (row->rule == RULE_LOAD || row->rule == RULE_STORE) memory_widths(sass, row, &widths);
  return widths;
}

static void describe_registers(RegisterUse *use, const SassInstruction *sass,
                               const SassOpcode *row) {
  Widths widths = widths_of(sass, row);
  use->guard = NO_REGISTER;
  for (uint32_t i = 0; i < sass->source_count; i++)
    for (uint32_t n = sass->sources[i]; n < last_of(sass->sources[i], widths.sources[i]); n++)
      use_source(use, n);
  for (uint32_t i = 0; i < sass->destination_count; i++)
    for (uint32_t n = sass->destinations[i]; n < last_of(sass->destinations[i], widths.destination);
         n++)
      use_destination(use, n);
}

// ---- the program

static int by_address(const void *a, const void *b) {
  const SassInstruction *first = *(const SassInstruction *const *)a,
                        *second = *(const SassInstruction *const *)b;
  if (first->pc != second->pc) return first->pc < second->pc ? -1 : 1;
  return first < second ? -1 : first > second;
}

static void note_unknown(SassCode *code, SassProgram *made, const SassInstruction *sass) {
  size_t length = strcspn(sass->opcode, ".");
  for (uint32_t i = 0; i < made->unknown_count; i++) {
    UnknownOpcode *unknown = &made->unknown[i];
    if (strlen(unknown->mnemonic) != length || memcmp(unknown->mnemonic, sass->opcode, length))
      continue;
    unknown->count += sass->count;
    return;
  }
  made->unknown[made->unknown_count++] =
      (UnknownOpcode){arena_strndup(&code->arena, sass->opcode, length), sass->count};
}

static void describe(Instruction *in, RegisterUse *use, const SassInstruction *sass,
                     const SassOpcode *row) {
  for (int i = 0; i < MAX_DESTINATIONS; i++) in->dst[i] = NO_PLACE;
  for (int i = 0; i < MAX_SOURCES; i++) in->src[i] = NO_PLACE;
  in->guard = NO_PLACE;
  in->form = form_of(row, sass);
  in->reconverge = NO_RECONVERGENCE;
  in->is_meeting = !strncmp(sass->opcode, "BSSY", 4) || !strncmp(sass->opcode, "BSYNC", 5);
  in->line = sass->source_line;
  bool is_memory = opcode_info[in->form.op].latency_class == CLASS_MEMORY;
  if (is_memory) describe_memory(in, sass);
  describe_registers(use, sass, row);
}

static Program *program_of(const TraceHeader *header, uint32_t count) {
  Program *program = memory_alloc(sizeof *program);
  Arena *arena = &program->arena;
  program->code = ARENA_ARRAY(arena, Instruction, count);
  program->register_uses = ARENA_ARRAY(arena, RegisterUse, count);
  program->code_count = count;
  program->register_id_count = SASS_REGISTERS;
  program->functions = ARENA_NEW(arena, Function);
  program->function_count = 1;
  program->sources = ARENA_NEW(arena, SourceLine);
  program->source_count = 1;
  program->pool = ARENA_ARRAY(arena, uint8_t, 1);
  Function *kernel = program->functions;
  *kernel = (Function){.name = arena_strdup(arena, header->name),
                       .is_kernel = true,
                       .code_count = count,
                       .static_shared_bytes = (uint32_t)header->shared_bytes,
                       .registers = header->registers ? header->registers : 1};
  kernel->path = program->path = "trace";
  kernel->title = readable_name(arena, kernel->name);
  return program;
}

void sass_program_make(SassProgram *made, SassCode *code, const TraceHeader *header) {
  static const SassOpcode nothing = {"", OP_MOV, TYPE_B32, SPACE_GENERIC, RULE_ONE};
  uint32_t count = code->count ? code->count : 1;
  const SassInstruction **order = memory_alloc(sizeof *order * count);
  *made = (SassProgram){.program = program_of(header, count),
                        .places = ARENA_ARRAY(&code->arena, uint32_t, count),
                        .unknown = ARENA_ARRAY(&code->arena, UnknownOpcode, count)};
  for (uint32_t i = 0; i < code->count; i++) order[i] = &code->items[i];
  qsort(order, code->count, sizeof *order, by_address);
  for (uint32_t i = 0; i < code->count; i++) {
    const SassInstruction *sass = order[i];
    const SassOpcode *row = find_opcode(sass->opcode);
    if (!row) note_unknown(code, made, sass);
    made->places[sass - code->items] = i;
    Instruction *in = &made->program->code[i];
    in->text = arena_strdup(&made->program->arena, sass->opcode);
    describe(in, &made->program->register_uses[i], sass, row ? row : &nothing);
  }
  // A kernel without a single instruction exits.
  if (!code->count) {
    SassInstruction exit = {.opcode = "EXIT"};
    made->program->code[0].text = "EXIT";
    describe(&made->program->code[0], &made->program->register_uses[0], &exit, find_opcode("EXIT"));
  }
  memory_free(order);
}
