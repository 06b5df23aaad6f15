// SPDX-License-Identifier: MIT
// Lowers the instructions of a function that need no file of their own, and source lines.
#include "frontends/ptx/lower/lower.h"

#include <string.h>

#include "base/memory.h"
#include "frontends/ptx/lower/regions.h"
#include "frontends/ptx/optimise/optimise.h"

// Three-input min and max exist for f32 only.
static Status lower_arithmetic(Lowering *lowering, Instruction *out, Error *err) {
  bool is_extreme = out->form.op == OP_MIN || out->form.op == OP_MAX;
  if (is_extreme && out->form.type != TYPE_F32) TRY(lower_want_operands(lowering, 3, 3, err));
  return lower_table(lowering, out, err);
}

static Status lower_system(Lowering *lowering, Instruction *out, Error *err) {
  if (out->form.op == OP_CREATEPOLICY) return lower_policy(lowering, out, err);
  TRY(lower_table(lowering, out, err));
  bool is_count = out->offset >= 24 && out->offset <= 256 && out->offset % 8 == 0;
  if (out->form.op == OP_SETMAXNREG && !is_count)
    return lower_error(lowering, lowering->in->operands[0].position, err, ERR_SYNTAX,
                       "expected a multiple of 8 from 24 to 256");
  return OK;
}

static Status lower_family(Lowering *lowering, Instruction *out, Error *err) {
  switch (opcode_info[out->form.op].family) {
    case FAMILY_ARITHMETIC: return lower_arithmetic(lowering, out, err);
    case FAMILY_SYSTEM: return lower_system(lowering, out, err);
    case FAMILY_VIDEO: return lower_video(lowering, out, err);
    case FAMILY_COMPARE: return lower_compare(lowering, out, err);
    case FAMILY_CONVERT: return lower_convert(lowering, out, err);
    case FAMILY_MOVE: return lower_move(lowering, out, err);
    case FAMILY_MEMORY: return lower_memory(lowering, out, err);
    case FAMILY_ATOMIC: return lower_atomic(lowering, out, err);
    case FAMILY_TEXTURE: return lower_texture(lowering, out, err);
    case FAMILY_CONTROL: return lower_control(lowering, out, err);
    case FAMILY_BARRIER: return lower_barrier(lowering, out, err);
    case FAMILY_LANE: return lower_lane(lowering, out, err);
    case FAMILY_MATRIX: return lower_matrix(lowering, out, err);
  }
  return ERR_INTERNAL;
}

static DataType widened(DataType type) {
  switch (type) {
    case TYPE_U16: return TYPE_U32;
    case TYPE_S16: return TYPE_S32;
    case TYPE_U32: return TYPE_U64;
    case TYPE_S32: return TYPE_S64;
    default: return TYPE_NONE;
  }
}

// The type denoted by a letter of opcodes.def.
static DataType letter_type(const Form *form, char letter) {
  switch (letter) {
    case 't': return form->type;
    case 's': return form->type2;
    case 'm': return form->type2 ? form->type2 : form->type;
    case 'w': return form->width == WIDTH_WIDE ? widened(form->type) : form->type;
    case 'u': return TYPE_B32;
    case 'p': return TYPE_PRED;
    default: return TYPE_NONE;
  }
}

static Status lower_letter(Lowering *lowering, char letter, const PtxOperand *operand, int k,
                           Instruction *out, Error *err) {
  if (letter == 'i') {
    if (operand->kind != OPERAND_INTEGER)
      return lower_error(lowering, operand->position, err, ERR_SYNTAX, "expected a constant");
    out->offset = (int64_t)operand->bits;
    return OK;
  }
  DataType type = letter_type(&out->form, letter);
  if (type == TYPE_NONE)
    return lower_error(lowering, lowering->in->position, err, ERR_SYNTAX,
                       "missing or invalid type");
  if (type == TYPE_PRED) return lower_predicate(lowering, operand, k, out, err);
  return lower_source(lowering, operand, type, WIDTH_EXACT, out, &out->src[k], err);
}

// Minimum and maximum number of operands denoted by a string of letters.
static void count_letters(const char *letters, uint32_t *least, uint32_t *most) {
  for (; *letters; letters++) {
    if (*letters == '?') {
      (*least)--;
    } else {
      (*least)++;
      (*most)++;
    }
  }
}

