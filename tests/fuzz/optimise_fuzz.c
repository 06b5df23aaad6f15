// SPDX-License-Identifier: MIT
// The optimising pass changes no result. The input's bytes are decisions from
// which a kernel is written that defines all that it reads and whose threads
// share nothing but what a barrier separates; it is run as written and optimised,
// and must leave the same bytes in memory.
//
// OPTIMISE_FUZZ_SHOW=1 in the environment prints the kernel.
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "exec/memory/device_memory.h"
#include "exec/program_image.h"
#include "frontends/ptx/link/load.h"
#include "functional/functional.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { THREADS = 48, CTAS = 2, SLOT_BYTES = 512, IN_BYTES = 4096, LIMIT = 400000 };
enum { MAX_NAMES = 256, TEXT_BYTES = 1 << 17, DEEPEST = 3, WORDS = 10, PAIRS = 4, REALS = 5 };

typedef struct Writer {
  const uint8_t *data;
  size_t size, at;
  char *text;
  size_t length;
  int depth, labels, fresh;
  // Registers written once that can be read here: their numbers.
  int words[MAX_NAMES], word_count, pairs[MAX_NAMES], pair_count;
} Writer;

// ---- decisions and text

static unsigned decide(Writer *writer, unsigned limit) {
  uint8_t byte = writer->at < writer->size ? writer->data[writer->at++] : 0;
  return byte % limit;
}

static bool is_over(const Writer *writer) {
  return writer->at >= writer->size || writer->length > TEXT_BYTES - 8192 || writer->fresh > 1500;
}

static __attribute__((format(printf, 2, 3))) void write_text(Writer *writer, const char *format,
                                                             ...) {
  va_list args;
  va_start(args, format);
  int used = vsnprintf(writer->text + writer->length, TEXT_BYTES - writer->length, format, args);
  va_end(args);
  writer->length += (size_t)used;
  if (writer->length >= TEXT_BYTES) abort();
}

typedef struct Name {
  char text[24];
} Name;

static Name named(const char *prefix, int number) {
  Name name;
  snprintf(name.text, sizeof name.text, "%s%d", prefix, number);
  return name;
}

// A 32-bit source: one of the registers that are written again and again, one
// that is written once, or a constant.
static Name word(Writer *writer) {
  static const int constants[] = {0, 1, 2, 4, 8, 16, 64, -1, 31, 12345};
  unsigned kind = decide(writer, 8);
  if (kind == 0) return named("", constants[decide(writer, 10)]);
  if (kind < 4 || !writer->word_count) return named("%r", (int)decide(writer, WORDS));
  return named("%t", writer->words[decide(writer, (unsigned)writer->word_count)]);
}

static Name pair(Writer *writer) {
  if (decide(writer, 2) || !writer->pair_count) return named("%d", (int)decide(writer, PAIRS));
  return named("%w", writer->pairs[decide(writer, (unsigned)writer->pair_count)]);
}

static Name real(Writer *writer) {
  return named("%f", (int)decide(writer, REALS));
}
static Name predicate(Writer *writer) {
  return named("%p", (int)decide(writer, 4));
}

// "@%p1 " now and then: then the destination must have been written before.
static bool guard(Writer *writer) {
  if (decide(writer, 8)) return false;
  write_text(writer, "@%s%s ", decide(writer, 2) ? "!" : "", predicate(writer).text);
  return true;
}

static Name word_destination(Writer *writer, bool is_guarded) {
  if (is_guarded || decide(writer, 3) == 0 || writer->word_count == MAX_NAMES)
    return named("%r", (int)decide(writer, WORDS));
  return named("%t", writer->fresh++);
}

static Name pair_destination(Writer *writer, bool is_guarded) {
  if (is_guarded || decide(writer, 3) == 0 || writer->pair_count == MAX_NAMES)
    return named("%d", (int)decide(writer, PAIRS));
  return named("%w", writer->fresh++);
}

