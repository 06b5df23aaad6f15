// SPDX-License-Identifier: MIT
// The search of heddle tune: classifies the program, tries variants in rounds, and writes the best
// source, which is the original if none is faster.
#include "tune/tune_search.h"

#include <string.h>

#include "base/files/file.h"
#include "base/files/replaced_file.h"
#include "base/memory.h"

enum { MOST_SOURCE_BYTES = 64 << 20 };

// ---- rounds

static bool is_same_source(const Variant *a, const Variant *b) {
  return strcmp(a->order, b->order) == 0 && strcmp(a->claim, b->claim) == 0 &&
         a->has_bypass == b->has_bypass && a->has_prefetch == b->has_prefetch;
}

// All kernels that can be rewritten, in one way. Active agents are set by the environment, so
// that variants that differ in nothing else share a program.
static const char *const *all_kernels(Tune *tune, const Variant *variant) {
  Arena *arena = &tune->session.arena;
  const char **texts = ARENA_ARRAY(arena, const char *, tune->choices.count + 1);
  Variant all = *variant;
  size_t count = 0;
  all.active = 0;
  for (size_t i = 0; i < tune->choices.count; i++)
    if (plan_is_rewritten(&tune->choices.items[i], tune->session.sm_count))
      texts[count++] = plan_kernel_text(&tune->choices.items[i], &all, arena);
  texts[count] = NULL;
  return texts;
}

// Variants that differ only in active agents share one program.
static Status build(Tune *tune, TriedVariant *tried, Error *err) {
  Arena *arena = &tune->session.arena;
  const Variant *variant = &tried->variant;
  for (const TriedVariant *other = tune->tried; other < tried; other++) {
    if (!is_same_source(&other->variant, variant)) continue;
    tried->source = other->source;
    tried->program = other->program;
    if (!other->evidence.count) tried->failure = other->failure;  // it was not built
    return OK;
  }
  tried->program =
      arena_printf(arena, "%s/%s.%s%s%s", tune->session.work, variant->order, variant->claim,
                   variant->has_bypass ? ".bypass" : "", variant->has_prefetch ? ".prefetch" : "");
  tried->source = arena_printf(arena, "%s.cu", tried->program);
  return tune_variant_build(&tune->session, tried, all_kernels(tune, variant), &tune->notes, err);
}

static Status try_round(Tune *tune, const VariantList *list, Error *err) {
  size_t first = tune->count;
  for (size_t i = 0; i < list->count && tune->count < MOST_TRIED - 2; i++) {
    TriedVariant *tried = &tune->tried[tune->count];
    *tried = (TriedVariant){.variant = list->items[i]};
    TRY(build(tune, tried, err));
    tune->count++;
  }
  TRY(tune_variants_run(&tune->session, &tune->tried[first], tune->count - first, &tune->outputs,
                        err));
  for (size_t i = first; i < tune->count; i++)
    if (!tune->tried[i].failure)
      plan_offer(&tune->choices, &tune->session.evidence, &tune->tried[i].evidence, i);
  return OK;
}

// ---- the final source

static const char *const *chosen_kernels(Tune *tune) {
  Arena *arena = &tune->session.arena;
  const char **texts = ARENA_ARRAY(arena, const char *, tune->choices.count + 1);
  size_t count = 0;
  for (size_t i = 0; i < tune->choices.count; i++) {
    const KernelChoice *choice = &tune->choices.items[i];
    if (choice->variant != KEPT)
      texts[count++] = plan_kernel_text(choice, &tune->tried[choice->variant].variant, arena);
  }
  texts[count] = NULL;
  return texts;
}

// Kernels that are slower in the final program than in the original, as neighbours in time may
// make them, are not rewritten after all. Whether there are any.
static bool drop_losers(Tune *tune, const TriedVariant *last) {
  KernelChoices now;
  bool has_some = false;
  plan_kernels(&now, &last->evidence, &tune->session.arena);
  for (size_t i = 0; i < tune->choices.count; i++) {
    KernelChoice *choice = &tune->choices.items[i];
    for (size_t k = 0; k < now.count && choice->variant != KEPT; k++) {
      if (strcmp(now.items[k].name, choice->name) != 0) continue;
      if (now.items[k].before < choice->before) {
        choice->after = now.items[k].before;
        continue;
      }
      choice->after = choice->before;
      choice->variant = KEPT;
      has_some = true;
    }
  }
  return has_some;
}

