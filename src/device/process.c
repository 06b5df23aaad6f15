// SPDX-License-Identifier: MIT
// A signal cannot write results where it arrives: the program may be anywhere,
// holding any lock. The handler only wakes a thread that stands ready for it
// and waits a while; then the signal takes its course as if nobody had
// listened. A program's own handlers are left alone.
#include "device/process.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/state.h"

enum { PATIENCE_MS = 5000 };

static const int ending_signals[] = {SIGINT,  SIGTERM, SIGHUP, SIGQUIT, SIGABRT,
                                     SIGSEGV, SIGBUS,  SIGFPE, SIGILL};
enum { ENDING_SIGNALS = sizeof ending_signals / sizeof *ending_signals };

// What a signal handler and the end of the process can reach.
static struct Process {
  pthread_once_t once;
  Device *device;
  pid_t pid;  // a child of fork has no device of its own
  int wake[2], done[2];
} process = {.once = PTHREAD_ONCE_INIT, .wake = {-1, -1}, .done = {-1, -1}};

// The first byte of wake is a signal's number.
static void *wait_for_signals(void *unused) {
  unsigned char number;
  char reason[64];
  (void)unused;
  while (read(process.wake[0], &number, 1) != 1)
    if (errno != EINTR) return NULL;
  snprintf(reason, sizeof reason, "ended by signal %d", number);
  device_write_results(process.device, reason);
  ssize_t ignored = write(process.done[1], "", 1);
  (void)ignored;
  // Whoever was executing kernels waits for this.
  if (number == SIGINT || number == SIGTERM || number == SIGHUP) kill(getpid(), number);
  return NULL;
}

// A thread whose kernel was stopped by a signal does not go on: the results are
// being written, and then the signal ends the process.
static void wait_for_the_end(void) {
  poll(NULL, 0, PATIENCE_MS);
}

static void on_signal(int number) {
  int saved = errno;
  signal(number, SIG_DFL);
  if (getpid() == process.pid) {
    unsigned char byte = (unsigned char)number;
    process.device->stop = 1;
    struct pollfd done = {.fd = process.done[0], .events = POLLIN};
    // The thread that executes kernels holds the lock until it has stopped; it
    // may be this one, interrupted in the middle.
    bool is_own =
        process.device->is_executing && pthread_equal(process.device->executor, pthread_self());
    if (write(process.wake[1], &byte, 1) == 1 && !is_own) poll(&done, 1, PATIENCE_MS);
    if (is_own && (number == SIGINT || number == SIGTERM || number == SIGHUP)) {
      errno = saved;
      return;
    }
  }
  raise(number);
  errno = saved;
}

static void listen_to_signals(void) {
  struct sigaction action = {.sa_handler = on_signal}, before;
  for (int i = 0; i < ENDING_SIGNALS; i++)
    if (sigaction(ending_signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
      sigaction(ending_signals[i], &action, NULL);
}

static void start_watching(void) {
  pthread_t thread;
  sigset_t all, before;
  if (pipe(process.wake) != 0 || pipe(process.done) != 0) return;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  bool is_running = pthread_create(&thread, NULL, wait_for_signals, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!is_running) return;
  pthread_detach(thread);
  process.device->when_stopped = wait_for_the_end;
  listen_to_signals();
}

// `heddle run` takes it from the missing file that the program has loaded us, even
// if it asks nothing of the GPU. Results make the file anew.
__attribute__((constructor)) static void announce(void) {
  const char *table = getenv("HEDDLE_TABLE");
  struct stat about;
  if (table && stat(table, &about) == 0 && S_ISREG(about.st_mode) && about.st_size == 0) unlink(table);
}

static void make(void) {
  DeviceOptions options;
  device_options_read(&options);
  process.device = device_create(&options);
  process.pid = getpid();
  if (*options.json || *options.table) start_watching();
}

Device *device_of_process(void) {
  pthread_once(&process.once, make);
  return process.device;
}

// What is still queued runs now: a program that does not wait for its last
// kernels has results to look at all the same.
__attribute__((destructor)) static void finish(void) {
  Device *device = process.device;
  if (!device || getpid() != process.pid) return;
  if (!device_error(device) && device->queued) device_synchronize(device);
  device_write_results(device, NULL);
}