// It can be read from here on.
static void define(Writer *writer, Name name) {
  int number = atoi(name.text + 2);
  if (name.text[1] == 't' && writer->word_count < MAX_NAMES)
    writer->words[writer->word_count++] = number;
  if (name.text[1] == 'w' && writer->pair_count < MAX_NAMES)
    writer->pairs[writer->pair_count++] = number;
}

// ---- statements

static void write_arithmetic(Writer *writer) {
  static const char *const two[] = {"add.s32", "sub.s32", "mul.lo.s32", "and.b32", "or.b32",
                                    "xor.b32", "add.u32", "min.s32",    "max.u32", "mul.hi.u32",
                                    "shl.b32", "shr.u32", "shr.s32",    "add.s32", "add.s32",
                                    "rem.u32", "div.u32", "mul.lo.u32"};
  bool is_guarded = guard(writer);
  Name to = word_destination(writer, is_guarded), a = word(writer), b = word(writer);
  switch (decide(writer, 6)) {
    case 0: write_text(writer, "mov.u32 %s, %s;\n", to.text, a.text); break;
    case 1:
      write_text(writer, "mad.lo.s32 %s, %s, %s, %s;\n", to.text, a.text, b.text,
                 word(writer).text);
      break;
    case 2:
      write_text(writer, "selp.b32 %s, %s, %s, %s;\n", to.text, a.text, b.text,
                 predicate(writer).text);
      break;
    case 3: write_text(writer, "not.b32 %s, %s;\n", to.text, a.text); break;
    default:
      write_text(writer, "%s %s, %s, %s;\n", two[decide(writer, 18)], to.text, a.text, b.text);
  }
  define(writer, to);
}

static void write_wide(Writer *writer) {
  bool is_guarded = guard(writer);
  static const char *const two[] = {"mul.lo.s64", "and.b64", "xor.b64", "sub.s64",
                                    "min.s64",    "max.u64", "or.b64",  "mul.hi.u64"};
  unsigned kind = decide(writer, 12);
  if (kind < 2) {
    Name to = word_destination(writer, is_guarded), a = pair(writer);
    write_text(writer, kind ? "cvt.u32.u64 %s, %s;\n" : "mov.b64 {%s, _}, %s;\n", to.text, a.text);
    define(writer, to);
    return;
  }
  Name to = pair_destination(writer, is_guarded), a = pair(writer), x = word(writer),
       y = word(writer);
  Name b = pair(writer);
  switch (kind) {
    case 2: write_text(writer, "mul.wide.s32 %s, %s, %s;\n", to.text, x.text, y.text); break;
    case 3: write_text(writer, "mul.wide.u32 %s, %s, 4;\n", to.text, x.text); break;
    case 4: write_text(writer, "add.s64 %s, %s, %s;\n", to.text, a.text, b.text); break;
    case 5:
      write_text(writer, "add.s64 %s, %s, %d;\n", to.text, a.text, (int)decide(writer, 99));
      break;
    case 6: write_text(writer, "shl.b64 %s, %s, %u;\n", to.text, a.text, decide(writer, 8)); break;
    case 7: write_text(writer, "mov.u64 %s, %s;\n", to.text, a.text); break;
    case 8:
      write_text(writer, "selp.b64 %s, %s, %s, %s;\n", to.text, a.text, b.text,
                 predicate(writer).text);
      break;
    case 9:
      write_text(writer, "shr.%s %s, %s, %u;\n", decide(writer, 2) ? "u64" : "s64", to.text, a.text,
                 decide(writer, 70));
      break;
    case 10:
      write_text(writer, "%s %s, %s, %s;\n", two[decide(writer, 8)], to.text, a.text, b.text);
      break;
    default:
      if (x.text[0] != '%') x = named("%r", 0);
      write_text(writer, "cvt.s64.s32 %s, %s;\n", to.text, x.text);
  }
  define(writer, to);
}

