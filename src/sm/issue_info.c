// SPDX-License-Identifier: MIT
// Everything about an instruction that does not change while it runs, worked out once per
// program and machine: unit, latency, banks, hazards. Issue then compares bit sets.
#include "sm/issue_info.h"

#include <string.h>

#include "base/memory.h"
#include "exec/matrix/matrix.h"
#include "isa/source_places.h"

typedef struct Timing {
  uint32_t latency, interval;
} Timing;

typedef enum Column { COLUMN_INT, COLUMN_FP, COLUMN_DP } Column;

static Column column_of(const Form *form) {
  if (form->type == TYPE_F64) return COLUMN_DP;
  return type_kind(form->type) == KIND_FLOAT ? COLUMN_FP : COLUMN_INT;
}

// Without tensor cores a product counts in pieces of 16 x 8 x 16 on 16 bits: one that is four times
// as large, or on types four times as wide, takes the interval four times.
static Timing matrix_timing_on_sfu(const LatencyConfig *l, const Form *form) {
  enum { PIECE_BITS = 16 * 8 * 16 * 16 };
  ShapeSize size = shape_size((MatrixShape)form->shape);
  bool is_half = form->op == OP_WMMA && !form->type3;
  uint32_t bits = is_half ? 16 : (uint32_t)type_bits((DataType)form->type2);
  uint32_t work = size.m * size.n * size.k * bits, pieces = (work + PIECE_BITS - 1) / PIECE_BITS;
  return (Timing){l->tensor + (pieces - 1) * l->tensor_interval, pieces * l->tensor_interval};
}

// A parameter of 0 means "as the general class": configurations name only what differs.
static uint32_t or_else(uint32_t cycles, uint32_t otherwise) {
  return cycles ? cycles : otherwise;
}

// The assembler makes several instructions of some: their latencies differ.
static Timing sfu_timing(const LatencyConfig *l, Opcode op) {
  uint32_t own = 0;
  switch (op) {
    case OP_SIN:
    case OP_COS: own = l->sfu_sin; break;
    case OP_EX2:
    case OP_LG2:
    case OP_TANH: own = l->sfu_ex2; break;
    case OP_RCP: own = l->sfu_rcp; break;
    default: own = l->sfu_sqrt;
  }
  return (Timing){or_else(own, l->sfu), l->sfu_interval};
}

// Those that the assembler gives a fixed latency: HADD2.F32 for sm_75, F2FP from sm_80, I2FP from
// sm_86 on, which only rounds to the nearest.
static bool is_simple_conversion(const SmConfig *sm, const Form *form) {
  DataType to = (DataType)form->type, from = (DataType)form->type2;
  bool is_nearest = form->rounding == ROUND_NEAREST;
  if (to == TYPE_F32 && type_kind(from) == KIND_FLOAT && type_bits(from) == 16)
    return sm->simple_conversions >= 1;
  if (from == TYPE_F32 && type_kind(to) == KIND_FLOAT && type_bits(to) <= 32)
    return sm->simple_conversions >= 2 && type_bits(to) >= 16;
  bool is_integer = type_kind(from) != KIND_FLOAT && type_bits(from) <= 32;
  return to == TYPE_F32 && is_integer && is_nearest && sm->simple_conversions >= 3;
}

// Rounds: integers to floating point, back, or between widths; not what only moves bits.
static bool is_conversion(const SmConfig *sm, const Form *form) {
  if (form->op != OP_CVT || is_simple_conversion(sm, form)) return false;
  bool to_float = type_kind(form->type) == KIND_FLOAT,
       from_float = type_kind(form->type2) == KIND_FLOAT;
  return (to_float || from_float) && form->type != form->type2;
}

static bool is_count(const Form *form) {
  Opcode op = form->op;
  return op == OP_POPC || op == OP_CLZ || op == OP_BFIND || op == OP_BREV;
}

// CUDA programming guide, throughput table: counts as slow as conversions.
static bool is_for_sfu(const SmConfig *sm, const Form *form) {
  return is_conversion(sm, form) || (sm->counts_on_sfu && is_count(form));
}

// CUDA programming guide, throughput table: conversions from and to 64 bits are slower.
static Timing conversion_timing(const LatencyConfig *l, const Form *form) {
  bool is_wide = form->op == OP_CVT &&
                 (type_bits((DataType)form->type) == 64 || type_bits((DataType)form->type2) == 64);
  uint32_t interval = or_else(l->convert_interval, l->simple_interval);
  return (Timing){or_else(l->convert, l->simple),
                  is_wide ? or_else(l->wide_convert_interval, interval) : interval};
}

