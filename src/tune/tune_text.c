// SPDX-License-Identifier: MIT
// The outcome of a search as tables and as JSON.
#include "base/text/text_table.h"
#include "tune/evidence_text.h"
#include "tune/tune_search.h"

static const char *result_of(const TriedVariant *tried) {
  static const char *const names[] = {"same", "DIFFERENT", "only exit code compared"};
  return tried->failure ? tried->failure : names[tried->sameness];
}

static uint64_t reads_of(const Evidence *evidence) {
  uint64_t reads = 0;
  for (size_t i = 0; i < evidence->count; i++)
    reads += evidence->kernels[i].measured[EXPERIMENT_BASE].l2_reads;
  return reads;
}

static const char *variant_of(const Tune *tune, const KernelChoice *choice) {
  return choice->variant == KEPT ? "original" : tune->tried[choice->variant].variant.name;
}

static void print_tried(const Tune *tune, FILE *file) {
  static const char *const columns[] = {
      "variant", ">cycles", ">speed-up", ">with the best kernels", ">L2 reads", "results", NULL};
  TextTable table = {0};
  text_table_init(&table, columns);
  text_table_add(&table, "original");
  text_table_add_count(&table, tune->original_cycles);
  for (int i = 0; i < 2; i++) text_table_add(&table, "1.000");
  text_table_add_count(&table, reads_of(&tune->session.evidence));
  text_table_add(&table, "-");
  for (size_t i = 0; i < tune->count; i++) {
    const TriedVariant *tried = &tune->tried[i];
    text_table_add(&table, "%s", tried->variant.name);
    text_table_add_count(&table, tried->cycles);
    text_table_add(&table, "%.3f", change(tried->cycles, tune->original_cycles));
    text_table_add(&table, "%.3f", change(tried->best_cycles, tune->original_cycles));
    text_table_add_count(&table, reads_of(&tried->evidence));
    text_table_add(&table, "%s", result_of(tried));
  }
  text_table_print(&table, file, 0);
  text_table_clear(&table);
}

static void print_verdict(const Tune *tune, FILE *file) {
  const TriedVariant *chosen = tune->chosen;
  if (tune->notes && *tune->notes) fprintf(file, "\n%s", tune->notes);
  if (!chosen) {
    fprintf(file, "\nnothing to gain: %s; %s is the original\n", tune->refusal, tune->output);
    return;
  }
  fprintf(file, "\n%s: %.3f times as fast (%llu instead of %llu cycles)\n", tune->output,
          change(chosen->cycles, tune->original_cycles), (unsigned long long)chosen->cycles,
          (unsigned long long)tune->original_cycles);
}

// By kernel of the source.
static void print_choices(const Tune *tune, FILE *file) {
  static const char *const columns[] = {"kernel",  ">CTAs",     "variant", ">cycles before",
                                        ">cycles", ">speed-up", NULL};
  TextTable table = {0};
  text_table_init(&table, columns);
  for (size_t i = 0; i < tune->choices.count; i++) {
    const KernelChoice *choice = &tune->choices.items[i];
    text_table_add(&table, "%s", choice->name);
    text_table_add_count(&table, choice->ctas);
    text_table_add(&table, "%s", variant_of(tune, choice));
    text_table_add_count(&table, choice->before);
    text_table_add_count(&table, choice->after);
    text_table_add(&table, "%.3f", change(choice->after, choice->before));
  }
  text_table_print(&table, file, 0);
  text_table_clear(&table);
}

static uint64_t cycles_of(const Evidence *evidence, Experiment experiment) {
  uint64_t cycles = 0;
  for (size_t i = 0; i < evidence->count; i++)
    cycles += evidence->kernels[i].measured[experiment].cycles;
  return cycles;
}