static void write_real(Writer *writer) {
  static const char *const two[] = {"add.f32", "mul.f32",    "sub.f32",   "min.f32",
                                    "max.f32", "add.rn.f32", "mul.rn.f32"};
  guard(writer);
  Name to = real(writer), a = real(writer), b = real(writer);
  static const char *const slow[] = {"div.rn.f32",     "div.full.f32",    "div.approx.f32",
                                     "rcp.rn.f32",     "sqrt.rn.f32",     "rsqrt.approx.f32",
                                     "ex2.approx.f32", "lg2.approx.f32",  "sin.approx.f32",
                                     "rcp.approx.f32", "sqrt.approx.f32", "ex2.approx.ftz.f32"};
  unsigned which = decide(writer, 12);
  switch (decide(writer, 6)) {
    case 5:
      if (which < 3)
        write_text(writer, "%s %s, %s, %s;\n", slow[which], to.text, a.text, b.text);
      else
        write_text(writer, "%s %s, %s;\n", slow[which], to.text, a.text);
      break;
    case 0: write_text(writer, "mov.f32 %s, %s;\n", to.text, a.text); break;
    case 1:
      write_text(writer, "fma.rn.f32 %s, %s, %s, %s;\n", to.text, a.text, b.text,
                 real(writer).text);
      break;
    case 2:
      write_text(writer, "cvt.rn.f32.s32 %s, %%r%u;\n", to.text, decide(writer, WORDS));
      break;
    default:
      write_text(writer, "%s %s, %s, %s;\n", two[decide(writer, 7)], to.text, a.text, b.text);
  }
}

// Of numbers of 64 bits, one of which or both have few.
static void write_comparison_of_cut(Writer *writer, Name to) {
  static const char *const tests[] = {"eq.b64", "ne.s64", "lt.s64", "ge.u64", "gt.s64", "le.u64"};
  static const char *const masks[] = {"1", "255", "0x80000000", "0xffffffff", "0x100000001"};
  const char *test = tests[decide(writer, 6)];
  write_text(writer, "and.b64 %%y2, %s, %s;\n", pair(writer).text, masks[decide(writer, 5)]);
  write_text(writer, "and.b64 %%y3, %s, %s;\n", pair(writer).text, masks[decide(writer, 5)]);
  guard(writer);
  write_text(writer, "setp.%s %s, %%y2, %s;\n", test, to.text, decide(writer, 2) ? "%y3" : "1");
}

static void write_predicate(Writer *writer) {
  static const char *const tests[] = {"eq.s32", "ne.s32", "lt.s32", "ge.u32", "gt.s32", "le.u32"};
  Name to = predicate(writer);
  unsigned kind = decide(writer, 8);
  if (kind != 5) guard(writer);
  switch (kind) {
    case 6:
      write_text(writer, "setp.lt.s64 %s, %s, %s;\n", to.text, pair(writer).text,
                 pair(writer).text);
      break;
    case 7:
      write_text(writer, "setp.%s %%q0, %s, %s;\n%s.pred %s, %%q0, %s;\n", tests[decide(writer, 6)],
                 word(writer).text, word(writer).text, decide(writer, 2) ? "and" : "xor", to.text,
                 predicate(writer).text);
      break;
    case 0: write_text(writer, "not.pred %s, %s;\n", to.text, predicate(writer).text); break;
    case 5: write_comparison_of_cut(writer, to); break;
    case 1:
      write_text(writer, "%s.pred %s, %s, %s;\n", decide(writer, 2) ? "and" : "or", to.text,
                 predicate(writer).text, predicate(writer).text);
      break;
    case 2:
      write_text(writer, "setp.%s.%s %s, %s, %s, %s;\n", "lt.and", "s32", to.text,
                 word(writer).text, word(writer).text, predicate(writer).text);
      break;
    default:
      write_text(writer, "setp.%s %s, %s, %s;\n", tests[decide(writer, 6)], to.text,
                 word(writer).text, word(writer).text);
  }
}