static Timing simple_timing(const SmConfig *sm, const LatencyConfig *l, const Form *form) {
  Opcode op = form->op;
  if (l->dp_compare_interval && op == OP_SETP && form->type == TYPE_F64)
    return (Timing){l->dp_add, l->dp_compare_interval};
  if (is_for_sfu(sm, form)) return conversion_timing(l, form);
  if (op != OP_SHL && op != OP_SHR) return (Timing){l->simple, l->simple_interval};
  return (Timing){or_else(l->shift, l->simple), or_else(l->shift_interval, l->simple_interval)};
}

// Latency is issue to result, interval the cycles until the unit takes the next instruction.
// Columns follow GPGPU-Sim's opcode latencies: integer, single and double precision.
static Timing timing_of(const IssueConfig *config, const Form *form) {
  const LatencyConfig *l = config->latency;
  const Timing table[][3] = {
      [CLASS_ADD] = {{l->int_add, l->int_add_interval}, {l->fp_add, l->fp_add_interval},
                     {l->dp_add, l->dp_add_interval}},
      [CLASS_MAX] = {{l->int_max, l->int_max_interval}, {l->fp_max, l->fp_max_interval},
                     {l->dp_max, l->dp_max_interval}},
      [CLASS_MUL] = {{l->int_mul, l->int_mul_interval}, {l->fp_mul, l->fp_mul_interval},
                     {l->dp_mul, l->dp_mul_interval}},
      [CLASS_MAD] = {{l->int_mad, l->int_mad_interval}, {l->fp_mad, l->fp_mad_interval},
                     {l->dp_mad, l->dp_mad_interval}},
      [CLASS_FMA] = {{l->fp_fma, l->fp_fma_interval}, {l->fp_fma, l->fp_fma_interval},
                     {l->dp_fma, l->dp_fma_interval}},
      [CLASS_DIV] = {{l->int_div, l->int_div_interval}, {l->fp_div, l->fp_div_interval},
                     {l->dp_div, l->dp_div_interval}},
  };
  LatencyClass class = form_class(form);
  if (class <= CLASS_DIV) return table[class][column_of(form)];
  if (class == CLASS_SFU) return sfu_timing(l, form->op);
  if (class == CLASS_LANE) return (Timing){l->lane, l->lane_interval};
  if (class == CLASS_TENSOR && config->sm->tensor_units) {
    TensorTiming timing = tensor_timing(config->tensor, form);
    return (Timing){timing.latency, timing.interval};
  }
  if (class == CLASS_TENSOR) return matrix_timing_on_sfu(l, form);
  return simple_timing(config->sm, l, form);
}

// Arithmetic on integers; moves, compares and conversions stay with the SP units.
static bool is_integer_work(const Form *form) {
  TypeKind kind = type_kind(form->type);
  return opcode_info[form->op].family == FAMILY_ARITHMETIC &&
         (kind == KIND_SIGNED || kind == KIND_UNSIGNED || kind == KIND_BITS);
}

// What an SP unit has adders and multipliers for. From Volta on min and max are the INT units'
// (ptxas: FMNMX is as far from FFMA as other instructions of the ALU are).
static bool is_float_work(const SmConfig *sm, const Form *form) {
  LatencyClass class = form_class(form);
  bool is_arithmetic = class == CLASS_ADD || (class == CLASS_MAX && !sm->int_mul_on_sp) ||
                       class == CLASS_MUL || class == CLASS_MAD || class == CLASS_FMA;
  return is_arithmetic && type_kind(form->type) == KIND_FLOAT;
}

// Order matters: memory and SFU classes are fixed, then conversions, then f64 by what the SM
// has, and only then integer against floating point.
static UnitKind unit_of(const SmConfig *sm, const LatencyConfig *latency, const Form *form) {
  switch (form_class(form)) {
    case CLASS_MEMORY:
    case CLASS_TEXTURE:
    case CLASS_FENCE: return UNIT_MEM;
    case CLASS_TENSOR: return sm->tensor_units ? UNIT_TENSOR : UNIT_SFU;
    case CLASS_DIV:
    case CLASS_SFU: return UNIT_SFU;
    default: break;
  }
  if (latency->convert_interval && is_for_sfu(sm, form)) return UNIT_SFU;
  if (form->type == TYPE_F64) {
    // Without DP units (GTX 480) f64 occupies another kind, at a longer interval.
    if (sm->dp_units) return UNIT_DP;
    return latency->dp_on_sfu ? UNIT_SFU : UNIT_SP;
  }
  LatencyClass class = form_class(form);
  bool multiplies = class == CLASS_MUL || class == CLASS_MAD;
  if (sm->int_mul_on_sp && multiplies) return UNIT_SP;
  bool is_for_int = is_integer_work(form) || (sm->int_takes_simple && !is_float_work(sm, form));
  return sm->int_units && is_for_int ? UNIT_INT : UNIT_SP;
}