static Status try_final(Tune *tune, Error *err) {
  Arena *arena = &tune->session.arena;
  const char *notes;
  TriedVariant *last = &tune->tried[tune->count];
  *last = (TriedVariant){.variant = {.name = "final", .order = "", .claim = ""},
                         .source = tune->output};
  last->program = arena_printf(arena, "%s/tuned", tune->session.work);
  TRY(tune_variant_build(&tune->session, last, chosen_kernels(tune), &notes, err));
  TRY(tune_variants_run(&tune->session, last, 1, &tune->outputs, err));
  tune->count++;
  return OK;
}

// Builds the source with the best variant of each kernel, its number of agents fixed.
static Status make_final(Tune *tune, Error *err) {
  Arena *arena = &tune->session.arena;
  TRY(try_final(tune, err));
  bool is_usable = !tune->tried[tune->count - 1].failure;
  if (is_usable && drop_losers(tune, &tune->tried[tune->count - 1]) &&
      plan_cycles(&tune->choices) < tune->original_cycles)
    TRY(try_final(tune, err));
  const TriedVariant *last = &tune->tried[tune->count - 1];
  if (last->failure)
    tune->refusal = arena_printf(arena, "the best variant is unusable: %s", last->failure);
  else if (last->cycles >= tune->original_cycles)
    tune->refusal = "the final source is no faster than the original";
  else
    tune->chosen = last;
  return OK;
}

static Status copy_original(const Tune *tune, Error *err) {
  char *text;
  size_t length;
  TRY(file_read(tune->session.source, MOST_SOURCE_BYTES, &text, &length, err));
  ReplacedFile out;
  Status status = replaced_file_begin(&out, tune->output, err);
  if (status == OK) {
    fwrite(text, 1, length, out.file);
    status = replaced_file_end(&out, OK, err);
  }
  memory_free(text);
  return status;
}

static const char *first_failure(const Tune *tune) {
  for (size_t i = 0; i < tune->count; i++)
    if (tune->tried[i].failure) return tune->tried[i].failure;
  return "no variant was built";
}

// Variants of the first round that are the best for some kernel; the fastest one if there are
// none, as fewer agents may change that.
static size_t find_bases(const Tune *tune, const Variant *bases[]) {
  size_t count = 0, fastest = tune->count;
  for (size_t i = 0; i < tune->count; i++) {
    const TriedVariant *tried = &tune->tried[i];
    if (tried->failure) continue;
    if (fastest == tune->count || tried->cycles < tune->tried[fastest].cycles) fastest = i;
    bool is_best = false;
    for (size_t k = 0; k < tune->choices.count; k++) is_best |= tune->choices.items[k].variant == i;
    if (is_best) bases[count++] = &tried->variant;
  }
  if (!count && fastest < tune->count) bases[count++] = &tune->tried[fastest].variant;
  return count;
}

static bool has_kernels(const Tune *tune) {
  for (size_t i = 0; i < tune->choices.count; i++)
    if (plan_is_rewritten(&tune->choices.items[i], tune->session.sm_count)) return true;
  return false;
}

static Status search(Tune *tune, Error *err) {
  TuneSession *session = &tune->session;
  Arena *arena = &session->arena;
  VariantList list;
  const Variant *bases[MOST_TRIED];
  plan_kernels(&tune->choices, &session->evidence, arena);
  tune->refusal = plan_refusal(&session->evidence, session->verdicts, arena);
  if (!tune->refusal && !has_kernels(tune))
    tune->refusal = "no grid has more CTAs than the GPU SMs";
  if (tune->refusal) return OK;
  plan_first_round(&list, &session->evidence, session->verdicts, arena);
  TRY(try_round(tune, &list, err));
  size_t count = find_bases(tune, bases);
  if (!count) {
    tune->refusal = first_failure(tune);
    return OK;
  }
  plan_second_round(&list, bases, count, &session->evidence, session->verdicts, arena);
  TRY(try_round(tune, &list, err));
  if (plan_cycles(&tune->choices) < tune->original_cycles) return make_final(tune, err);
  tune->refusal = "no variant makes a kernel faster by 1 % or more";
  return OK;
}

Status tune_search(Tune *tune, Error *err) {
  TuneSession *session = &tune->session;
  const char *paths[EXPERIMENTS];
  TRY(tune_session_classify(session, paths, err));
  TRY(outputs_read(&tune->outputs, paths, EXPERIMENTS, err));
  for (size_t i = 0; i < session->evidence.count; i++)
    tune->original_cycles += session->evidence.kernels[i].measured[EXPERIMENT_BASE].cycles;
  TRY(search(tune, err));
  if (!tune->chosen) return copy_original(tune, err);
  return gain_source_read(&tune->gain, tune->session.setting.db, tune->session.key,
                          tune->chosen->key, &tune->session.arena, err);
}
