// SPDX-License-Identifier: MIT
// Converts an opcode and its dotted suffixes to a Form.
//
// Each suffix is looked up in suffixes.def. Its meaning depends on the groups
// that the opcode allows: `.lo` is half of a product for mul and a comparison
// for setp. The order of suffixes is not checked.
#include "frontends/ptx/parse/suffixes.h"

#include <stdlib.h>
#include <string.h>

#include "frontends/ptx/parse/keywords.h"
#include "exec/matrix/matrix.h"
#include "exec/arithmetic/video.h"

// Values of MOD_ORDER; from ORDER_SCOPE on, ORDER_SCOPE + Scope.
enum { ORDER_OTHER, ORDER_RELAXED, ORDER_VOLATILE, ORDER_ACQUIRE, ORDER_RELEASE, ORDER_BOTH, ORDER_SCOPE = 8 };
// Added to a Rounding: .rni, .rzi, .rmi, .rpi.
enum { ROUND_TO_INTEGER = 16 };
// Values of MOD_LAYOUT.
enum { LAYOUT_ROW, LAYOUT_COLUMN, LAYOUT_TRANSPOSED };

typedef struct Suffix {
  const char *word;
  uint32_t group;
  uint16_t value;
  uint8_t op;  // of OWN words; else OPCODE_COUNT
} Suffix;

static const Suffix suffixes[] = {
#define SUFFIX(word, group, value) {word, group, value, OPCODE_COUNT},
#define ONLY(word, op, group, value) {word, group, value, OP_##op},
#define OWN(word, op, value) ONLY(word, op, MOD_MODE, value)
#include "frontends/ptx/parse/suffixes.def"
#undef SUFFIX
#undef OWN
#undef ONLY
};

typedef struct Refusal {
  const char *word, *reason;
} Refusal;

static const Refusal refused_opcodes[] = {
#define OPCODE_OUT(word, reason) {word, reason},
#include "frontends/ptx/parse/unsupported.def"
};

static const Refusal refused_suffixes[] = {
#define SUFFIX_OUT(word, reason) {word, reason},
#include "frontends/ptx/parse/unsupported.def"
};

#define COUNT(array) (sizeof(array) / sizeof *(array))
enum { WORD_BYTES = 32 };

// State of one parse: the form and the suffixes seen.
typedef struct Reading {
  Form *form;
  const OpcodeInfo *info;
  const char *text;
  Error *err;
  uint32_t seen;    // groups
  uint32_t spaces;  // number of state spaces
  int types;
  bool strong;
} Reading;

// Rows of both tables start with the word, so one comparison serves both.
static int compare_word(const void *word, const void *row) {
  return strcmp(word, *(const char *const *)row);
}

static const char *find_reason(const Refusal *table, size_t count, const char *word) {
  const Refusal *row = bsearch(word, table, count, sizeof *table, compare_word);
  return row ? row->reason : NULL;
}

// The row of a suffix that is valid for this opcode, or NULL.
// A suffix may have several rows (`.lo`), and the binary search may find any of them, so the scan
// starts from the first. The tables must be sorted, which a test checks.
static const Suffix *find_suffix(const Reading *r, const char *word) {
  const Suffix *end = suffixes + COUNT(suffixes);
  const Suffix *row = bsearch(word, suffixes, COUNT(suffixes), sizeof *suffixes, compare_word);
  if (!row) return NULL;
  while (row > suffixes && strcmp(row[-1].word, word) == 0) row--;
  for (; row < end && strcmp(row->word, word) == 0; row++)
    if ((row->group & r->info->modifiers) && (row->op == OPCODE_COUNT || row->op == r->form->op))
      return row;
  return NULL;
}

static Status refuse(const Reading *r, const char *what) {
  return error_set(r->err, ERR_UNSUPPORTED, "`%.80s` is not supported (%s)", r->text, what);
}

static Status malformed(const Reading *r, const char *what) {
  return error_set(r->err, ERR_UNSUPPORTED, "`%.80s`: %s", r->text, what);
}

// For suffixes that are known but unsupported, the message names the missing feature.
static Status refuse_suffix(const Reading *r, const char *word) {
  const char *reason = find_reason(refused_suffixes, COUNT(refused_suffixes), word);
  if (reason) return refuse(r, reason);
  return error_set(r->err, ERR_UNSUPPORTED, "`%.80s` is not supported (`%s` with `.%.40s`)",
                   r->text, r->info->name, word);
}