// The parameters of a function are registers on a real GPU: passing them
// through the .param space costs what a move does.
static bool is_register_move(const Instruction *in) {
  return (in->form.op == OP_LD || in->form.op == OP_ST) && in->form.space == SPACE_FRAME;
}

// Without units of their own, f64 and matrix instructions run on others.
static SlotReason busy_slot_of(UnitKind unit, const Form *form) {
  if (unit == UNIT_MEM) return SLOT_lsu;
  if (form_class(form) == CLASS_TENSOR) return SLOT_tensor;
  if (unit == UNIT_DP || (unit == UNIT_SFU && form->type == TYPE_F64)) return SLOT_dp;
  return unit == UNIT_SFU ? SLOT_sfu : SLOT_arithmetic;
}

static bool is_prefetch(const Form *form) {
  return form->op == OP_CP && (form->mode == MODE_BULK_PREFETCH || form->option & OPTION_PREFETCH);
}

// An atomic counts as a load only if it returns a value (atom, not red): only then are
// registers pending. cp.async to shared memory is neither: it copies when it executes.
static void describe_kind(IssueInfo *info, const Instruction *in) {
  Opcode op = in->form.op;
  bool is_memory = info->unit == UNIT_MEM;
  info->is_atomic = op == OP_ATOM || op == OP_RED;
  bool is_wmma = op == OP_WMMA;
  info->is_store =
      is_memory && (op == OP_ST || op == OP_SUST || op == OP_STMATRIX ||
                    (is_wmma && in->form.mode == MODE_STORE) ||
                    (op == OP_CP && in->form.space == SPACE_GLOBAL && !is_prefetch(&in->form)));
  info->is_fence = op == OP_MEMBAR || op == OP_FENCE;
  info->is_load = is_memory && (op == OP_LD || op == OP_LDU || op == OP_TEX || op == OP_TLD4 || op == OP_SULD || op == OP_ATOM ||
                                op == OP_LDMATRIX || (is_wmma && in->form.mode == MODE_LOAD) ||
                                (op == OP_MBARRIER && in->dst[0] != NO_PLACE));
  bool is_far = in->form.space == SPACE_GLOBAL || in->form.space == SPACE_LOCAL ||
                in->form.space == SPACE_GENERIC;
  info->is_access = form_class(&in->form) == CLASS_MEMORY && is_far &&
                    (info->is_load || info->is_store || info->is_atomic);
  info->is_barrier = opcode_info[op].latency_class == CLASS_BARRIER;
  info->is_arrival = info->is_barrier && in->form.mode == MODE_ARRIVE;
  info->is_warps = info->is_barrier && in->form.mode == MODE_WARP;
  info->is_cluster_barrier = op == OP_BARRIER && in->form.option & OPTION_CLUSTER;
  info->is_control = opcode_info[op].family == FAMILY_CONTROL;
  // An exit may complete a barrier that the other warps of the CTA wait at.
  // So may a product those that wait for the other warps of their warp group.
  bool is_group = op == OP_WGMMA && in->form.mode == MODE_MMA_ASYNC;
  info->may_release = info->is_barrier || is_group || op == OP_EXIT || op == OP_RET;
}

// ptxas 13 for sm_75 to sm_90: a fence of GPU scope is MEMBAR, ERRBAR and CCTL.IVALL, an acquiring
// access is followed by CCTL.IVALL; within a CTA there is only MEMBAR. With a scope of a cluster
// both reach beyond the SM.
static void describe_order(IssueInfo *info, const Form *form, const SmConfig *sm) {
  bool is_beyond_cta = form->scope > SCOPE_CTA && form->space != SPACE_SHARED;
  bool is_fence = info->is_fence && form->mode != MODE_PROXY;
  bool acquires = (info->is_load || info->is_atomic) && form->order & ORDER_ACQUIRES;
  info->awaits_stores = sm->fence_scopes && is_fence && is_beyond_cta;
  bool drops = sm->fence_scopes ? (is_fence || acquires) && is_beyond_cta : info->is_fence;
  info->drops_l1 = sm->fence_invalidates_l1 && drops;
}