// An ideal L1 bounds what locality can gain. What is beyond comes from elsewhere: fewer CTAs to
// start, other barriers, another order of requests to DRAM.
static void print_source_of_gain(const Tune *tune, FILE *file) {
  uint64_t ideal = cycles_of(&tune->session.evidence, EXPERIMENT_IDEAL);
  uint64_t reads = reads_of(&tune->session.evidence), now = reads_of(&tune->chosen->evidence);
  if (!ideal || !tune->chosen->cycles) return;
  double bound = change(ideal, tune->original_cycles);
  double gain = change(tune->chosen->cycles, tune->original_cycles);
  fprintf(file, "An L1 that always hits would be %.3f times as fast; L2 reads change by %+.1f %%",
          bound, (change(reads, now) - 1) * 100);
  fprintf(file,
          gain > bound ? ": the gain exceeds what locality allows, and has other causes\n" : "\n");
  if (tune->gain.count) fputs("Cycles by cause: ", file);
  for (size_t i = 0; i < tune->gain.count; i++) {
    const GainCause *cause = &tune->gain.causes[i];
    fprintf(file, "%s%s %+.0f", i ? ", " : "", cause->label, cause->after - cause->before);
  }
  if (tune->gain.count) fputc('\n', file);
}

void tune_print(const Tune *tune, FILE *file) {
  evidence_print(&tune->session.evidence, tune->session.verdicts, file);
  if (tune->count) {
    fputc('\n', file);
    print_tried(tune, file);
  }
  if (tune->chosen) {
    fputc('\n', file);
    print_choices(tune, file);
    print_source_of_gain(tune, file);
  }
  print_verdict(tune, file);
}

static json_t *tried_json(const TriedVariant *tried, uint64_t original) {
  return json_pack("{s:s, s:I, s:f, s:I, s:s}", "variant", tried->variant.name, "cycles",
                   (json_int_t)tried->cycles, "speedup", change(tried->cycles, original),
                   "l2_reads", (json_int_t)reads_of(&tried->evidence), "results", result_of(tried));
}

static json_t *choice_json(const Tune *tune, const KernelChoice *choice) {
  return json_pack("{s:s, s:s, s:I, s:I, s:I}", "kernel", choice->name, "variant",
                   variant_of(tune, choice), "ctas", (json_int_t)choice->ctas, "cycles_before",
                   (json_int_t)choice->before, "cycles", (json_int_t)choice->after);
}

static json_t *gain_json(const Tune *tune) {
  json_t *causes = json_array();
  for (size_t i = 0; i < tune->gain.count; i++)
    json_array_append_new(
        causes, json_pack("{s:s, s:f, s:f}", "cause", tune->gain.causes[i].label, "before",
                          tune->gain.causes[i].before, "after", tune->gain.causes[i].after));
  uint64_t ideal = cycles_of(&tune->session.evidence, EXPERIMENT_IDEAL);
  double bound = change(ideal, tune->original_cycles);
  double gain = change(tune->chosen->cycles, tune->original_cycles);
  return json_pack("{s:f, s:b, s:o}", "ideal_l1_speedup", bound, "exceeds_locality",
                   ideal && gain > bound, "causes", causes);
}

json_t *tune_json(const Tune *tune) {
  json_t *json = evidence_json(&tune->session.evidence, tune->session.verdicts);
  json_t *variants = json_array();
  for (size_t i = 0; i < tune->count; i++)
    json_array_append_new(variants, tried_json(&tune->tried[i], tune->original_cycles));
  json_object_set_new(json, "variants", variants);
  json_t *choices = json_array();
  for (size_t i = 0; tune->chosen && i < tune->choices.count; i++)
    json_array_append_new(choices, choice_json(tune, &tune->choices.items[i]));
  json_object_set_new(json, "choices", choices);
  json_object_set_new(json, "original_cycles", json_integer((json_int_t)tune->original_cycles));
  json_object_set_new(json, "chosen",
                      tune->chosen ? json_string(tune->chosen->variant.name) : json_null());
  json_object_set_new(json, "gain", tune->chosen ? gain_json(tune) : json_null());
  json_object_set_new(json, "refusal", tune->refusal ? json_string(tune->refusal) : json_null());
  return json;
}