// The thread's own 128 bytes of a space: at a fixed place, or at one that
// depends on a register, where it may be the same as the fixed one.
static Name address(Writer *writer, const char *space, unsigned bytes) {
  Name name;
  bool is_wide = space[0] == 'g' || space[0] == 'l';
  const char *base = space[0] == 'g' ? "%gb" : space[0] == 'l' ? "%lb" : "%sb";
  unsigned offset = decide(writer, 128 / bytes) * bytes;
  if (decide(writer, 4) || bytes > 16) {
    snprintf(name.text, sizeof name.text, "%s+%u", base, offset);
    return name;
  }
  int number = writer->fresh++;
  const char *type = is_wide ? "u64" : "u32", *prefix = is_wide ? "%w" : "%t";
  if (decide(writer, 2)) {
    write_text(writer, "add.%s %s%d, %s, %u;\n", type, prefix, number, base, offset & 64);
    snprintf(name.text, sizeof name.text, "%s%d+%u", prefix, number, offset & 63);
    return name;
  }
  if (space[0] == 's' && decide(writer, 2)) {
    write_text(writer, "and.b64 %%y0, %s, %u;\ncvt.u64.u32 %%y1, %%sb;\n", pair(writer).text,
               63u / bytes * bytes & 48);
    write_text(writer, "add.s64 %%w%d, %%y1, %%y0;\n", number);
    snprintf(name.text, sizeof name.text, "%%w%d+%u", number, offset & 63);
    return name;
  }
  write_text(writer, "and.b32 %%x0, %%r%u, %u;\n", decide(writer, WORDS), 63u / bytes * bytes & 48);
  if (is_wide) write_text(writer, "cvt.u64.u32 %%y0, %%x0;\n");
  write_text(writer, "add.%s %s%d, %s, %s;\n", type, prefix, number, base, is_wide ? "%y0" : "%x0");
  snprintf(name.text, sizeof name.text, "%s%d+%u", prefix, number, offset & 63);
  return name;
}

static const char *space_of(Writer *writer) {
  static const char *const spaces[] = {"shared", "shared", "global", "local"};
  return spaces[decide(writer, 4)];
}

static void write_load(Writer *writer) {
  const char *space = space_of(writer);
  unsigned kind = decide(writer, 8), count = kind == 0 ? 2 : kind == 1 ? 4 : 1;
  if (kind == 2) {
    static const char *const narrow[] = {"u8", "s8", "u16", "s16"};
    unsigned type = decide(writer, 4);
    Name from = address(writer, space, 4);
    write_text(writer, "ld.%s.%s %%r%u, [%s];\n", space, narrow[type], decide(writer, WORDS),
               from.text);
    return;
  }
  if (kind == 3) {
    Name from = address(writer, space, 8);
    write_text(writer, "ld.%s.u64 %%d%u, [%s];\n", space, decide(writer, PAIRS), from.text);
    return;
  }
  Name from = address(writer, space, 4 * count);
  bool is_guarded = guard(writer);
  if (count == 1) {
    Name to = word_destination(writer, is_guarded);
    write_text(writer, "ld.%s%s.u32 %s, [%s];\n", decide(writer, 9) ? "" : "volatile.", space,
               to.text, from.text);
    define(writer, to);
    return;
  }
  write_text(writer,
             count == 2 ? "ld.%s.v2.u32 {%%r0, %%r1}, [%s];\n"
                        : "ld.%s.v4.u32 {%%r2, %%r3, %%r4, %%r5}, [%s];\n",
             space, from.text);
}