static AsyncRole role_of(const Form *form) {
  if (form->op == OP_MBARRIER) {
    if (form->mode == MODE_TRY_WAIT) return ASYNC_TRY_WAIT;
    bool reads = form->mode == MODE_TEST_WAIT || form->mode == MODE_PENDING_COUNT;
    return reads ? ASYNC_NONE : ASYNC_MBARRIER;
  }
  bool is_group = form->op == OP_WGMMA;
  bool is_store = form->op == OP_ST || form->op == OP_RED;
  if (is_store) return form->mode == MODE_ASYNC ? ASYNC_OPERATION : ASYNC_NONE;
  if (is_group && form->mode == MODE_MMA_ASYNC) return ASYNC_OPERATION;
  if (form->op != OP_CP && !is_group) return ASYNC_NONE;
  switch (form->mode) {
    case MODE_ASYNC:
    case MODE_BULK_TENSOR:
    case MODE_BULK_PREFETCH:
    case MODE_BULK: return ASYNC_OPERATION;
    case MODE_COMMIT: return ASYNC_COMMIT;
    case MODE_WAIT: return ASYNC_WAIT;
    case MODE_WAIT_ALL: return ASYNC_WAIT_ALL;
    case MODE_COPY_ARRIVE: return ASYNC_ARRIVE;
    default: return ASYNC_NONE;
  }
}

static void describe_async(IssueInfo *info, const Form *form) {
  info->async = (uint8_t)role_of(form);
  bool is_bulk = form->op == OP_CP && (form->mode == MODE_BULK || form->mode == MODE_BULK_TENSOR ||
                                       form->option & OPTION_BULK);
  AsyncKind other = form->op == OP_WGMMA                      ? ASYNC_PRODUCTS
                    : form->op == OP_ST || form->op == OP_RED ? ASYNC_OTHERS
                                                              : ASYNC_COPIES;
  info->async_kind = (uint8_t)(is_prefetch(form) ? ASYNC_OTHERS : is_bulk ? ASYNC_BULK : other);
  // The sums of wgmma are there when its group is over.
  if (form->op == OP_WGMMA) info->destination_count = 0;
}

// Whether the instruction acts on its SM alone: what it reads and writes is its warp's or its
// CTA's, or never changes while a kernel runs.
static bool stays_inside(const IssueInfo *info, const Instruction *in) {
  Opcode op = in->form.op;
  Family family = opcode_info[op].family;
  if (family == FAMILY_SYSTEM || family == FAMILY_TEXTURE || op == OP_CP) return false;
  bool is_memory = info->unit == UNIT_MEM || family == FAMILY_MEMORY || family == FAMILY_ATOMIC ||
                   (op == OP_WMMA && (in->form.mode == MODE_LOAD || in->form.mode == MODE_STORE));
  if (!is_memory || info->is_fence) return true;
  uint8_t space = in->form.space;
  return space == SPACE_SHARED || space == SPACE_PARAM || space == SPACE_FRAME;
}

// A warp may issue several instructions that follow one another in one cycle.
static void look_ahead(IssueTable *table, uint32_t issues_per_warp) {
  const Program *program = table->program;
  for (uint32_t pc = 0; pc < program->code_count; pc++)
    for (uint32_t i = pc; i < program->code_count && i < pc + issues_per_warp; i++) {
      table->infos[pc].leads_outside |= !stays_inside(&table->infos[i], &program->code[i]);
      table->infos[pc].leads_to_release |= table->infos[i].may_release;
    }
}

// Constants are in the pool once per lane.
static bool adds_constant_one(const Instruction *in, const Program *program) {
  if (in->form.op != OP_RED && !(in->form.op == OP_ATOM && in->dst[0] == NO_PLACE)) return false;
  if (in->form.operation != OPERATION_ADD || type_bytes(in->form.type) != 4) return false;
  if (in->src[1] >= 0 || in->src[1] == NO_PLACE) return false;
  uint32_t value;
  memcpy(&value, program->pool + ~in->src[1], sizeof value);
  return value == 1;
}

static uint8_t adder_cycles_of(const Form *form, const IssueConfig *config) {
  const SmConfig *sm = config->sm;
  bool adds = (form->op == OP_ATOM || form->op == OP_RED) && form->operation == OPERATION_ADD;
  if (!adds || form->type != TYPE_F64 || !sm->shared_loops_add || !sm->dp_units) return 0;
  return (uint8_t)(config->latency->dp_add_interval / sm->dp_units);
}

