// SPDX-License-Identifier: MIT
// Where the resident warps of all SMs are: for runs that a limit has stopped while no CTA
// completes, which often spin on a lock or a flag.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text_table.h"
#include "sm/sm.h"

enum { MOST_GROUPS = 256, SHOWN_GROUPS = 8 };

// Warps of one kernel at the same instruction and in the same state.
typedef struct WarpGroup {
  const Warp *first;
  const Instruction *in;  // NULL: they have exited
  const char *wait;
  uint64_t warps, most_instructions;
  int fewest_lanes;
} WarpGroup;

typedef struct WarpGroups {
  WarpGroup items[MOST_GROUPS];
  uint32_t count;
  uint64_t others;  // warps at further groups
} WarpGroups;

static const Instruction *instruction_of(const Sm *sm, uint32_t w) {
  const Warp *warp = sm->warps[w].warp;
  const Program *program = sm->warps[w].table->program;
  if (warp->stack_depth == 0 || (sm->ended >> w & 1)) return NULL;
  // The pc is already behind the barrier.
  if (sm->at_barrier >> w & 1 && warp->barrier_instruction) return warp->barrier_instruction;
  uint32_t pc = warp_top(warp)->pc;
  return pc < program->code_count ? &program->code[pc] : NULL;
}

static WarpGroup *find_group(WarpGroups *groups, const WarpGroup *wanted) {
  for (uint32_t i = 0; i < groups->count; i++) {
    WarpGroup *it = &groups->items[i];
    if (it->in == wanted->in && it->wait == wanted->wait &&
        it->first->cta->launch->kernel == wanted->first->cta->launch->kernel)
      return it;
  }
  if (groups->count == MOST_GROUPS) return NULL;
  groups->items[groups->count] = *wanted;
  return &groups->items[groups->count++];
}

static void add_warp(WarpGroups *groups, const Sm *sm, uint32_t w) {
  const Warp *warp = sm->warps[w].warp;
  WarpGroup own = {.first = warp, .in = instruction_of(sm, w), .wait = sm_wait_of(sm, w)};
  own.fewest_lanes = own.in ? __builtin_popcount(warp_top(warp)->mask) : 0;
  WarpGroup *group = find_group(groups, &own);
  if (!group) {
    groups->others++;
    return;
  }
  group->warps++;
  if (warp->instructions > group->most_instructions) group->most_instructions = warp->instructions;
  if (own.fewest_lanes < group->fewest_lanes) group->fewest_lanes = own.fewest_lanes;
}

// The most warps first, then by their first warp, of which two groups have different ones.
static int by_warps(const void *a, const void *b) {
  const WarpGroup *x = a, *y = b;
  const Warp *u = x->first, *v = y->first;
  if (x->warps != y->warps) return x->warps > y->warps ? -1 : 1;
  if (u->cta->linear != v->cta->linear) return u->cta->linear < v->cta->linear ? -1 : 1;
  return (u->index > v->index) - (u->index < v->index);
}

static void add_line(Error *err, const char *text) {
  size_t used = strlen(err->text);
  snprintf(err->text + used, sizeof err->text - used, "\n  %s", text);
}

static void report_group(const WarpGroup *group, Error *err) {
  char text[1024], number[GROUPED_BYTES], more[48] = "", at[512] = "", lanes[48] = "";
  const Warp *warp = group->first;
  const Launch *launch = warp->cta->launch;
  const Instruction *in = group->in;
  if (group->warps > 1)
    snprintf(more, sizeof more, " and %llu more", (unsigned long long)group->warps - 1);
  const SourceLine *source = in ? &launch->program->sources[in->source] : NULL;
  if (in && in->source)
    snprintf(at, sizeof at, " at %.300s:%u (%.64s)", source->file, source->line, in->text);
  else if (in)
    snprintf(at, sizeof at, " at %.300s:%u (%.64s)", warp_top(warp)->function->path, in->line,
             in->text);
  if (group->fewest_lanes < WARP_LANES && in)
    snprintf(lanes, sizeof lanes, " with %d of %d lanes active", group->fewest_lanes, WARP_LANES);
  snprintf(text, sizeof text,
           "warp %u of CTA %llu of kernel %.128s%s%s%s: waiting for %s; %s instructions executed, "
           "by a kernel of %u",
           warp->index, (unsigned long long)warp->cta->linear, function_title(launch->kernel), more,
           at, lanes, group->wait, text_grouped(number, group->most_instructions),
           launch->kernel->code_count);
  add_line(err, text);
}

void sm_report_resident(Sm *const *sms, uint32_t count, Error *err) {
  WarpGroups groups = {.count = 0};
  char text[64];
  for (uint32_t s = 0; s < count; s++)
    for (uint64_t left = sms[s]->resident; left; left &= left - 1)
      add_warp(&groups, sms[s], (uint32_t)__builtin_ctzll(left));
  if (groups.count) qsort(groups.items, groups.count, sizeof *groups.items, by_warps);
  for (uint32_t i = 0; i < groups.count && i < SHOWN_GROUPS; i++)
    report_group(&groups.items[i], err);
  uint64_t rest = groups.others;
  for (uint32_t i = SHOWN_GROUPS; i < groups.count; i++) rest += groups.items[i].warps;
  snprintf(text, sizeof text, "and %llu warps elsewhere", (unsigned long long)rest);
  if (rest) add_line(err, text);
}