// As a compiler unrolls: neighbours, one after the other.
static void write_run(Writer *writer) {
  const char *space = space_of(writer), *base = space[0] == 'g'   ? "%gb"
                                                : space[0] == 'l' ? "%lb"
                                                                  : "%sb";
  unsigned first = decide(writer, 24) * 4, count = 2 + decide(writer, 6), step = decide(writer, 5);
  bool stores = decide(writer, 3) == 0;
  for (unsigned i = 0; i < count && first + 4 * i < 128; i++) {
    if (stores) {
      write_text(writer, "st.%s.u32 [%s+%u], %%r%u;\n", space, base, first + 4 * i,
                 decide(writer, WORDS));
      continue;
    }
    Name to = word_destination(writer, false);
    write_text(writer, "ld.%s.u32 %s, [%s+%u];\n", space, to.text, base, first + 4 * i);
    define(writer, to);
    if (step == 0) write_text(writer, "add.s32 %%r0, %%r0, %s;\n", to.text);
    if (step == 1) write_text(writer, "st.%s.u32 [%s+%u], %s;\n", space, base, 124u, to.text);
  }
}

static void write_store(Writer *writer) {
  const char *space = space_of(writer);
  unsigned kind = decide(writer, 6);
  Name to = address(writer, space, kind == 0 ? 16 : kind == 1 ? 8 : 4);
  guard(writer);
  if (kind == 0)
    write_text(writer, "st.%s.v4.u32 [%s], {%%r1, %%r3, %%r5, %%r1};\n", space, to.text);
  else if (kind == 1)
    write_text(writer, "st.%s.u64 [%s], %s;\n", space, to.text, pair(writer).text);
  else if (kind == 2)
    write_text(writer, "st.%s.u8 [%s], %%r%u;\n", space, to.text, decide(writer, WORDS));
  else
    write_text(writer, "st.%s.u32 [%s], %s;\n", space, to.text, word(writer).text);
}

static void write_rest(Writer *writer) {
  switch (decide(writer, 6)) {
    case 0:
      write_text(writer, "add.cc.u32 %%r0, %%r1, %s;\naddc.u32 %%r2, %%r3, %s;\n",
                 word(writer).text, word(writer).text);
      break;
    case 1:
      if (!writer->depth) write_text(writer, "bar.sync 0;\n");
      break;
    case 2:
      write_text(writer, "atom.global.add.u32 %%r%u, [%%gb+%u], %s;\n", decide(writer, WORDS),
                 decide(writer, 30) * 4, word(writer).text);
      break;
    case 3:
      write_text(writer, "call (%%r%u), twist, (%%r%u, %%r%u);\n", decide(writer, WORDS),
                 decide(writer, WORDS), decide(writer, WORDS));
      break;
    case 4: {
      Name to = word_destination(writer, false);
      write_text(writer,
                 decide(writer, 2) ? "ld.param.u32 %s, [n];\n" : "mov.u32 %s, %%nctaid.x;\n",
                 to.text);
      define(writer, to);
      break;
    }
    default: write_text(writer, "mov.u32 %%r%u, %%ntid.x;\n", decide(writer, WORDS));
  }
}

static void write_statements(Writer *writer);

// What is written once inside cannot be read behind it.
static void write_nested(Writer *writer) {
  int words = writer->word_count, pairs = writer->pair_count;
  writer->depth++;
  write_statements(writer);
  writer->depth--;
  writer->word_count = words;
  writer->pair_count = pairs;
}

static void write_if(Writer *writer) {
  int label = writer->labels++;
  bool has_else = decide(writer, 2);
  write_text(writer, "@%s%s bra E%d;\n", decide(writer, 2) ? "!" : "", predicate(writer).text,
             label);
  write_nested(writer);
  if (has_else) write_text(writer, "bra F%d;\n", label);
  write_text(writer, "E%d:\n", label);
  if (has_else) write_nested(writer);
  if (has_else) write_text(writer, "F%d:\n", label);
}

