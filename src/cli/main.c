// SPDX-License-Identifier: MIT
// Finds the verb, runs it, and maps its Status to an exit code.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // REG_RIP
#endif
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text/terminal.h"
#include "base/version.h"
#include "cli/arguments.h"
#include "cli/verb.h"
#include "policies/policy.h"

static void say(const char *text) {
  ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
  (void)ignored;
}

// Program counter at a signal; NULL if unknown on this host.
static const void *stopped_at(const void *context) {
#if defined(__x86_64__)
  return (const void *)(uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  return (const void *)(uintptr_t)((const ucontext_t *)context)->uc_mcontext.pc;
#else
  (void)context;
  return NULL;
#endif
}

// An assertion or a crash is a bug of heddle, with its own exit code, unless it
// happened in a plugin.
static void on_bug(int signal_number, siginfo_t *info, void *context) {
  const char *plugin = plugin_of(stopped_at(context));
  (void)signal_number, (void)info;
  if (!plugin || !strstr(plugin, ".so") || strstr(plugin, "libc.so")) {
    say("heddle: internal error; please report it\n");
    _exit(status_exit_code(ERR_INTERNAL));
  }
  say("heddle: plugin ");
  say(plugin);
  say(" crashed\n");
  _exit(status_exit_code(ERR_CONFIG));
}

static void watch_for_bugs(void) {
  static const int signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    struct sigaction before, action = {.sa_sigaction = on_bug, .sa_flags = SA_SIGINFO};
    // A handler of a sanitizer or debugger takes precedence.
    if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
      sigaction(signals[i], &action, NULL);
  }
}

static Status run_verb_line(int count, char **words, Error *err) {
  const Verb *verb = verb_find(words[0], err);
  if (!verb) return err->status;
  Arguments arguments;
  Status status = arguments_parse(&arguments, verb, count - 1, words + 1, err);
  if (status == OK && arguments.wants_help)
    help_print_verb(verb, stdout);
  else if (status == OK)
    status = verb->run(&arguments, err);
  arguments_clear(&arguments);
  return status;
}

static Status run_line(int count, char **words, Error *err) {
  if (count == 0) {
    help_print_all(stderr);
    return error_set(err, ERR_USAGE, "no command given");
  }
  if (strcmp(words[0], "--version") == 0) {
    printf("heddle %s\n", version_text());
    return OK;
  }
  if (strcmp(words[0], "--help") == 0 || strcmp(words[0], "-h") == 0) {
    help_print_all(stdout);
    return OK;
  }
  return run_verb_line(count, words, err);
}

// Common options may also come before the command.
static Status run_words(int count, char **words, Error *err) {
  int at = 0;
  bool is_common = true;
  for (; at < count && is_common; at += is_common)
    TRY(arguments_take_common(count, words, &at, &is_common, err));
  return run_line(count - at, words + at, err);
}

int main(int argc, char **argv) {
  watch_for_bugs();
  memory_prefer_huge_pages();
  Error err = {0};
  Status status = run_words(argc - 1, argv + 1, &err);
  if (status == OK && (fflush(stdout) != 0 || ferror(stdout)))
    status = error_set(&err, ERR_IO, "cannot write the output: %s", strerror(errno));
  if (status != OK) terminal_message(true, err.text[0] ? err.text : status_text(status));
  return status_exit_code(status);
}