// GPGPU-Sim derives the bank from the number in the register's name (%r12: 12); other machines
// from the allocated register. The warp is added later (collectors_turn), so that one table
// serves all warps.
static uint32_t bank_of(const SmConfig *sm, uint16_t id, uint8_t number) {
  uint32_t key = sm->bank_rule == BANK_BY_NAME ? number : id;
  return key % sm_banks_each(sm);
}

// Branches, divergence, barriers and special registers have units of their own on hardware; here
// they occupy an issue slot of the units, but count as no arithmetic.
static bool is_arithmetic(const IssueInfo *info, const Instruction *in) {
  bool has_unit = info->unit == UNIT_SP || info->unit == UNIT_INT || info->unit == UNIT_DP;
  bool reads_special = in->form.op == OP_MOV && in->special[0];
  return has_unit && !info->is_control && !info->is_barrier && !in->is_meeting && !reads_special;
}

static void describe(IssueInfo *info, const Instruction *in, const RegisterUse *use,
                     const IssueConfig *config) {
  const SmConfig *sm = config->sm;
  const LatencyConfig *latency = config->latency;
  bool is_multiplied = in->is_multiplied && sm->int_mul_on_sp;
  bool is_for_sp = is_register_move(in) || is_multiplied;
  info->unit = (uint8_t)(is_for_sp ? UNIT_SP : unit_of(sm, latency, &in->form));
  info->busy_slot = (uint8_t)busy_slot_of(info->unit, &in->form);
  Timing timing = timing_of(config, &in->form);
  info->latency = (uint16_t)timing.latency;
  info->interval = (uint16_t)timing.interval;
  describe_kind(info, in);
  info->pipe_cycles = is_arithmetic(info, in) ? info->interval : 0;
  // A quirk of GPGPU-Sim: its decoder does not list the address register of atomics as an operand.
  bool skip_address = info->is_atomic && sm->atomic_ignores_address;
  uint32_t banks = sm_banks_each(sm);
  for (int i = 0; i < use->source_count; i++)
    if (!(skip_address && i == 0) && info->source_count < MAX_BANK_READS)
      issue_info_add_source(info, bank_of(sm, use->sources[i], use->source_numbers[i]), banks);
  for (int i = 0; i < use->destination_count; i++) {
    info->destinations[i] = use->destinations[i];
    uint32_t bank = bank_of(sm, use->destinations[i], use->destination_numbers[i]);
    info->destination_set |= bank_set(bank, banks);
  }
  info->destination_count = use->destination_count;
  describe_order(info, &in->form, config->sm);
  describe_async(info, &in->form);
}

// Results of f64, special functions and loads are not among them (late.c); nor does f64 have
// its own published distance.
static void describe_distances(IssueInfo *info, const Instruction *in,
                               const LatencyConfig *latency) {
  info->to_guard_cycles = (uint8_t)latency->to_guard;
  if (info->is_control || info->is_barrier || in->is_reconvergence)
    info->after_cycles = (uint8_t)latency->after_control;
  bool is_sync = in->is_reconvergence && in->guard == NO_PLACE;
  if (is_sync && latency->after_sync) info->after_cycles = (uint8_t)latency->after_sync;
  bool jumps = info->is_control && latency->after_jump > latency->after_control;
  info->jump_cycles = jumps ? (uint8_t)latency->after_jump : info->after_cycles;
  if (info->unit == UNIT_MEM)
    info->from_sp_cycles = info->from_int_cycles = (uint8_t)latency->to_memory;
  if (info->unit == UNIT_SFU)
    info->from_sp_cycles = info->from_int_cycles = (uint8_t)latency->to_sfu;
  if (info->unit == UNIT_INT) info->from_sp_cycles = (uint8_t)latency->to_other_unit;
  if (info->unit == UNIT_SP) info->from_int_cycles = (uint8_t)latency->to_other_unit;
}

// An oracle: the unit stays occupied for its interval, but nobody waits for its result. Values are
// computed at issue, so that the scoreboard need not know of it.
static void drop_latency(IssueInfo *info) {
  info->destination_count = 0;
  info->from_sp_cycles = info->from_int_cycles = info->to_guard_cycles = 0;
}

static bool only_computes(const IssueInfo *info, const Form *form) {
  Family family = opcode_info[form->op].family;
  bool is_lane_wise = family == FAMILY_ARITHMETIC || family == FAMILY_COMPARE ||
                      family == FAMILY_CONVERT || family == FAMILY_MOVE;
  return is_lane_wise && info->unit != UNIT_MEM && !info->async && !info->is_fence &&
         !info->is_barrier;
}