Status lower_table(Lowering *lowering, Instruction *out, Error *err) {
  const OpcodeInfo *info = &opcode_info[out->form.op];
  const PtxInstruction *in = lowering->in;
  uint32_t least = 0, most = 0, next = 0;
  count_letters(info->destinations, &least, &most);
  count_letters(info->sources, &least, &most);
  TRY(lower_want_operands(lowering, least, most, err));
  int k = 0;
  for (const char *letter = info->destinations; *letter; letter++) {
    DataType type = letter_type(&out->form, *letter);
    if (type == TYPE_NONE)
      return lower_error(lowering, in->position, err, ERR_SYNTAX, "missing or invalid type");
    TRY(lower_destination(lowering, &in->operands[next++], type, WIDTH_EXACT, &out->dst[k++], err));
  }
  k = 0;
  for (const char *letter = info->sources; *letter && next < in->operand_count; letter++)
    if (*letter != '?') {
      TRY(lower_letter(lowering, *letter, &in->operands[next++], k, out, err));
      k++;
    }
  return OK;
}

// ---- lines of the CUDA source

static const char *file_name(const PtxModule *module, uint32_t number) {
  for (uint32_t i = 0; number && i < module->file_count; i++)
    if (module->files[i].number == number) return module->files[i].name;
  return NULL;
}

// Headers of the CUDA toolkit, clang and the system.
static bool is_toolchain_file(const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  return strncmp(path, "/usr/include/", 13) == 0 || strncmp(path, "/usr/lib/", 9) == 0 ||
         strncmp(path, "/usr/local/cuda", 15) == 0 || strstr(path, "/targets/x86_64-linux/") ||
         strncmp(name, "__clang_cuda", 12) == 0;
}

static uint32_t add_source(Linker *linker, const char *file, uint32_t line, uint32_t column) {
  // Adjacent instructions often share their place.
  const SourceLine *last = &linker->sources[linker->source_count - 1];  // [0] always exists
  bool is_same_file = strcmp(last->file, file) == 0;
  if (is_same_file && last->line == line && last->column == column) return linker->source_count - 1;
  const char *kept = is_same_file ? last->file : arena_strdup(&linker->program->arena, file);
  GROW(linker->sources, linker->source_count, linker->source_capacity);
  linker->sources[linker->source_count] =
      (SourceLine){.file = kept, .line = line, .column = column};
  return linker->source_count++;
}

// Code inlined from a header of the toolchain, such as __ldg, is attributed to
// the calling line: the one named by .loc, else the preceding line of the user's
// code. Line 0 is code that the compiler cannot attribute.
static uint32_t source_of(Lowering *lowering) {
  const PtxInstruction *in = lowering->in;
  const char *file = file_name(lowering->module, in->file);
  const char *caller = file_name(lowering->module, in->caller_file);
  if (!file) return 0;
  if (!is_toolchain_file(file) && in->source_line)
    lowering->last_source = add_source(lowering->linker, file, in->source_line, in->source_column);
  else if (caller && !is_toolchain_file(caller) && in->caller_line)
    lowering->last_source =
        add_source(lowering->linker, caller, in->caller_line, in->caller_column);
  else if (!lowering->last_source && in->source_line)
    return add_source(lowering->linker, file, in->source_line, in->source_column);
  return lowering->last_source;
}

static const char *keep_text(Linker *linker, const char *text) {
  // Consecutive instructions with the same opcode share its text.
  if (linker->code_count && strcmp(linker->code[linker->code_count - 1].text, text) == 0)
    return linker->code[linker->code_count - 1].text;
  return arena_strdup(&linker->program->arena, text);
}

// An instruction without operands.
static Instruction blank(Form form) {
  Instruction out = {.form = form, .guard = NO_PLACE, .reconverge = NO_RECONVERGENCE};
  for (int i = 0; i < MAX_DESTINATIONS; i++) out.dst[i] = NO_PLACE;
  for (int i = 0; i < MAX_SOURCES; i++) out.src[i] = NO_PLACE;
  for (int i = 0; i < MAX_SPECIALS; i++) out.special_place[i] = NO_PLACE;
  return out;
}

static Status lower_instruction(Lowering *lowering, Instruction *out, Error *err) {
  const PtxInstruction *in = lowering->in;
  *out = blank(in->form);
  out->line = in->position.line;
  out->text = keep_text(lowering->linker, in->text);
  out->source = source_of(lowering);
  if (in->has_guard) {
    if (lowering->syntax->registers[in->guard].type != TYPE_PRED)
      return lower_error(lowering, in->position, err, ERR_SYNTAX, "the guard must be a predicate");
    out->guard = (Place)in->guard;
    out->guard_negated = in->guard_negated;
  }
  TRY(lower_family(lowering, out, err));
  if (!out->exec) out->exec = exec_find(&out->form);
  if (!out->exec)
    return lower_error(lowering, in->position, err, ERR_UNSUPPORTED,
                       "invalid or unsupported form of the instruction");
  return OK;
}

