// SPDX-License-Identifier: MIT
// Chooses which variants heddle tune tries, and which it keeps.
#include "tune/plan.h"

#include <string.h>

enum { MOST_VARIANTS = 48 };
static const double worth = 0.01;         // minimum gain in time to rewrite a kernel
static const double worth_trying = 0.02;  // minimum gain of an ideal L1 to try variants

static uint64_t cycles_of(const Evidence *evidence, Experiment experiment) {
  uint64_t cycles = 0;
  for (size_t i = 0; i < evidence->count; i++)
    cycles += evidence->kernels[i].measured[experiment].cycles;
  return cycles;
}

// Whether some grid has several CTAs, so that their order can matter.
static bool has_many_ctas(const Evidence *evidence) {
  for (size_t i = 0; i < evidence->count; i++)
    if (evidence->kernels[i].ctas > 1) return true;
  return false;
}

const char *plan_refusal(const Evidence *evidence, const Verdict *verdicts, Arena *arena) {
  uint64_t base = cycles_of(evidence, EXPERIMENT_BASE);
  double ideal = 1 - change(base, cycles_of(evidence, EXPERIMENT_IDEAL));
  (void)verdicts;
  if (!evidence->count) return "no kernels were launched";
  if (!has_many_ctas(evidence)) return "every grid has one CTA";
  if (ideal >= worth_trying) return NULL;
  return arena_printf(arena, "an L1 that always hits would gain only %.1f %%", ideal * 100);
}

// ---- rounds

static void add(VariantList *list, Variant variant) {
  list->items[list->count++] = variant;
}

static void start(VariantList *list, Arena *arena) {
  *list = (VariantList){.items = ARENA_ARRAY(arena, Variant, MOST_VARIANTS)};
}

// By counter and by stride.
static void add_claims(VariantList *list, const char *name, const char *order, Arena *arena) {
  static const char *const claims[] = {"counter", "stride"};
  for (int i = 0; i < 2; i++)
    add(list, (Variant){.name = arena_printf(arena, "%s, %s", name, claims[i]),
                        .order = order,
                        .claim = claims[i]});
}

void plan_first_round(VariantList *list, const Evidence *evidence, const Verdict *verdicts,
                      Arena *arena) {
  bool by_row = false, by_column = false;
  for (size_t i = 0; i < evidence->count; i++) {
    by_row |= verdicts[i].order == BEST_ROW;
    by_column |= verdicts[i].order == BEST_COLUMN;
  }
  start(list, arena);
  add_claims(list, "agents", "auto", arena);
  if (by_row) add_claims(list, "agents by rows", "row", arena);
  if (by_column) add_claims(list, "agents by columns", "column", arena);
}

static bool is_exploitable(const Evidence *evidence, const Verdict *verdicts) {
  for (size_t i = 0; i < evidence->count; i++)
    if (verdicts[i].is_exploitable) return true;
  return false;
}

static bool has_others(const Evidence *evidence, const Verdict *verdicts) {
  for (size_t i = 0; i < evidence->count; i++)
    if (!verdicts[i].is_exploitable) return true;
  return false;
}

static uint64_t most_agents(const Evidence *evidence) {
  uint64_t most = 0;
  for (size_t i = 0; i < evidence->count; i++)
    if (evidence->kernels[i].ctas_per_sm > most) most = evidence->kernels[i].ctas_per_sm;
  return most;
}

static bool is_listed(const VariantList *list, const Variant *variant) {
  for (size_t i = 0; i < list->count; i++) {
    const Variant *other = &list->items[i];
    if (other->active == variant->active && strcmp(other->order, variant->order) == 0 &&
        strcmp(other->claim, variant->claim) == 0 && other->has_bypass == variant->has_bypass &&
        other->has_prefetch == variant->has_prefetch)
      return true;
  }
  return false;
}

// Which claim is better may depend on the number of agents, so both are tried: the programs exist.
static void add_fewer_agents(VariantList *list, const Variant *base, uint64_t most, Arena *arena) {
  static const char *const claims[] = {"counter", "stride"};
  size_t prefix = strcspn(base->name, ",");
  for (uint64_t active = most / 2; active >= 1; active /= 2)
    for (int i = 0; i < 2; i++) {
      Variant variant = *base;
      variant.claim = claims[i];
      variant.active = (uint32_t)active;
      variant.name = arena_printf(arena, "%.*s, %s, %u active", (int)prefix, base->name, claims[i],
                                  variant.active);
      if (!is_listed(list, &variant)) add(list, variant);
    }
}

static void add_refined(VariantList *list, const Variant *base, const Evidence *evidence,
                        const Verdict *verdicts, Arena *arena) {
  add_fewer_agents(list, base, most_agents(evidence), arena);
  if (is_exploitable(evidence, verdicts)) {
    Variant variant = *base;
    variant.has_bypass = true;
    variant.name = arena_printf(arena, "%s, bypass", base->name);
    add(list, variant);
  }
  if (has_others(evidence, verdicts)) {
    Variant variant = *base;
    variant.has_prefetch = true;
    variant.name = arena_printf(arena, "%s, prefetch", base->name);
    add(list, variant);
  }
}

