// SPDX-License-Identifier: MIT
// Variants of a source: rewritten by heddle cluster, compiled, run, compared.
#include "tune/tune_variants.h"

#include <string.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/memory.h"
#include "cc/process.h"

enum { MOST_LOG_BYTES = 1 << 20 };

// ---- rewriting

// Command line of heddle cluster; its notes are redirected to a file.
static void cluster_words(const TuneSession *session, const TriedVariant *tried,
                          const char *const *kernels, const char *log, Words *words) {
  words_add(words, "/bin/sh");
  words_add(words, "-c");
  words_add(words, "exec \"$@\" 2>\"$0\"");
  words_add(words, "%s", log);
  words_add(words, "%s", session->heddle);
  words_add(words, "cluster");
  words_add(words, "%s", session->source);
  words_add(words, "-o");
  words_add(words, "%s", tried->source);
  words_add(words, "--all");
  for (; *kernels; kernels++) {
    words_add(words, "--kernel");
    words_add(words, "%s", *kernels);
  }
  words_add(words, "--");
  for (char *const *word = session->compile; *word; word++) words_add(words, "%s", *word);
}

// Folder of the source, for the include path: its headers must be found.
static const char *folder_of(TuneSession *session) {
  const char *slash = strrchr(session->source, '/');
  if (!slash) return ".";
  return arena_strndup(&session->arena, session->source, (size_t)(slash - session->source));
}

static Status compile(TuneSession *session, TriedVariant *tried, Error *err) {
  TuneSession with_folder = *session;
  size_t count = 0;
  while (session->compile[count]) count++;
  char **words = ARENA_ARRAY(&session->arena, char *, count + 3);
  memcpy(words, session->compile, sizeof *words * count);
  words[count] = arena_strdup(&session->arena, "-I");
  words[count + 1] = arena_strdup(&session->arena, folder_of(session));
  words[count + 2] = NULL;
  with_folder.compile = words;
  return tune_session_compile(&with_folder, tried->source, tried->program, err);
}

static const char *read_log(TuneSession *session, const char *log) {
  char *text;
  size_t length;
  Error ignored;
  if (file_read(log, MOST_LOG_BYTES, &text, &length, &ignored) != OK) return "";
  const char *kept = arena_strdup(&session->arena, text);
  memory_free(text);
  return kept;
}

static const char *last_line(TuneSession *session, const char *text) {
  size_t length = strlen(text);
  while (length && text[length - 1] == '\n') length--;
  size_t from = length;
  while (from && text[from - 1] != '\n') from--;
  const char *line = arena_strndup(&session->arena, text + from, length - from);
  const char *own = "heddle: ";
  return strncmp(line, own, strlen(own)) == 0 ? line + strlen(own) : line;
}

Status tune_variant_build(TuneSession *session, TriedVariant *tried, const char *const *kernels,
                          const char **notes, Error *err) {
  Words words = {0};
  int exit_code;
  Error failure;
  const char *log = arena_printf(&session->arena, "%s.log", tried->program);
  cluster_words(session, tried, kernels, log, &words);
  Status status = process_run(&words, NULL, NULL, session->work, &exit_code, err);
  words_clear(&words);
  if (status != OK) return status;
  *notes = read_log(session, log);
  if (exit_code)
    tried->failure = last_line(session, *notes);
  else if (compile(session, tried, &failure) != OK)
    tried->failure = arena_printf(&session->arena, "does not compile: %s", failure.text);
  return OK;
}

// ---- running

static Status read_result(TuneSession *session, TriedVariant *tried, const Trial *trial,
                          const Outputs *outputs, Error *err) {
  const Evidence *original = &session->evidence;
  tried->failure = trial->failure;
  tried->key = trial->key;
  if (tried->failure) return OK;
  TRY(trial_evidence(&tried->evidence, session->setting.db, trial, &session->arena, err));
  TRY(outputs_compare(outputs, trial->output, &tried->sameness, err));
  if (tried->sameness == OUTPUT_DIFFERENT) tried->failure = "its output differs";
  KernelChoices choices;
  plan_kernels(&choices, original, &session->arena);
  plan_offer(&choices, original, &tried->evidence, 0);
  tried->best_cycles = plan_cycles(&choices);
  for (size_t i = 0; i < tried->evidence.count; i++)
    tried->cycles += tried->evidence.kernels[i].measured[EXPERIMENT_BASE].cycles;
  return OK;
}

Status tune_variants_run(TuneSession *session, TriedVariant *tried, size_t count,
                         const Outputs *outputs, Error *err) {
  Trial *trials = ARENA_ARRAY(&session->arena, Trial, count + 1);
  size_t *at = ARENA_ARRAY(&session->arena, size_t, count + 1), ready = 0;
  for (size_t i = 0; i < count; i++) {
    uint32_t active = tried[i].variant.active;
    if (tried[i].failure) continue;
    trials[ready] = (Trial){.label = tried[i].variant.name, .is_bare = true};
    trials[ready].program = tune_session_words(session, tried[i].program);
    if (active)
      trials[ready].environment = arena_printf(&session->arena, "HEDDLE_CLUSTER_ACTIVE=%u", active);
    at[ready++] = i;
  }
  if (!ready) return OK;
  TRY(trials_run(&session->setting, trials, ready, &session->arena, err));
  for (size_t i = 0; i < ready; i++)
    TRY(read_result(session, &tried[at[i]], &trials[i], outputs, err));
  return OK;
}