static uint8_t latest_cycles(const IssueInfo *info, const RegisterUse *use) {
  uint8_t most = use->guard == NO_REGISTER ? 0 : info->to_guard_cycles;
  if (info->from_sp_cycles > most) most = info->from_sp_cycles;
  return info->from_int_cycles > most ? info->from_int_cycles : most;
}

static void add_hazard(uint64_t *set, uint16_t id) {
  set[id / 64] |= UINT64_C(1) << id % 64;
}

// RAW and WAW: an instruction stalls while a source, its guard or a destination is pending. WAR
// cannot occur, because values are read at issue.
static void describe_hazards(uint64_t *set, const RegisterUse *use, bool skip_address) {
  if (use->guard != NO_REGISTER) add_hazard(set, use->guard);
  for (int i = skip_address ? 1 : 0; i < use->source_count; i++) add_hazard(set, use->sources[i]);
  for (int i = 0; i < use->destination_count; i++) add_hazard(set, use->destinations[i]);
}

// A store that is free takes no time; loads have to be waited for.
static uint8_t ideal_of(const IssueInfo *info, const Instruction *in, const Program *program,
                        const SmIdeal *ideal) {
  if (info->unit != UNIT_MEM || info->is_fence) return 0;
  const SourceLine *source = in->source ? &program->sources[in->source] : NULL;
  const char *file = source ? source->file : program->path;
  uint32_t line = source ? source->line : in->line;
  bool is_read = info->is_load && !info->is_atomic, is_write = info->is_store && !info->is_atomic;
  uint8_t flags = 0;
  if (info->is_atomic && ideal->no_contention) flags |= IDEAL_COALESCED;
  if (info->is_atomic && ideal->no_sharing) flags |= IDEAL_HITS;
  if (is_read && source_places_have(ideal->hits, file, line)) flags |= IDEAL_HITS;
  if ((is_read || is_write) && source_places_have(ideal->coalesced, file, line))
    flags |= IDEAL_COALESCED;
  if (is_write && source_places_have(ideal->free_stores, file, line)) flags |= IDEAL_FREE;
  return flags;
}

void issue_table_init(IssueTable *table, const Program *program, const IssueConfig *config,
                      uint64_t code_address) {
  const SmConfig *sm = config->sm;
  const LatencyConfig *latency = config->latency;
  uint32_t count = program->code_count;
  *table = (IssueTable){.program = program, .code_address = code_address};
  table->has_late_results = latency->to_guard || latency->to_memory || latency->to_sfu ||
                            latency->to_other_unit || latency->after_control ||
                            latency->after_sync || latency->after_jump;
  table->words = (program->register_id_count + 63) / 64;
  if (!table->words) table->words = 1;
  table->infos = memory_alloc(sizeof(IssueInfo) * (count + 1));
  table->hazards = memory_alloc(sizeof(uint64_t) * table->words * (count + 1));
  for (uint32_t pc = 0; pc < count; pc++) {
    IssueInfo *info = &table->infos[pc];
    const RegisterUse *use = &program->register_uses[pc];
    describe(info, &program->code[pc], use, config);
    describe_distances(info, &program->code[pc], latency);
    if (sm->ideal.no_dependency && info->unit != UNIT_MEM) drop_latency(info);
    info->latest_cycles = latest_cycles(info, use);
    info->is_plain = only_computes(info, &program->code[pc].form);
    if (info->latency > table->longest_latency) table->longest_latency = info->latency;
    info->ideal = ideal_of(info, &program->code[pc], program, &sm->ideal);
    info->adder_cycles = adder_cycles_of(&program->code[pc].form, config);
    info->adds_one = info->is_atomic && adds_constant_one(&program->code[pc], program);
    describe_hazards(&table->hazards[(size_t)pc * table->words], use,
                     info->is_atomic && sm->atomic_ignores_address);
  }
  look_ahead(table, sm->issues_per_warp);
  wait_loops_find(&table->waits, program);
  for (uint32_t i = 0; i < table->waits.count; i++)
    for (uint32_t pc = table->waits.loops[i].first; pc <= table->waits.loops[i].last; pc++)
      table->infos[pc].waits = true;
}

void issue_table_clear(IssueTable *table) {
  memory_free(table->infos);
  memory_free(table->hazards);
  wait_loops_clear(&table->waits);
  *table = (IssueTable){0};
}
