// SPDX-License-Identifier: MIT
// Results cannot be written in a signal handler: the program may hold any lock. The handler
// only wakes a waiting thread and pauses; then the signal has its default effect. Handlers
// of the program are not replaced. They meet at futexes, not at pipes: a program may close
// every descriptor, and write to a file of its own in their place.
//
// If a termination signal arrives while a thread is inside the device, the thread continues
// until it releases the lock, a kernel until its next cycle. After a crash inside the
// device, such as a copy from a bad address, the lock is never released; results are then
// written without it.
#define _GNU_SOURCE  // gettid
#include "device/process/process.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "device/process/report_folder.h"
#include "device/state.h"

enum {
  PATIENCE_MS = 3000,  // that writing results may take; heddle run waits longer
  REPEAT_MS = 500,     // a signal that heddle run and a terminal send comes twice
  STACK_BYTES = 64 << 10
};

static const int requests[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
static const int crashes[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
enum { REQUESTS = sizeof requests / sizeof *requests, CRASHES = sizeof crashes / sizeof *crashes };

// Messages to the writing thread: a signal's number, or one of these; HAS_LOCK is added if
// the sender holds the lock and will not continue.
enum {
  NO_MESSAGE = 0,
  EXIT = 0x100,
  LEAVE = 0x101 /* nothing is to be written */,
  HAS_LOCK = 0x200
};

// State for the signal handler and the exit of the process.
static struct Process {
  pthread_once_t once;
  Device *device;
  pid_t pid;              // a child of fork has no device of its own
  char folder[PATH_MAX];  // in which it was started
  DeviceRun run;
  bool is_watched;
  int is_unwatched_fork;  // atomic: watching is to begin when the GPU is used
  int is_ending;          // atomic
  int64_t ending_since_ms;
  int message, is_written;  // atomic; futexes
} process = {.once = PTHREAD_ONCE_INIT};

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool is_request(int number) {
  for (int i = 0; i < REQUESTS; i++)
    if (requests[i] == number) return true;
  return false;
}

// ---- futexes; signal handlers may call these

static void set_and_wake(int *word, int value) {
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

// Its value when it is not 0, or when the time has passed. ms < 0: no limit.
static int wait_for_value(int *word, int64_t ms) {
  int64_t end = now_ms() + ms;
  for (;;) {
    int value = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    int64_t left = ms < 0 ? 0 : end - now_ms();
    if (value || (ms >= 0 && left <= 0)) return value;
    struct timespec limit = {.tv_sec = left / 1000, .tv_nsec = left % 1000 * 1000000};
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 0, ms < 0 ? NULL : &limit, NULL, 0);
  }
}

// ---- the thread that writes

static void *wait_for_the_end(void *unused) {
  Error ending;
  (void)unused;
  int message = wait_for_value(&process.message, -1), number = message & ~HAS_LOCK;
  if (number == LEAVE) return NULL;
  error_set(&ending, is_request(number) ? ERR_INTERRUPTED : ERR_PROGRAM, "killed by signal %d",
            number);
  const Error *why = number == EXIT ? NULL : &ending;
  if (message & HAS_LOCK)
    results_write(process.device, why);
  else
    device_write_results(process.device, why);
  set_and_wake(&process.is_written, 1);
  // The thread that was executing kernels waits for this.
  if (is_request(number)) {
    signal(number, SIG_DFL);
    kill(process.pid, number);
  }
  return NULL;
}

static void wake_writer(int message, bool has_lock) {
  set_and_wake(&process.message, message | (has_lock ? HAS_LOCK : 0));
}

static void wait_until_written(void) {
  wait_for_value(&process.is_written, PATIENCE_MS);
}

// Only the first to end the process does something about it.
static bool begin_to_end(void) {
  bool is_first = !__atomic_exchange_n(&process.is_ending, 1, __ATOMIC_ACQ_REL);
  if (is_first) process.ending_since_ms = now_ms();
  return is_first;
}

// ---- signals

static void on_signal(int number) {
  int saved = errno;
  bool is_ours = getpid() == process.pid;
  Device *device = process.device;
  if (is_ours && begin_to_end()) {
    device->stop = 1;
    bool executes = device->is_executing && pthread_equal(device->executor, pthread_self());
    bool is_inside = executes || device_is_held(device);
    wake_writer(number, !is_request(number) && device_is_held(device));
    if (is_request(number) && is_inside) {
      errno = saved;
      return;
    }
    wait_until_written();
  } else if (is_ours && is_request(number) && now_ms() - process.ending_since_ms < REPEAT_MS) {
    errno = saved;
    return;
  }
  signal(number, SIG_DFL);
  raise(number);
  errno = saved;
}

static void listen_to(int number) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK}, before;
  if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
    sigaction(number, &action, NULL);
}