// Control may reach the end of a function; ptxas returns there.
static void append_return(Lowering *lowering) {
  Instruction *out = &lowering->code[lowering->code_count++];
  *out = blank((Form){.op = OP_RET});
  out->exec = exec_find(&out->form);
  out->text = "ret";
  out->line = lowering->syntax->position.line;
}

// A label at the end needs a target instruction, as does a guarded branch that falls through.
static bool needs_return(const PtxFunction *syntax) {
  uint32_t count = syntax->instruction_count;
  for (uint32_t i = 0; i < syntax->label_count; i++)
    if (syntax->labels[i].instruction >= count) return true;
  if (!count) return true;
  const PtxInstruction *last = &syntax->instructions[count - 1];
  Opcode op = last->form.op;
  bool ends = op == OP_RET || op == OP_EXIT || op == OP_TRAP || op == OP_BRA || op == OP_BRX;
  return !ends || last->has_guard;
}

// Targets are relative to the function until it is complete: the optimising pass may change its
// length.
static void relocate(Lowering *lowering, uint32_t base) {
  for (uint32_t i = 0; i < lowering->code_count; i++) {
    Instruction *in = &lowering->code[i];
    if (in->form.op == OP_BRA) in->target += base;
    if (in->reconverge != NO_RECONVERGENCE) in->reconverge += base;
    if (in->outer) in->outer += base;
    if (in->form.op == OP_BRX)
      for (int64_t k = 0; k < in->offset; k++) ((uint32_t *)in->targets)[k] += base;
  }
}

// Order matters: PTX registers come first, so that the index of each is its place; hidden ones
// follow. The optimising pass changes the code, so it precedes the flow graph.
static Status lower_body(Lowering *lowering, Error *err) {
  const PtxFunction *syntax = lowering->syntax;
  for (uint32_t i = 0; i < syntax->register_count; i++)
    lower_hidden(lowering, syntax->registers[i].type);
  for (uint32_t i = 0; i < syntax->instruction_count; i++) {
    lowering->in = &syntax->instructions[i];
    TRY(lower_instruction(lowering, &lowering->code[lowering->code_count], err));
    lowering->code_count++;
    lowering->linker->code_count++;
  }
  if (needs_return(syntax)) {
    append_return(lowering);
    lowering->linker->code_count++;
  }
  addresses_trace(lowering);
  const CompilerConfig *compiler = lowering->linker->compiler;
  if (compiler && compiler->optimise) optimise_function(lowering, compiler);
  Flow flow;
  flow_build(&flow, lowering->code, lowering->code_count);
  flow_reconverge(&flow, lowering->code);
  if (compiler && compiler->optimise && compiler_rules(compiler)->breaks_regions)
    regions_find(&flow, lowering->code);
  Status status = registers_allocate(lowering, &flow, err);
  flow_clear(&flow);
  return status;
}

static void reserve_code(Linker *linker, uint32_t count) {
  while (linker->code_capacity < count) {
    linker->code_capacity = linker->code_capacity ? linker->code_capacity * 2 : 256;
    linker->code = memory_resize(linker->code, linker->code_capacity * sizeof *linker->code);
    linker->register_uses =
        memory_resize(linker->register_uses, linker->code_capacity * sizeof *linker->register_uses);
  }
}

// The array may move: pointers into it are recomputed.
void lower_reserve(Lowering *lowering, uint32_t count) {
  Linker *linker = lowering->linker;
  uint32_t base = (uint32_t)(lowering->code - linker->code);
  reserve_code(linker, base + count);
  lowering->code = linker->code + base;
  lowering->register_uses = linker->register_uses + base;
}

Status lower_function(Linker *linker, uint32_t index, Error *err) {
  LinkedFunction *function = &linker->functions[index];
  uint32_t base = linker->code_count;
  reserve_code(linker, base + function->syntax->instruction_count + 1);
  Lowering lowering = {
      .linker = linker,
      .function = function,
      .linked = &linker->program->functions[index],
      .syntax = function->syntax,
      .module = function->module->syntax,
      .code = linker->code + base,
      .register_uses = linker->register_uses + base,
  };
  Status status = lower_body(&lowering, err);
  memory_free(lowering.register_types);
  if (status != OK) return status;
  linker->code_count = base + lowering.code_count;
  relocate(&lowering, base);
  lowering.linked->entry = base;
  lowering.linked->code_count = lowering.code_count;
  return OK;
}