// A loop of a known number of turns, tested at its end or, as compilers lay it out,
// in front of its first block; perhaps left in the middle.
static void write_loop(Writer *writer) {
  static const int steps[] = {1, 1, 2, -1};
  int label = writer->labels++, counter = label % 8;
  bool is_rotated = decide(writer, 2);
  int step = steps[decide(writer, 4)], limit = step * (int)(1 + decide(writer, 3));
  write_text(writer, "mov.u32 %%c%d, 0;\n", counter);
  if (is_rotated) {
    write_text(writer, "bra L%d;\nT%d:\nadd.s32 %%c%d, %%c%d, %d;\n", label, label, counter,
               counter, step);
    write_text(writer, "setp.eq.s32 %%q%d, %%c%d, %d;\n@%%q%d bra X%d;\n", counter, counter, limit,
               counter, label);
  }
  write_text(writer, "L%d:\nadd.s32 %%r7, %%r7, %%c%d;\n", label, counter);
  write_nested(writer);
  if (decide(writer, 4) == 0) write_text(writer, "@%s bra X%d;\n", predicate(writer).text, label);
  if (is_rotated)
    write_text(writer, "bra T%d;\n", label);
  else
    write_text(
        writer, "add.s32 %%c%d, %%c%d, %d;\nsetp.%s.s32 %%q%d, %%c%d, %d;\n@%%q%d bra L%d;\n",
        counter, counter, step, step < 0 ? "gt" : "lt", counter, counter, limit, counter, label);
  write_text(writer, "X%d:\n", label);
}

// A loop of one block that counts, to be unrolled: up or down, by one or more,
// to a limit that is a constant or differs from thread to thread.
static void write_counted(Writer *writer) {
  static const int steps[] = {1, 1, 2, 3, 5, -1, -1, -2};
  int label = writer->labels++, counter = 8 + label % 8, words = writer->word_count,
      pairs = writer->pair_count;
  int step = steps[decide(writer, 8)], turns = (int)decide(writer, 19);
  unsigned kind = decide(writer, 4);
  int from = (int)decide(writer, 5) - 2, limit = from + step * turns;
  const char *compare = kind == 0   ? "ne"
                        : step > 0  ? (kind == 1 ? "le" : "lt")
                        : kind == 1 ? "ge"
                                    : "gt";
  // Counting to equality never ends unless there is at least one turn.
  if (kind == 0 && turns == 0) limit += step;
  write_text(writer, "mov.u32 %%c%d, %d;\nmov.u32 %%m%d, %d;\n", counter, from, counter, limit);
  if (kind == 3)
    write_text(writer, "and.b32 %%x0, %%x1, 7;\nadd.s32 %%m%d, %%m%d, %%x0;\n", counter, counter);
  write_text(writer, "L%d:\n", label);
  for (unsigned i = 1 + decide(writer, 4); i > 0 && !is_over(writer); i--)
    switch (decide(writer, 5)) {
      case 0: write_load(writer); break;
      case 1: write_store(writer); break;
      case 2: write_wide(writer); break;
      case 3: write_real(writer); break;
      default: write_arithmetic(writer);
    }
  if (decide(writer, 2)) write_text(writer, "add.s32 %%r6, %%r6, %%c%d;\n", counter);
  write_text(writer,
             "add.s32 %%c%d, %%c%d, %d;\nsetp.%s.s32 %%q%d, %%c%d, %%m%d;\n@%%q%d bra L%d;\n",
             counter, counter, step, compare, counter, counter, counter, counter, label);
  writer->word_count = words;
  writer->pair_count = pairs;
}

static void write_statements(Writer *writer) {
  unsigned count = 1 + decide(writer, 12);
  for (unsigned i = 0; i < count && !is_over(writer); i++) {
    switch (decide(writer, 18)) {
      case 16:
      case 17:
        if (writer->labels < 24) write_counted(writer);
        break;
      case 0:
        if (writer->depth < DEEPEST) write_if(writer);
        break;
      case 1:
        if (writer->depth < DEEPEST && writer->labels < 8) write_loop(writer);
        break;
      case 2:
      case 3: write_load(writer); break;
      case 4:
      case 5: write_store(writer); break;
      case 6: write_predicate(writer); break;
      case 7:
      case 8: write_wide(writer); break;
      case 9: write_real(writer); break;
      case 10: write_rest(writer); break;
      case 11: write_run(writer); break;
      default: write_arithmetic(writer);
    }
  }
}

