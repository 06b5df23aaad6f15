# SPDX-License-Identifier: MIT
# A run is complete only if every process that initialised the GPU has written its results:
# forked, exec'ed, detached, killed ones; and a program may close every descriptor.
. "$HEDDLE_SOURCE/tests/cli/common"
find_runner
[ ${#runner[@]} = 0 ] || runner+=(ASAN_OPTIONS=handle_segv=0:handle_abort=0:detect_leaks=0)
need_cc
cd "$scratch"

cat >probe.cu <<'END_OF_PROGRAM'
#include <cuda_runtime.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
__global__ void step(int *out) { out[threadIdx.x] += 1; }
__global__ void spin(int *out) {
  int sum = 0;
  for (long long i = 0; i < 1ll << 50; i++) sum = sum * 3 + (int)i;
  out[threadIdx.x] = sum;
}
static int *out;
static int launch(int count) {
  if (!out && cudaMalloc((void **)&out, 128)) return 9;
  for (int i = 0; i < count; i++) step<<<1, 32>>>(out);
  return cudaDeviceSynchronize();
}
static int in_child(int (*body)(int), int count) {  // its exit code; -1 if it was killed
  int status;
  pid_t child = fork();
  if (child == 0) exit(body(count));
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
static int launch_and_die(int count) {
  launch(count);
  return raise(SIGKILL);
}
static int launch_and_leave(int count) { _exit(launch(count)); }
static int nothing(int) { return 0; }
static void close_all() {
  for (int fd = 3; fd < 1024; fd++) close(fd);
}
int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  int devices;
  if (!strcmp(what, "query") && cudaGetDeviceCount(&devices) == 0) return execl("/bin/true", "true", NULL);
  if (!strcmp(what, "child_killed")) return in_child(launch_and_die, 2) != -1;
  if (!strcmp(what, "child_only")) return in_child(launch, 2);
  if (!strcmp(what, "child__exit")) return in_child(launch_and_leave, 2);
  if (!strcmp(what, "daemon") && daemon(1, 1)) return 7;
  if (launch(3)) return 8;
  if (!strcmp(what, "long")) {
    spin<<<1, 32>>>(out);
    puts("started");
    fflush(stdout);
    cudaDeviceSynchronize();
  }
  if (!strcmp(what, "exec")) execl("/bin/true", "true", NULL);
  if (!strcmp(what, "exec_again")) execl(argv[0], argv[0], "plain", NULL);
  if (!strcmp(what, "exit_group")) syscall(SYS_exit_group, 0);
  if (!strcmp(what, "kill")) raise(SIGKILL);
  if (!strcmp(what, "queued")) {
    for (int i = 0; i < 4; i++) step<<<1, 32>>>(out);
    syscall(SYS_exit_group, 0);
  }
  if (!strcmp(what, "child_idle")) return in_child(nothing, 0);
  if (!strcmp(what, "child_late")) return in_child(launch, 2) == 3 ? 0 : 6;  // cudaErrorInitializationError
  if (!strcmp(what, "daemon_late")) return daemon(1, 1);
  if (!strcmp(what, "closed")) {
    close_all();
    int own[8];  // get the numbers that were ours
    for (int i = 0; i < 8; i++) own[i] = open("own.txt", O_RDWR | O_CREAT | O_APPEND, 0600);
    if (write(own[0], "mine\n", 5) != 5 || launch(2)) return 5;
    close_all();
    return launch(2);
  }
  return 0;
}
END_OF_PROGRAM
"$HEDDLE" cc probe.cu -o probe >log 2>&1 || fail "heddle cc: $(cat log)"

launches() { grep -c '"name": "_Z4step' out.json || true; }
run() {  # EXIT-CODE LAUNCHES COMPLETE COMMAND...
  local code=$1 count=$2 complete=$3
  shift 3
  rm -f out.json
  expect_exit "$code" timeout 120 "${runner[@]}" "$HEDDLE" run --gpu tiny --json out.json -- "$@"
  expect_text "$(grep -m 1 '"complete"' out.json)" "$complete"
  [ "$(launches)" = "$count" ] || fail "$*: $(launches) launches recorded instead of $count"
}
script() { printf '#!/bin/sh\n%s\n' "$1" >script && chmod +x script; }

# ---- ended in order

run 0 3 true ./probe plain
run 0 3 true ./probe child_idle
run 0 2 true ./probe child_only
run 0 2 true ./probe child__exit
run 0 0 true ./probe query
[ -z "$err" ] || fail "a process that launched nothing is reported: $err"

# ---- ended without results

run 1 3 false ./probe exec
expect_text "$err" "3 of 3 launches so far had completed"
expect_text "$err" "return from main or call exit()"
expect_text "$(cat out.json)" '"state": "incomplete"'
run 1 3 false ./probe exit_group
expect_text "$err" "ended without"
run 1 3 false ./probe queued
expect_text "$err" "3 of 7 launches"
run 1 3 false ./probe exec_again  # the launches of the second program; the first lost its end
expect_text "$(cat out.json)" '"state": "incomplete"'
run 1 2 false ./probe child_killed
run 1 3 false ./probe daemon_late
script './probe kill; true'
run 1 3 false ./script
expect_text "$err" "3 of 3 launches so far had completed"
script './probe kill; ./probe plain'
run 1 3 false ./script
expect_text "$(cat out.json)" '"state": "incomplete"'

# CUDA cannot be used after fork, as with NVIDIA's driver; the run is not whole without it.
run 1 3 false ./probe child_late
expect_text "$err" "after fork"

# ---- outliving the first process

run 0 3 true ./probe daemon
script './probe plain & exit 0'
run 0 3 true ./script
script '(sleep 0.2; ./probe plain) & exit 0'
run 0 3 true ./script
# A daemon that has nothing to do with the GPU is not waited for.
script './probe plain; setsid sleep 600 & echo $! >daemon.pid; until read -r a b c d e sid rest </proc/$!/stat && [ "$sid" = $! ]; do sleep 0.01; done'
run 0 3 true ./script
kill "$(cat daemon.pid)" || fail "heddle has waited for a daemon"

# Stopped while it waits, or while a program of a script runs, which gets no signal from the shell.
for text in './probe plain; sleep 600 & echo started' '(./probe long; true) & exit 0' './probe long; true'; do
  script "$text"
  : >wait.out
  setsid "${runner[@]}" "$HEDDLE" run --gpu tiny --json out.json -- ./script >wait.out 2>wait.err &
  heddle=$!
  until grep -q started wait.out; do sleep 0.05; done
  kill -TERM $heddle
  code=0
  wait $heddle || code=$?
  [ $code = 1 ] || fail "exit code $code of a run that was stopped, '$text': $(cat wait.err)"
  expect_text "$(cat out.json)" '"state": "stopped"'
  [ "$(launches)" = 3 ] || fail "'$text': $(launches) launches were recorded before the end"
done

# ---- descriptors

run 0 7 true ./probe closed
[ "$(cat own.txt)" = mine ] || fail "results were written to a file of the program: $(head -c 200 own.txt)"
# Nameless files cannot be reopened: the loss is reported.
rm own.txt
echo '{"gpu": "tiny", "json": "hand.json"}' >hand.run
expect_exit 0 "${runner[@]}" env LD_LIBRARY_PATH="$(dirname "$HEDDLE")" HEDDLE_RUN=hand.run ./probe closed
expect_text "$err" "closed by the program"
[ "$(cat own.txt)" = mine ] || fail "by hand, results were written to a file of the program"

# ---- in a comparison

script './probe kill; true'
expect_exit 1 "${runner[@]}" "$HEDDLE" compare ./script --gpu tiny --schemes gto --db compare.db
[ "$("$HEDDLE" query compare.db --csv "select state from runs" | tail -n +2)" = incomplete ] ||
  fail "the store says: $("$HEDDLE" query compare.db "select state, error from runs")"
expect_text "$err" "launches"