// Some modes take several suffixes (`barrier.cta.red`, `cp.async.bulk.commit_group`): later ones
// may refine the first, not contradict it.
static Status apply_mode(Reading *r, Mode mode) {
  Form *form = r->form;
  Mode before = (Mode)form->mode;
  if (mode == MODE_NONE || mode == before) return OK;
  if (before == MODE_WARP && mode == MODE_SYNC) return OK;
  if (before == MODE_BULK_PREFETCH && mode == MODE_BULK_TENSOR) {
    form->mode = MODE_BULK_TENSOR;
    form->option |= OPTION_PREFETCH;
    return OK;
  }
  bool refines = before == MODE_ASYNC || before == MODE_BULK;  // cp.async.bulk.commit_group
  if (before != MODE_NONE && !refines) return malformed(r, "contradicts itself");
  if (before == MODE_BULK && mode != MODE_BULK_TENSOR) form->option |= OPTION_BULK;
  form->mode = (uint8_t)mode;
  return OK;
}

static void apply_order(Reading *r, int value) {
  static const uint8_t orders[ORDER_SCOPE] = {
      [ORDER_RELAXED] = ORDER_IS_STRONG,
      [ORDER_VOLATILE] = ORDER_IS_STRONG,
      [ORDER_ACQUIRE] = ORDER_IS_STRONG | ORDER_ACQUIRES,
      [ORDER_RELEASE] = ORDER_IS_STRONG | ORDER_RELEASES,
      [ORDER_BOTH] = ORDER_IS_STRONG | ORDER_ACQUIRES | ORDER_RELEASES,
  };
  if (value >= ORDER_SCOPE) {
    r->form->scope = (uint8_t)(value - ORDER_SCOPE);
    return;
  }
  r->form->order |= orders[value];
  if (value == ORDER_RELAXED || value == ORDER_ACQUIRE || value == ORDER_RELEASE) r->strong = true;
  if (value == ORDER_VOLATILE) r->form->volatile_ = true;
}

static Status apply_space(Reading *r, Space space) {
  r->spaces++;
  if (r->spaces == 1) {
    r->form->space = (uint8_t)space;
    return OK;
  }
  // cp.async names the destination space first, then the source.
  r->form->space2 = (uint8_t)space;
  bool plain = space == SPACE_GLOBAL,
       bulk = (r->form->mode == MODE_BULK || r->form->mode == MODE_BULK_TENSOR) &&
              space == SPACE_SHARED;
  bool map = r->form->op == OP_TENSORMAP && space == SPACE_SHARED;
  bool copy = (r->form->op == OP_CP && r->spaces == 2 && (plain || bulk)) || map;
  return copy ? OK : malformed(r, "two state spaces");
}

// .nc determines the path of a load; other cache hints do not.
static void apply_cache(Form *form, CacheOperator cache) {
  if (form->cache != CACHE_NON_COHERENT) form->cache = (uint8_t)cache;
}

static Status apply_layout(Reading *r, int layout) {
  Form *form = r->form;
  if (layout == LAYOUT_TRANSPOSED) {
    form->column = true;
    return OK;
  }
  if (form->layouts == 2) return malformed(r, "too many layouts");
  *(form->layouts++ ? &form->column2 : &form->column) = layout == LAYOUT_COLUMN;
  return OK;
}

static Status apply_suffix(Reading *r, const Suffix *suffix) {
  enum {
    REPEATABLE =
        MOD_NAN | MOD_MODE | MOD_SPACE | MOD_CACHE | MOD_ORDER | MOD_LEVEL | MOD_LAYOUT | MOD_OPTION
  };
  Form *form = r->form;
  uint8_t value = (uint8_t)suffix->value;
  if (r->seen & suffix->group & ~(uint32_t)REPEATABLE) return malformed(r, "contradicts itself");
  r->seen |= suffix->group;
  switch (suffix->group) {
    case MOD_ROUND:
      form->rounding = (uint8_t)(value % ROUND_TO_INTEGER);
      form->integer_round = value >= ROUND_TO_INTEGER;
      return OK;
    case MOD_FTZ: form->ftz = true; return OK;
    case MOD_SAT: form->sat = true; return OK;
    case MOD_CC: form->carry_out = true; return OK;
    case MOD_WIDTH: form->width = value; return OK;
    case MOD_APPROX: *(value ? &form->full : &form->approx) = true; return OK;
    case MOD_NAN:
      if (value == 0) form->nan = true;
      if (value == 1) form->xorsign = true;
      if (value == 2 && !form->xorsign) return malformed(r, "`.abs` without `.xorsign`");
      return OK;
    case MOD_RELU: form->relu = true; return OK;
    case MOD_CLAMP: form->wrap = value; return OK;
    case MOD_COMPARE: form->compare = value; return OK;
    case MOD_OPERATION: form->operation = value; return OK;
    case MOD_MODE: return apply_mode(r, (Mode)value);
    case MOD_SPACE: return apply_space(r, (Space)value);
    case MOD_CACHE: apply_cache(form, (CacheOperator)value); return OK;
    case MOD_VECTOR: form->vector = value; return OK;
    case MOD_ORDER: apply_order(r, value); return OK;
    case MOD_UNI: form->uni = true; return OK;
    case MOD_SHAPE: form->shape = value; return OK;
    case MOD_LAYOUT: return apply_layout(r, value);
    case MOD_PART: form->part = value; return OK;
    case MOD_FINITE: form->satfinite = true; return OK;
    case MOD_OPTION: form->option |= suffix->value; return OK;
    default: return OK;  // MOD_LEVEL: hints
  }
}

