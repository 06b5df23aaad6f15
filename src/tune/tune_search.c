// SPDX-License-Identifier: MIT
#include "tune/tune_search.h"

#include <string.h>

#include "base/files/file.h"
#include "base/files/replaced_file.h"
#include "base/memory.h"

enum { MOST_SOURCE_BYTES = 64 << 20 };

// ---- rounds

static const TriedVariant *best_of(const Tune *tune) {
  const TriedVariant *best = NULL;
  for (size_t i = 0; i < tune->count; i++) {
    const TriedVariant *tried = &tune->tried[i];
    if (!tried->failure && (!best || tried->best_cycles < best->best_cycles)) best = tried;
  }
  return best;
}

static bool is_same_source(const Variant *a, const Variant *b) {
  return strcmp(a->order, b->order) == 0 && a->has_bypass == b->has_bypass &&
         a->has_prefetch == b->has_prefetch;
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
      arena_printf(arena, "%s/%s%s%s", tune->session.work, variant->order,
                   variant->has_bypass ? ".bypass" : "", variant->has_prefetch ? ".prefetch" : "");
  tried->source = arena_printf(arena, "%s.cu", tried->program);
  return tune_variant_build(&tune->session, tried, NULL, false, &tune->notes, err);
}

static Status try_round(Tune *tune, const VariantList *list, Error *err) {
  size_t first = tune->count;
  for (size_t i = 0; i < list->count && tune->count < MOST_TRIED - 1; i++) {
    TriedVariant *tried = &tune->tried[tune->count];
    *tried = (TriedVariant){.variant = list->items[i]};
    TRY(build(tune, tried, err));
    tune->count++;
  }
  return tune_variants_run(&tune->session, &tune->tried[first], tune->count - first, &tune->outputs,
                           false, err);
}

// ---- the final source

// "reduce<float, 256>" is rewritten as reduce, "a::b" as b.
static const char *kernel_name(Arena *arena, const char *readable) {
  size_t length = strcspn(readable, "<(");
  const char *name = arena_strndup(arena, readable, length), *colon;
  while ((colon = strstr(name, "::"))) name = colon + 2;
  return name;
}

static bool gains_all(const Tune *tune, const TriedVariant *tried) {
  for (size_t i = 0; i < tune->session.evidence.count; i++)
    if (!tried->gains[i]) return false;
  return true;
}

// Builds the best variant with only the kernels that gain, its number of agents fixed in the
// source.
static Status make_final(Tune *tune, const TriedVariant *best, Error *err) {
  Arena *arena = &tune->session.arena;
  const Evidence *original = &tune->session.evidence;
  const char **kernels = ARENA_ARRAY(arena, const char *, original->count + 1);
  const char *notes;
  size_t count = 0;
  for (size_t i = 0; i < original->count; i++)
    if (best->gains[i]) kernels[count++] = kernel_name(arena, original->kernels[i].name);
  kernels[count] = NULL;
  TriedVariant *last = &tune->tried[tune->count];
  *last = (TriedVariant){.variant = best->variant, .source = tune->output};
  last->variant.name = arena_printf(arena, "final: %s%s", best->variant.name,
                                    gains_all(tune, best) ? "" : ", some kernels");
  last->program = arena_printf(arena, "%s/tuned", tune->session.work);
  TRY(tune_variant_build(&tune->session, last, kernels, true, &notes, err));
  TRY(tune_variants_run(&tune->session, last, 1, &tune->outputs, true, err));
  tune->count++;
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

static Status search(Tune *tune, Error *err) {
  TuneSession *session = &tune->session;
  Arena *arena = &session->arena;
  VariantList list;
  tune->refusal = plan_refusal(&session->evidence, session->verdicts, arena);
  if (tune->refusal) return OK;
  plan_first_round(&list, &session->evidence, session->verdicts, arena);
  TRY(try_round(tune, &list, err));
  const TriedVariant *best = best_of(tune);
  if (!best) {
    tune->refusal = first_failure(tune);
    return OK;
  }
  plan_second_round(&list, &best->variant, &session->evidence, session->verdicts, arena);
  TRY(try_round(tune, &list, err));
  best = best_of(tune);
  if (best->best_cycles < tune->original_cycles) return make_final(tune, best, err);
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
  return tune->chosen ? OK : copy_original(tune, err);
}