static const char head[] =
    ".version 6.4\n.target sm_70\n.address_size 64\n"
    ".func (.reg .u32 %o) twist (.reg .u32 %a, .reg .u32 %b) {\n"
    ".reg .u32 %k<4>;\nmov.u32 %k0, %a; shl.b32 %k1, %k0, 3; add.s32 %k2, %k1, %b;\n"
    "mov.u32 %k3, %k2; xor.b32 %o, %k3, 5; ret;\n}\n"
    ".entry k(.param .u64 out, .param .u64 in, .param .u32 n) {\n"
    ".shared .align 16 .b8 s[8192]; .local .align 16 .b8 l[128];\n"
    ".reg .u32 %r<10>, %t<1600>, %x<8>, %c<16>, %m<16>, %sb; .reg .u64 %d<4>, %w<1600>, %y<8>, "
    "%gb, "
    "%lb;\n"
    ".reg .f32 %f<5>; .reg .pred %p<4>, %q<16>;\n"
    "mov.u32 %x1, %tid.x; mov.u32 %x2, %ctaid.x; mov.u32 %x3, %ntid.x;\n"
    "mad.lo.s32 %x4, %x2, %x3, %x1; ld.param.u64 %y1, [out]; cvta.to.global.u64 %y2, %y1;\n"
    "mul.wide.u32 %y3, %x4, 512; add.s64 %gb, %y2, %y3; ld.param.u64 %y4, [in];\n"
    "shl.b32 %x5, %x1, 7; mov.u32 %x6, s; add.s32 %sb, %x6, %x5; mov.u64 %lb, l;\n"
    "mul.wide.u32 %y5, %x4, 4; add.s64 %y6, %y4, %y5; ld.param.u32 %r9, [n];\n";

static void write_kernel(Writer *writer) {
  write_text(writer, "%s", head);
  for (int i = 0; i < WORDS - 1; i++)
    write_text(writer, "ld.global.u32 %%r%d, [%%y6+%d];\n", i, i * 256);
  for (int i = 0; i < PAIRS; i++) write_text(writer, "cvt.u64.u32 %%d%d, %%r%d;\n", i, i);
  for (int i = 0; i < REALS; i++) write_text(writer, "cvt.rn.f32.u32 %%f%d, %%r%d;\n", i, i);
  for (int i = 0; i < 4; i++) write_text(writer, "setp.lt.s32 %%p%d, %%r%d, %%r%d;\n", i, i, i + 1);
  for (int i = 0; i < 32; i++) {
    write_text(writer, "st.shared.u32 [%%sb+%d], %%r%d;\n", 4 * i, i % WORDS);
    write_text(writer, "st.local.u32 [%%lb+%d], %%r%d;\n", 4 * i, (i + 3) % WORDS);
  }
  while (!is_over(writer)) write_statements(writer);
  int at = 128;
  for (int i = 0; i < WORDS; i++, at += 4)
    write_text(writer, "st.global.u32 [%%gb+%d], %%r%d;\n", at, i);
  for (int i = 0; i < REALS; i++, at += 4)
    write_text(writer, "st.global.f32 [%%gb+%d], %%f%d;\n", at, i);
  for (int i = 0; i < 4; i++, at += 4)
    write_text(writer, "selp.u32 %%x7, 1, 2, %%p%d;\nst.global.u32 [%%gb+%d], %%x7;\n", i, at);
  at = (at + 7) / 8 * 8;
  for (int i = 0; i < PAIRS; i++, at += 8)
    write_text(writer, "st.global.u64 [%%gb+%d], %%d%d;\n", at, i);
  for (int i = 0; i < 32 && at + 4 <= SLOT_BYTES; i++, at += 4)
    write_text(writer, "ld.%s.u32 %%x7, [%s+%d];\nst.global.u32 [%%gb+%d], %%x7;\n",
               i % 2 ? "shared" : "local", i % 2 ? "%sb" : "%lb", 4 * i, at);
  for (int i = 0; i < writer->word_count && at + 4 <= SLOT_BYTES; i++, at += 4)
    write_text(writer, "st.global.u32 [%%gb+%d], %%t%d;\n", at, writer->words[i]);
  write_text(writer, "ret;\n}\n");
}