// Minimum and maximum number of types of an opcode.
// They depend on the mode, so the check runs after all suffixes.
static void type_limits(const Form *form, int *fewest, int *most) {
  *fewest = *most = 1;
  if (opcode_info[form->op].family == FAMILY_VIDEO)
    *fewest = *most = video_is_set((Opcode)form->op) ? 2 : 3;
  switch (form->op) {
    case OP_CVT: *fewest = 2, *most = form->mode == MODE_PACK ? 3 : 2; break;
    case OP_SET:
    case OP_SLCT:
    case OP_TEX:
    case OP_TLD4:
    case OP_DP4A:
    case OP_DP2A: *fewest = *most = 2; break;
    case OP_CP:
      *fewest = *most = form->mode == MODE_COPY_ARRIVE ||
                        (form->mode == MODE_BULK && form->option & OPTION_REDUCE);
      break;
    case OP_BAR:
    case OP_BARRIER: *fewest = *most = form->mode == MODE_RED; break;
    case OP_ISSPACEP:
    case OP_PREFETCH:
    case OP_PREFETCHU:
    case OP_APPLYPRIORITY:
    case OP_DISCARD:
    case OP_BRA:
    case OP_BRX:
    case OP_CALL:
    case OP_RET:
    case OP_EXIT:
    case OP_TRAP:
    case OP_BRKPT:
    case OP_MEMBAR:
    case OP_FENCE:
    case OP_ELECT:
    case OP_PMEVENT:
    case OP_GRIDDEPCONTROL: *fewest = *most = 0; break;
    case OP_ACTIVEMASK:
    case OP_NANOSLEEP:
    case OP_SETMAXNREG: *fewest = 0; break;
    case OP_TENSORMAP: *fewest = *most = form->mode == MODE_MAP_REPLACE; break;
    case OP_MMA: *fewest = *most = 4; break;
    case OP_WGMMA: *fewest = *most = form->mode == MODE_MMA_ASYNC ? 3 : 0; break;
    case OP_ADD:
    case OP_SUB:
    case OP_FMA: *most = 2; break;
    case OP_WMMA:
      *fewest = form->mode == MODE_MMA ? 2 : 1, *most = form->mode == MODE_MMA ? 4 : 1;
      break;
    default: break;
  }
}

static Status apply_type(Reading *r, DataType type) {
  Form *form = r->form;
  uint8_t *fields[] = {&form->type, &form->type2, &form->type3, &form->type4};
  if (r->types == 4) return malformed(r, "too many types");
  *fields[r->types++] = (uint8_t)type;
  return OK;
}

static bool needs_mode(Opcode op) {
  switch (op) {
    case OP_SHF:
    case OP_TESTP:
    case OP_TEX:
    case OP_TLD4:
    case OP_TXQ:
    case OP_SULD:
    case OP_SUST:
    case OP_SUQ:
    case OP_BRX:
    case OP_BAR:
    case OP_BARRIER:
    case OP_CP:
    case OP_SHFL:
    case OP_VOTE:
    case OP_MATCH:
    case OP_GRIDDEPCONTROL:
    case OP_WMMA:
    case OP_WGMMA:
    case OP_MBARRIER:
    case OP_TENSORMAP:
    case OP_SETMAXNREG: return true;
    default: return false;
  }
}

static bool needs_width(const Form *form) {
  if (form->op == OP_MUL || form->op == OP_MAD)
    return type_kind((DataType)form->type) != KIND_FLOAT;
  return opcode_info[form->op].modifiers & MOD_WIDTH;
}

