// SPDX-License-Identifier: MIT
// Two accesses to the same cell: whether they race, and which of them comes first.
#include "races/race_visit.h"

// ---- order

static bool is_before(const Visit *visit, const Touch *before) {
  uint32_t warp = stamp_warp(before->stamp), clock = stamp_clock(before->stamp);
  if (before->cta == visit->mine.cta) return clock <= visit->own->clock[warp];
  const RaceCta *other = &visit->races->ctas[before->cta - 1];
  if (other->launch != visit->cta->launch) return true;  // kernels are not checked with each other
  return known_has(&visit->own->known, before->cta, warp, clock);
}

// Lanes of one instruction that write the same cell: those below `lane` come first.
static bool wrote_in_this_instruction(const Visit *visit, int lane, uint64_t address) {
  const MemoryAccess *access = &visit->context->access;
  for (int i = 0; i < lane; i++)
    if (access->mask >> i & 1 && access->address[i] <= address &&
        address < access->address[i] + access->bytes)
      return true;
  return false;
}

// Both in the same warp: without independent lanes, instructions follow one another.
static bool is_warp_race(const Visit *visit, const Touch *before, int lane, uint64_t address,
                         bool was_write) {
  if (stamp_lane(before->stamp) == (uint32_t)lane) return false;
  if (stamp_clock(before->stamp) < visit->own->clock[visit->warp_index]) return false;
  if (visit->races->check_warps) return true;
  return visit->is_write && was_write && before->pc == visit->mine.pc &&
         wrote_in_this_instruction(visit, lane, address);
}

// Atomics never race with each other; nor do strong accesses, but for those of one warp to shared
// memory: volatile ones are what warp-synchronous code has always used.
static bool are_both(uint32_t flag, const Visit *visit, const Touch *before) {
  return visit->mine.stamp & before->stamp & flag;
}

static bool is_race(const Visit *visit, const Touch *before, int lane, uint64_t address,
                    bool was_write) {
  if (are_both(ACCESS_IS_ATOMIC, visit, before)) return false;
  if (!visit->is_shared && are_both(ACCESS_IS_STRONG, visit, before)) return false;
  if (before->cta == visit->mine.cta && stamp_warp(before->stamp) == visit->warp_index)
    return is_warp_race(visit, before, lane, address, was_write);
  return !are_both(ACCESS_IS_STRONG, visit, before) && !is_before(visit, before);
}

// ---- reports

uint32_t race_line(const Visit *visit, uint32_t pc) {
  const Program *program = visit->warp->cta->launch->program;
  const SourceLine *source = race_source(program, pc);
  return source ? source->line : program->code[pc].line;
}

// Whether the access of this visit comes before the other one in the program, although it was
// simulated after it: warps are simulated in any order. If the warp has executed the other's
// line, in the same round of barriers as the other or later, it comes after; in an earlier one,
// the other is a round ahead. If it never has, the order of the lines decides.
static bool comes_first(const Visit *visit, const Touch *other, bool was_write) {
  uint32_t line = race_line(visit, other->pc), own = race_line(visit, visit->mine.pc);
  uint32_t key = executed_key(line, was_write);
  const ExecutedLine *executed = &visit->own->executed[key % EXECUTED];
  if (other->pc == visit->mine.pc) return false;
  if (executed->clock && executed->key == key && line != own)
    return executed->clock < stamp_clock(other->stamp);
  return line == own ? visit->mine.pc < other->pc : own < line;
}

static void report(const Visit *visit, const Touch *before, int lane, uint64_t address,
                   RaceKind kind, bool is_benign) {
  Races *races = visit->races;
  if (is_benign && !races->options.all) return;  // common, and the text is not wanted
  int now = comes_first(visit, before, kind != RACE_WAR) ? 0 : 1;
  Conflict conflict = {.context = visit->context,
                       .launch = visit->warp->cta->launch,
                       .is_shared = visit->is_shared,
                       .is_benign = is_benign,
                       .address = address};
  conflict.touches[now] = visit->mine;
  conflict.touches[now].stamp = stamp_with_lane(visit->mine.stamp, (uint32_t)lane);
  conflict.ctas[now] = visit->warp->cta->linear;
  conflict.is_write[now] = kind != RACE_RAW;
  conflict.touches[!now] = *before;
  conflict.ctas[!now] = races->ctas[before->cta - 1].linear;
  conflict.is_write[!now] = kind != RACE_WAR;
  race_table_add(&races->found, &conflict);
}

static inline bool is_same_thread(const Visit *visit, const Touch *before, int lane) {
  return before->cta == visit->mine.cta && stamp_warp(before->stamp) == visit->warp_index &&
         stamp_lane(before->stamp) == (uint32_t)lane;
}

// ---- cells

void race_read_over_write(const Visit *visit, const Touch *write, int lane, uint64_t address) {
  if (is_race(visit, write, lane, address, true))
    report(visit, write, lane, address, RACE_RAW, false);
}

// The same thread, or its warp, of which several lanes have read, tested the word.
static void note_tested(const Visit *visit, const Touch *read, int lane) {
  Races *races = visit->races;
  uint32_t clock = visit->own->clock[visit->warp_index], reader = stamp_lane(read->stamp);
  if (!(visit->mine.stamp & ACCESS_IS_ATOMIC) || read->stamp & ACCESS_IS_STRONG) return;
  if (read->cta != visit->mine.cta || stamp_warp(read->stamp) != visit->warp_index ||
      stamp_clock(read->stamp) != clock || (reader != (uint32_t)lane && reader != SEVERAL_LANES))
    return;
  if (races->tested[0] == read->pc && races->tested[1] == visit->mine.pc &&
      races->tested_launch == visit->cta->launch)
    return;
  races->tested[0] = read->pc;
  races->tested[1] = visit->mine.pc;
  races->tested_launch = visit->cta->launch;
  race_table_note_tested(&races->found, visit->warp->cta->launch, read->pc, visit->mine.pc);
}

void race_write_over_write(const Visit *visit, const WriteCell *write, int lane, uint64_t address,
                           uint32_t value) {
  if (!is_race(visit, &write->by, lane, address, true)) return;
  bool is_atomic = (write->by.stamp | visit->mine.stamp) & ACCESS_IS_ATOMIC;
  bool is_benign = visit->is_store && !is_atomic && write->value == value;
  report(visit, &write->by, lane, address, RACE_WAW, is_benign);
}

void race_write_over_read(const Visit *visit, const Touch *read, int lane, uint64_t address) {
  if (read->cta < visit->first_cta) return;
  note_tested(visit, read, lane);
  if (!is_same_thread(visit, read, lane) && is_race(visit, read, lane, address, false))
    report(visit, read, lane, address, RACE_WAR, false);
}