// ---- running

typedef struct Outcome {
  Status status;
  uint8_t out[THREADS * CTAS * SLOT_BYTES];
} Outcome;

static void drop(void *sink, const char *text, size_t length) {
  (void)sink, (void)text, (void)length;
}

static void run(const PtxText *text, const CompilerConfig *compiler, Outcome *outcome) {
  Program *program;
  Error err;
  uint64_t out, in;
  uint32_t values[IN_BYTES / 4];
  if (ptx_compile_texts(&program, text, 1, PROGRAM_BASE, compiler, &err) != OK) {
    fprintf(stderr, "%s\n%s", err.text, text->text);
    abort();
  }
  DeviceMemory *memory = device_memory_create(1 << 24);
  if (device_memory_alloc(memory, sizeof outcome->out, ALLOCATION_HEAP, "out", &out, &err) != OK ||
      device_memory_alloc(memory, IN_BYTES, ALLOCATION_HEAP, "in", &in, &err) != OK)
    abort();
  for (uint32_t i = 0; i < IN_BYTES / 4; i++) values[i] = i * 2654435761u >> i % 29;
  device_memory_write(memory, in, values, IN_BYTES, NULL);
  memset(outcome->out, 0xa5, sizeof outcome->out);
  device_memory_write(memory, out, outcome->out, sizeof outcome->out, NULL);
  uint64_t params[3] = {out, in, 77};
  Launch launch;
  FunctionalOptions options = {.sm_count = 1, .ctas_per_sm = 1, .max_instructions = LIMIT};
  ExecContext context = {.memory = memory, .print = drop};
  outcome->status =
      launch_init(&launch, program, program_find_kernel(program, "k"), (uint32_t[]){CTAS, 1, 1},
                  (uint32_t[]){THREADS, 1, 1}, (uint8_t *)params, 0, 1024, &err);
  if (outcome->status == OK) outcome->status = functional_run(&context, &launch, &options, &err);
  device_memory_read(memory, out, outcome->out, sizeof outcome->out, NULL);
  device_memory_destroy(memory);
  program_destroy(program);
}

static void check_same(const PtxText *text, const Outcome *written, const Outcome *optimised) {
  // How far a run comes until the limit differs.
  if (written->status == ERR_LIMIT || optimised->status == ERR_LIMIT) return;
  if (written->status == optimised->status &&
      memcmp(written->out, optimised->out, sizeof written->out) == 0)
    return;
  fprintf(stderr, "%s\nstatus %d as written, %d optimised\n", text->text, written->status,
          optimised->status);
  for (size_t i = 0; i + 4 <= sizeof written->out; i += 4)
    if (memcmp(written->out + i, optimised->out + i, 4) != 0) {
      fprintf(stderr, "thread %zu, byte %zu of its slot\n", i / SLOT_BYTES, i % SLOT_BYTES);
      break;
    }
  abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Outcome written, optimised;
  Writer *writer = memory_alloc(sizeof *writer);
  writer->data = data;
  writer->size = size;
  writer->text = memory_alloc(TEXT_BYTES);
  write_kernel(writer);
  if (getenv("OPTIMISE_FUZZ_SHOW")) puts(writer->text);
  PtxText text = {"fuzz.ptx", writer->text, writer->length};
  static const uint32_t architectures[] = {70, 20, 35, 52};
  CompilerConfig compiler = {.optimise = true,
                             .architecture = size ? architectures[data[size - 1] % 4] : 70};
  run(&text, NULL, &written);
  run(&text, &compiler, &optimised);
  if (getenv("OPTIMISE_FUZZ_SHOW")) printf("// status %d\n", written.status);
  check_same(&text, &written, &optimised);
  memory_free(writer->text);
  memory_free(writer);
  return 0;
}
