// SPDX-License-Identifier: MIT
// heddle tune: applies CTA clustering to one CUDA source if that is faster.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/files/file.h"
#include "base/memory.h"
#include "base/files/replaced_file.h"
#include "base/text/text_table.h"
#include "cli/arguments.h"
#include "cli/tune_variants.h"
#include "tune/evidence_text.h"

enum { MOST_TRIED = 32, MOST_SOURCE_BYTES = 64 << 20 };

typedef struct Tune {
  TuneSession session;
  const char *output;
  Outputs outputs;
  uint64_t original_cycles;
  TriedVariant tried[MOST_TRIED];
  size_t count;
  const char *notes;    // of heddle cluster, on kernels that it does not rewrite
  const char *refusal;  // why the original is kept, or NULL
  const TriedVariant *chosen;
} Tune;

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

// ---- the report

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
  const Evidence *original = &tune->session.evidence;
  if (tune->notes && *tune->notes) fprintf(file, "\n%s", tune->notes);
  if (!chosen) {
    fprintf(file, "\nnothing to gain: %s; %s is the original\n", tune->refusal, tune->output);
    return;
  }
  fprintf(file, "\n%s: %.3f times as fast (%llu instead of %llu cycles)\n", tune->output,
          change(chosen->cycles, tune->original_cycles), (unsigned long long)chosen->cycles,
          (unsigned long long)tune->original_cycles);
  for (size_t i = 0; i < original->count; i++)
    if (!chosen->gains[i]) fprintf(file, "%s: no gain\n", original->kernels[i].name);
}

static void print_report(const Tune *tune, FILE *file) {
  evidence_print(&tune->session.evidence, tune->session.verdicts, file);
  if (tune->count) {
    fputc('\n', file);
    print_tried(tune, file);
  }
  print_verdict(tune, file);
}

// ---- JSON

static json_t *tried_json(const TriedVariant *tried, uint64_t original) {
  return json_pack("{s:s, s:I, s:f, s:I, s:s}", "variant", tried->variant.name, "cycles",
                   (json_int_t)tried->cycles, "speedup", change(tried->cycles, original),
                   "l2_reads", (json_int_t)reads_of(&tried->evidence), "results", result_of(tried));
}

static Status write_json(const Tune *tune, const char *path, Error *err) {
  ReplacedFile out;
  TRY(replaced_file_begin(&out, path, err));
  json_t *json = evidence_json(&tune->session.evidence, tune->session.verdicts);
  json_t *variants = json_array();
  for (size_t i = 0; i < tune->count; i++)
    json_array_append_new(variants, tried_json(&tune->tried[i], tune->original_cycles));
  json_object_set_new(json, "variants", variants);
  json_object_set_new(json, "original_cycles", json_integer((json_int_t)tune->original_cycles));
  json_object_set_new(json, "chosen",
                      tune->chosen ? json_string(tune->chosen->variant.name) : json_null());
  json_object_set_new(json, "refusal", tune->refusal ? json_string(tune->refusal) : json_null());
  json_dumpf(json, out.file, JSON_INDENT(2));
  json_decref(json);
  return replaced_file_end(&out, OK, err);
}

// ---- the verb

static Status tune_source(Tune *tune, Error *err) {
  TuneSession *session = &tune->session;
  const char *paths[EXPERIMENTS];
  TRY(tune_session_classify(session, paths, err));
  TRY(outputs_read(&tune->outputs, paths, EXPERIMENTS, err));
  for (size_t i = 0; i < session->evidence.count; i++)
    tune->original_cycles += session->evidence.kernels[i].measured[EXPERIMENT_BASE].cycles;
  TRY(search(tune, err));
  return tune->chosen ? OK : copy_original(tune, err);
}

static Status check_files(const char *source, const char *output, Error *err) {
  struct stat from, to;
  if (!path_ends_with(source, ".cu"))
    return error_set(err, ERR_USAGE, "%s: expected a CUDA source, FILE.cu", source);
  if (!output) return error_set(err, ERR_USAGE, "no output file given; use -o FILE.cu");
  if (stat(source, &from) == 0 && stat(output, &to) == 0 && from.st_ino == to.st_ino &&
      from.st_dev == to.st_dev)
    return error_set(err, ERR_USAGE, "-o %s would overwrite the source; choose another name",
                     output);
  return OK;
}

static Status run_tune(const Arguments *arguments, Error *err) {
  const char *json = arguments_value(arguments, "--json", NULL);
  bool to_stdout = json && strcmp(json, "-") == 0;
  TRY(check_files(arguments->operands[0], arguments_value(arguments, "-o", NULL), err));
  if (json) TRY(file_check_writable(json, err));
  Tune *tune = memory_alloc(sizeof *tune);
  tune->output = arguments_value(arguments, "-o", NULL);
  Status status = file_check_writable(tune->output, err);
  if (status == OK) status = tune_session_open(&tune->session, arguments, err);
  if (status == OK) status = tune_source(tune, err);
  if (status == OK && !to_stdout && !arguments_has(arguments, "--quiet"))
    print_report(tune, stdout);
  if (status == OK && json) status = write_json(tune, json, err);
  outputs_clear(&tune->outputs);
  tune_session_clear(&tune->session);
  memory_free(tune);
  return status;
}

static const CliOption tune_options[] = {
    {"-o", "FILE", "tuned source; the original if no variant is faster"}, TUNE_OPTIONS, {0}};

const Verb tune_verb = {
    .name = "tune",
    .summary = "rewrites a CUDA source by CTA clustering if that is faster",
    .operands = "FILE.cu -o FILE [-- NVCC OPTIONS]",
    .details =
        "Classifies the program (heddle classify), tries variants of heddle cluster, checks that\n"
        "each prints the original's output, and reports its speed-up; see docs/tune.md.\n"
        "Builds and runs are kept in FILE.tune/: the same command resumes an interrupted search.\n"
        "  heddle tune prog.cu --gpu k40 -o prog.tuned.cu\n"
        "  heddle tune prog.cu --gpu gtx570 --arguments '--n 256' -o prog.tuned.cu -- -I include\n",
    .options = tune_options,
    .min_operands = 1,
    .max_operands = 1,
    .takes_program = true,
    .run = run_tune};