static bool needs_operation(const Form *form) {
  if (form->mode == MODE_RED || form->option & OPTION_REDUCE) return true;
  return form->op == OP_ATOM || form->op == OP_RED || form->op == OP_REDUX;
}

// Checks for missing and for incompatible suffixes.
static Status check_whole(const Reading *r) {
  const Form *form = r->form;
  int fewest, most;
  type_limits(form, &fewest, &most);
  if (r->types < fewest) return malformed(r, "missing type");
  if (r->types > most) return refuse(r, "too many types");
  if (needs_mode((Opcode)form->op) && form->mode == MODE_NONE)
    return malformed(r, "missing operation");
  if (needs_width(form) && !form->width) return malformed(r, "missing `.lo`, `.hi` or `.wide`");
  if (needs_operation(form) && !form->operation) return malformed(r, "missing operation");
  if (form->op == OP_CP && form->operation && !(form->option & OPTION_REDUCE))
    return malformed(r, "an operation without `.reduce`");
  if ((r->info->modifiers & MOD_COMPARE) && !form->compare)
    return malformed(r, "missing comparison");
  if (form->op == OP_CP && form->mode == MODE_ASYNC &&
      !(r->spaces == 2 && form->space == SPACE_SHARED))
    return malformed(r, "must copy from `.global` to `.shared`");
  bool has_two = r->spaces == 2 && (form->space == SPACE_SHARED || form->space2 == SPACE_SHARED);
  bool is_bulk = form->mode == MODE_BULK || form->mode == MODE_BULK_TENSOR;
  if (form->op == OP_CP && is_bulk && !has_two && !(form->option & OPTION_PREFETCH))
    return malformed(r, "must copy between `.global` and `.shared`");
  return OK;
}

// m64nNkK, with all N.
static bool read_group_shape(Form *form, const char *word) {
  char *end;
  if (strncmp(word, "m64n", 4) != 0) return false;
  unsigned long n = strtoul(word + 4, &end, 10);
  if (*end != 'k') return false;
  unsigned long k = strtoul(end + 1, &end, 10);
  if (*end || n > 256 || k > 256) return false;
  form->group_n = (uint16_t)n;
  form->group_k = (uint16_t)k;
  return true;
}

static Status read_word(Reading *r, const char *start, size_t length) {
  char word[WORD_BYTES];
  if (length >= sizeof word) return malformed(r, "suffix too long");
  memcpy(word, start, length);
  word[length] = '\0';
  if (r->form->op == OP_WGMMA && read_group_shape(r->form, word)) return OK;
  const Suffix *suffix = find_suffix(r, word);
  if (suffix) return apply_suffix(r, suffix);
  DataType type = keyword_type(word, length);
  return type != TYPE_NONE ? apply_type(r, type) : refuse_suffix(r, word);
}

static Status read_opcode(Reading *r, size_t length) {
  char word[WORD_BYTES] = "";
  Opcode op = opcode_find(r->text, length);
  if (op != OPCODE_COUNT) {
    r->form->op = (uint8_t)op;
    r->info = &opcode_info[op];
    return OK;
  }
  if (length < sizeof word) memcpy(word, r->text, length);
  const char *reason = find_reason(refused_opcodes, COUNT(refused_opcodes), word);
  if (reason) return refuse(r, reason);
  return error_set(r->err, ERR_UNSUPPORTED, "unknown instruction `%.*s`",
                   (int)(length < 80 ? length : 80), r->text);
}

Status form_parse(Form *form, const char *text, Error *err) {
  *form = (Form){.vector = 1};
  Reading reading = {.form = form, .text = text, .err = err};
  const char *at = text + strcspn(text, ".");
  TRY(read_opcode(&reading, (size_t)(at - text)));
  while (*at) {
    size_t length = strcspn(++at, ".");
    TRY(read_word(&reading, at, length));
    at += length;
  }
  if (form->op == OP_MBARRIER && !form->mode && form->option == OPTION_EXPECT_TX) {
    form->mode = MODE_EXPECT_TX;
    form->option = 0;
  }
  // .relaxed, .acquire and .release with a scope wider than the CTA must be visible to other SMs:
  // they bypass the L1, as volatile accesses do.
  bool access = form->op == OP_LD || form->op == OP_ST;
  if (access && reading.strong && form->scope != SCOPE_CTA) form->volatile_ = true;
  return check_whole(&reading);
}