static void stop_listening_to(int number) {
  struct sigaction now;
  if (sigaction(number, NULL, &now) == 0 && now.sa_handler == on_signal) signal(number, SIG_DFL);
}

// A stack that has overflown has no room for a handler.
static void make_signal_stack(void) {
  stack_t before, stack = {.ss_size = STACK_BYTES};
  if (sigaltstack(NULL, &before) != 0 || !(before.ss_flags & SS_DISABLE)) return;
  stack.ss_sp = malloc(stack.ss_size);
  if (stack.ss_sp) sigaltstack(&stack, NULL);
}

static void listen_to_signals(void) {
  make_signal_stack();
  for (int i = 0; i < REQUESTS; i++) listen_to(requests[i]);
  for (int i = 0; i < CRASHES; i++) listen_to(crashes[i]);
}

static void stop_listening(void) {
  for (int i = 0; i < REQUESTS; i++) stop_listening_to(requests[i]);
  for (int i = 0; i < CRASHES; i++) stop_listening_to(crashes[i]);
}

// ---- threads

// A thread whose kernel was stopped by a signal blocks: the results are being written, and
// then the signal terminates the process.
static void stay_stopped(void) {
  poll(NULL, 0, PATIENCE_MS);
}

// A program that continued would only receive errors, possibly in an infinite loop.
static void end_at_limit(void) {
  fflush(NULL);
  device_process_exit(status_exit_code(ERR_LIMIT));
}

static void start_watching(void) {
  pthread_t thread;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  process.is_watched = pthread_create(&thread, NULL, wait_for_the_end, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!process.is_watched) return;
  pthread_detach(thread);
  process.device->when_stopped = stay_stopped;
  if (process.device->run.spec.report) process.device->when_limited = end_at_limit;
  listen_to_signals();
}

// pthread_exit in main: the process ends with its last thread, which must be none
// of ours. From here on only an exit in order leaves results.
static void main_leaves(void *unused) {
  (void)unused;
  Device *device = process.device;
  if (!device || getpid() != process.pid) return;
  if (process.is_watched) {
    process.is_watched = false;
    stop_listening();
    wake_writer(LEAVE, false);
  }
  device_lock(device);
  device->when_stopped = NULL;
  device->main_has_left = true;
  if (device->engine.gpu && !device->is_executing) gpu_end_threads(device->engine.gpu);
  device_unlock(device);
}

// ---- beginning and end

static void finish(void);

__attribute__((constructor)) static void begin(void) {
  static pthread_key_t key;
  if (!getcwd(process.folder, sizeof process.folder)) process.folder[0] = '\0';
  device_run_read(&process.run, *process.folder ? process.folder : NULL);
  if (process.run.spec.report) report_folder_announce(process.run.spec.report);
  // Destructors of keys are called by pthread_exit and not by exit.
  if (gettid() == getpid() && pthread_key_create(&key, main_leaves) == 0)
    pthread_setspecific(key, &process);
}

static bool wants_results(const RunSpec *spec) {
  return spec->json || spec->table || spec->report;
}

// The child has the parent's memory, but not its threads, and must not write its results.
// A GPU that nobody has used yet is as good as new.
static void become_fork(void) {
  Device *device = process.device;
  process.is_watched = false;
  if (!device || device_after_fork(device)) return;
  process.pid = getpid();
  process.message = process.is_written = process.is_ending = 0;
  process.is_unwatched_fork = wants_results(&device->run.spec);
}

static void make(void) {
  const RunSpec *spec = &process.run.spec;
  process.device = device_create(&process.run);
  process.pid = getpid();
  pthread_atfork(NULL, NULL, become_fork);
  if (!wants_results(spec)) return;
  start_watching();
  at_quick_exit(finish);
}

Device *device_of_process(void) {
  pthread_once(&process.once, make);
  if (__atomic_load_n(&process.is_unwatched_fork, __ATOMIC_RELAXED) &&
      __atomic_exchange_n(&process.is_unwatched_fork, 0, __ATOMIC_ACQ_REL))
    start_watching();
  return process.device;
}

_Noreturn void device_process_exit(int code) {
  if (process.is_watched && getpid() == process.pid) {
    if (begin_to_end()) wake_writer(EXIT, device_is_held(process.device));
    wait_until_written();
  }
  for (;;) syscall(SYS_exit_group, code);
}

// Executes queued work, so that a program that does not wait for its last kernels still has
// results.
__attribute__((destructor)) static void finish(void) {
  Device *device = process.device;
  if (!device || getpid() != process.pid) return;
  if (!device_error(device) && device->queued) device_synchronize(device);
  if (begin_to_end())
    device_write_results(device, NULL);
  else if (process.is_watched)
    wait_until_written();
  process.is_watched = false;
}