// At most twelve of each base: agents per SM are at most 32.
void plan_second_round(VariantList *list, const Variant *const *bases, size_t base_count,
                       const Evidence *evidence, const Verdict *verdicts, Arena *arena) {
  enum { MOST_OF_ONE = 12 };
  start(list, arena);
  for (size_t i = 0; i < base_count && list->count + MOST_OF_ONE <= MOST_VARIANTS; i++)
    add_refined(list, bases[i], evidence, verdicts, arena);
}

// ---- choices

static const KernelEvidence *find(const Evidence *evidence, const char *name) {
  for (size_t i = 0; i < evidence->count; i++)
    if (strcmp(evidence->kernels[i].name, name) == 0) return &evidence->kernels[i];
  return NULL;
}

// "reduce<float, 256>" is rewritten as reduce, "a::b" as b.
static const char *source_name(Arena *arena, const char *readable) {
  size_t length = strcspn(readable, "<(");
  const char *name = arena_strndup(arena, readable, length), *colon;
  while ((colon = strstr(name, "::"))) name = colon + 2;
  return name;
}

static bool is_instance(const KernelChoice *choice, const char *readable) {
  size_t length = strcspn(readable, "<("), own = strlen(choice->name);
  if (length < own || strncmp(readable + length - own, choice->name, own) != 0) return false;
  return length == own || readable[length - own - 1] == ':';
}

static KernelChoice *choice_of(const KernelChoices *choices, const char *readable) {
  for (size_t i = 0; i < choices->count; i++)
    if (is_instance(&choices->items[i], readable)) return &choices->items[i];
  return NULL;
}

void plan_kernels(KernelChoices *choices, const Evidence *original, Arena *arena) {
  choices->items = ARENA_ARRAY(arena, KernelChoice, original->count + 1);
  choices->count = 0;
  for (size_t i = 0; i < original->count; i++) {
    const KernelEvidence *kernel = &original->kernels[i];
    KernelChoice *choice = choice_of(choices, kernel->name);
    if (!choice) {
      choice = &choices->items[choices->count++];
      *choice = (KernelChoice){.name = source_name(arena, kernel->name),
                               .ctas_per_sm = kernel->ctas_per_sm,
                               .variant = KEPT};
    }
    if (kernel->ctas > choice->ctas) choice->ctas = kernel->ctas;
    if (kernel->ctas_per_sm < choice->ctas_per_sm) choice->ctas_per_sm = kernel->ctas_per_sm;
    choice->before = choice->after += kernel->measured[EXPERIMENT_BASE].cycles;
  }
}

bool plan_is_rewritten(const KernelChoice *choice, uint64_t sm_count) {
  return choice->ctas > sm_count;
}

// Cycles of all instances of a kernel; false if the variant lacks one.
static bool cycles_with(const KernelChoice *choice, const Evidence *original,
                        const Evidence *variant, uint64_t *cycles) {
  *cycles = 0;
  for (size_t i = 0; i < original->count; i++) {
    const char *name = original->kernels[i].name;
    if (!is_instance(choice, name)) continue;
    const KernelEvidence *after = find(variant, name);
    if (!after) return false;
    *cycles += after->measured[EXPERIMENT_BASE].cycles;
  }
  return true;
}

void plan_offer(KernelChoices *choices, const Evidence *original, const Evidence *variant,
                size_t number) {
  for (size_t i = 0; i < choices->count; i++) {
    KernelChoice *choice = &choices->items[i];
    uint64_t cycles;
    if (!cycles_with(choice, original, variant, &cycles)) continue;
    if ((double)cycles >= (double)choice->before * (1 - worth) || cycles >= choice->after) continue;
    choice->after = cycles;
    choice->variant = number;
  }
}

uint64_t plan_cycles(const KernelChoices *choices) {
  uint64_t cycles = 0;
  for (size_t i = 0; i < choices->count; i++) cycles += choices->items[i].after;
  return cycles;
}

const char *plan_kernel_text(const KernelChoice *choice, const Variant *variant, Arena *arena) {
  enum { MOST_BOUND = 32 };
  const char *text =
      arena_printf(arena, "%s:order=%s,claim=%s", choice->name, variant->order, variant->claim);
  if (variant->active) text = arena_printf(arena, "%s,active=%u", text, variant->active);
  if (variant->has_bypass) text = arena_printf(arena, "%s,bypass=auto", text);
  if (variant->has_prefetch) text = arena_printf(arena, "%s,prefetch=true", text);
  if (choice->ctas_per_sm >= 1 && choice->ctas_per_sm <= MOST_BOUND)
    text = arena_printf(arena, "%s,ctas=%u", text, (unsigned)choice->ctas_per_sm);
  return text;
}
