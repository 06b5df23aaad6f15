// SPDX-License-Identifier: MIT
// Instruction lines. The grammar hardly depends on the version: a line is read as far as its own
// counts say, and what may follow (immediates, values of registers) is skipped.
#include "frontends/accelsim/sass_line.h"

#include <ctype.h>
#include <string.h>

typedef struct Scan {
  const char *at;
  const char *problem;  // NULL: none so far
} Scan;

static void fail(Scan *scan, const char *problem) {
  if (!scan->problem) scan->problem = problem;
}

static void skip_blanks(Scan *scan) {
  while (*scan->at == ' ' || *scan->at == '\t') scan->at++;
}

static bool is_end(const char *at) {
  return !*at || *at == ' ' || *at == '\t';
}

static uint64_t take_hex(Scan *scan, const char *what) {
  uint64_t value = 0;
  int digits = 0;
  skip_blanks(scan);
  if (scan->at[0] == '0' && (scan->at[1] == 'x' || scan->at[1] == 'X')) scan->at += 2;
  for (; isxdigit((unsigned char)*scan->at); scan->at++, digits++) {
    int c = tolower((unsigned char)*scan->at);
    value = value << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
  }
  if (!digits || digits > 16 || !is_end(scan->at)) fail(scan, what);
  return value;
}

static int64_t take_decimal(Scan *scan, const char *what) {
  uint64_t value = 0;
  int digits = 0;
  skip_blanks(scan);
  bool is_negative = *scan->at == '-';
  scan->at += is_negative;
  for (; isdigit((unsigned char)*scan->at); scan->at++, digits++)
    value = value * 10 + (uint64_t)(*scan->at - '0');
  if (!digits || digits > 19 || !is_end(scan->at)) fail(scan, what);
  return is_negative ? -(int64_t)value : (int64_t)value;
}

static uint32_t take_count(Scan *scan, uint32_t most, const char *what) {
  int64_t count = take_decimal(scan, what);
  if (count < 0 || count > most) {
    fail(scan, what);
    return 0;
  }
  return (uint32_t)count;
}

typedef struct RegisterKind {
  const char *prefix;
  uint16_t first;     // as a number
  uint16_t constant;  // the one that always has the same value: not a register
} RegisterKind;

// The longer prefix first.
static const RegisterKind register_kinds[] = {
    {"UR", SASS_UNIFORM, 63},
    {"UP", SASS_UNIFORM_PREDICATE, 7},
    {"R", 0, 255},
    {"P", SASS_PREDICATE, 7},
};

// The register's number, or SASS_CONSTANT. UR255, as some tracers write for the uniform zero, is
// constant too.
static uint16_t take_register(Scan *scan) {
  skip_blanks(scan);
  for (size_t i = 0; i < sizeof register_kinds / sizeof *register_kinds; i++) {
    const RegisterKind *kind = &register_kinds[i];
    size_t length = strlen(kind->prefix);
    if (strncmp(scan->at, kind->prefix, length) || !isdigit((unsigned char)scan->at[length]))
      continue;
    scan->at += length;
    int64_t number = take_decimal(scan, "expected a register such as R12, UR4 or P0");
    return number < kind->constant ? (uint16_t)(kind->first + number) : SASS_CONSTANT;
  }
  fail(scan, "expected a register such as R12, UR4 or P0");
  return SASS_CONSTANT;
}

static uint8_t take_registers(Scan *scan, uint16_t *to, uint32_t most, const char *what) {
  uint32_t count = take_count(scan, most, what);
  for (uint32_t i = 0; i < count && !scan->problem; i++) to[i] = take_register(scan);
  return (uint8_t)count;
}

static void take_opcode(Scan *scan, char *to) {
  skip_blanks(scan);
  size_t length = strcspn(scan->at, " \t");
  if (!length || length >= MAX_SASS_OPCODE_BYTES || !isalpha((unsigned char)*scan->at)) {
    fail(scan, "expected an opcode such as LDG.E.64");
    return;
  }
  memcpy(to, scan->at, length);
  to[length] = 0;
  scan->at += length;
}

// The number that ends `text` if it is [letters]digits, such as 128, U8, S16; 0: it is not.
static uint32_t bits_in(const char *text, size_t length) {
  uint32_t bits = 0;
  if (length && (*text == 'U' || *text == 'S')) text++, length--;
  if (!length || length > 3) return 0;
  for (size_t i = 0; i < length; i++) {
    if (!isdigit((unsigned char)text[i])) return 0;
    bits = bits * 10 + (uint32_t)(text[i] - '0');
  }
  return bits;
}

uint8_t sass_opcode_bytes(const char *opcode) {
  for (const char *dot = strchr(opcode, '.'); dot; dot = strchr(dot + 1, '.')) {
    uint32_t bits = bits_in(dot + 1, strcspn(dot + 1, "."));
    if (bits == 8 || bits == 16 || bits == 32 || bits == 64 || bits == 128)
      return (uint8_t)(bits / 8);
  }
  return 4;
}

static bool contains_any(const char *text, const char *const *words) {
  for (; *words; words++)
    if (strstr(text, *words)) return true;
  return false;
}

// How lanes' addresses are written.
enum { ADDRESS_LIST, ADDRESS_STRIDE, ADDRESS_DELTAS, BULK_LIST, BULK_DELTAS };

static void take_addresses(Scan *scan, SassLine *out) {
  uint32_t mode = take_count(scan, ADDRESS_DELTAS, "unknown encoding of addresses");
  uint64_t address = 0;
  int64_t step = 0;
  uint32_t index = 0;
  if (mode != ADDRESS_LIST) address = take_hex(scan, "expected an address");
  if (mode == ADDRESS_STRIDE) step = take_decimal(scan, "expected the stride of addresses");
  for (uint32_t left = out->mask; left && !scan->problem; left &= left - 1, index++) {
    if (mode == ADDRESS_LIST) address = take_hex(scan, "expected an address per active lane");
    if (mode == ADDRESS_DELTAS && index)
      address += (uint64_t)take_decimal(scan, "expected a difference per further active lane");
    if (mode == ADDRESS_STRIDE && index) address += (uint64_t)step;
    out->address[__builtin_ctz(left)] = address;
  }
}

// Of the tensor memory accelerator: the tile's first address stands for all of it.
static void take_bulk(Scan *scan, SassLine *out) {
  take_hex(scan, "expected the address of an mbarrier");
  if (take_count(scan, 1, "expected 0 or 1: multicast")) take_hex(scan, "expected a mask of CTAs");
  out->bulk_bytes = (uint64_t)take_decimal(scan, "expected the bytes of a bulk copy");
  take_decimal(scan, "expected the bytes out of bounds");
  uint32_t mode = take_count(scan, BULK_DELTAS, "unknown encoding of addresses");
  if (mode < BULK_LIST) fail(scan, "unknown encoding of addresses");
  if (mode == BULK_DELTAS) out->address[0] = take_hex(scan, "expected an address");
  uint32_t count = take_count(scan, UINT16_MAX, "expected the number of addresses");
  for (uint32_t i = mode == BULK_DELTAS; i < count && !scan->problem; i++) {
    uint64_t address = mode == BULK_LIST ? take_hex(scan, "expected an address")
                                         : (uint64_t)take_decimal(scan, "expected a difference");
    if (mode == BULK_LIST && !i) out->address[0] = address;
  }
}

static void take_memory(Scan *scan, SassLine *out) {
  static const char *const bulk[] = {"UTMALDG", "UTMASTG", "UTMAPF",  "UTMAREDG",
                                     "UBLKCP",  "UBLKPF",  "UBLKRED", NULL};
  uint32_t width = take_count(scan, UINT16_MAX, "expected the width of an access, or 0");
  if (!width) return;
  out->is_memory = true;
  out->bytes = sass_opcode_bytes(out->opcode);
  if (contains_any(out->opcode, bulk))
    take_bulk(scan, out);
  else
    take_addresses(scan, out);
}

// Immediates, then "NoVal", or "Val" and the values of registers: nothing that takes time.
static void skip_rest(Scan *scan) {
  for (int i = 0; i < 2; i++) {
    skip_blanks(scan);
    if (*scan->at == '-' || isdigit((unsigned char)*scan->at))
      take_decimal(scan, "expected an immediate");
  }
  skip_blanks(scan);
  bool has_values = !strncmp(scan->at, "Val", 3), has_none = !strncmp(scan->at, "NoVal", 5);
  if (*scan->at && !has_values && !has_none) fail(scan, "unexpected text at the end of the line");
}

const char *sass_line_parse(SassLine *out, const char *text, uint32_t version, bool has_line) {
  Scan scan = {.at = text};
  enum { IDS_BEFORE_VERSION_3 = 4, GROUPED_SINCE = 3 };
  out->source_line = 0;
  out->is_memory = false;
  out->bytes = 0;
  out->bulk_bytes = 0;
  out->opcode[0] = 0;
  for (uint32_t i = 0; version < GROUPED_SINCE && i < IDS_BEFORE_VERSION_3; i++)
    take_decimal(&scan, "expected the numbers of thread block and warp");
  if (has_line) out->source_line = (uint32_t)take_decimal(&scan, "expected a source line");
  uint64_t pc = take_hex(&scan, "expected a program counter");
  uint64_t mask = take_hex(&scan, "expected a mask of lanes");
  if (pc > UINT32_MAX || mask > UINT32_MAX) fail(&scan, "program counter or mask out of range");
  out->pc = (uint32_t)pc;
  out->mask = (uint32_t)mask;
  out->destination_count = take_registers(&scan, out->destinations, MAX_SASS_DESTINATIONS,
                                          "expected the number of destinations");
  if (!scan.problem) take_opcode(&scan, out->opcode);
  if (!scan.problem)
    out->source_count =
        take_registers(&scan, out->sources, MAX_SASS_SOURCES, "expected the number of sources");
  if (!scan.problem && strstr(out->opcode, "GMMA") && version >= 6)
    take_count(&scan, 1, "expected 0 or 1: commits a group");
  if (!scan.problem) take_memory(&scan, out);
  if (!scan.problem) skip_rest(&scan);
  return scan.problem;
}
