# SPDX-License-Identifier: MIT
# However a program ends, its results are there, whole, and those of this run;
# what cannot be written is an error; nothing is left behind.
. "$HEDDLE_SOURCE/tests/cli/common"
find_runner
# Crashes are what is tried here: the sanitizer leaves them alone.
[ ${#runner[@]} = 0 ] || runner+=(ASAN_OPTIONS=handle_segv=0:handle_abort=0:detect_leaks=0)
cd "$scratch"
mkdir tmp elsewhere
export TMPDIR=$scratch/tmp

cat >probe.cu <<'END_OF_PROGRAM'
#include <cuda_runtime.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
__global__ void spin(int *out, long long rounds) {
  int sum = threadIdx.x;
  for (long long i = 0; i < rounds; i++) sum = sum * 3 + (int)i;
  out[threadIdx.x] = sum;
}
static int *out;
static void crash(void *) { *(volatile int *)8 = 1; }
static int overflow(volatile int *deeper) {
  volatile int frame[1024] = {*deeper};
  return overflow(frame) + frame[0];
}
static void *later(void *) {
  usleep(100000);
  spin<<<4, 32>>>(out, 10);
  cudaDeviceSynchronize();
  puts("the last thread ends");
  return NULL;
}
int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  pthread_t thread;
  volatile int seed = argc;
  if (!strcmp(what, "none")) return 0;
  if (!strcmp(what, "chdir") && chdir(argv[2])) return 7;
  if (!strcmp(what, "deaf")) signal(SIGTERM, SIG_IGN), signal(SIGINT, SIG_IGN), signal(SIGHUP, SIG_IGN);
  if (cudaMalloc((void **)&out, 128)) return 9;
  spin<<<1, 32>>>(out, 10);
  if (cudaDeviceSynchronize()) return 8;
  printf("began %s\n", what);
  fflush(stdout);
  if (!strcmp(what, "_exit")) _exit(0);
  if (!strcmp(what, "_Exit")) _Exit(6);
  if (!strcmp(what, "quick_exit")) quick_exit(0);
  if (!strcmp(what, "fork") && fork() == 0) _exit(0);
  if (!strcmp(what, "callback")) cudaLaunchHostFunc(0, crash, NULL), cudaDeviceSynchronize();
  if (!strcmp(what, "pointer")) cudaMemcpy(out, (void *)16, 128, cudaMemcpyHostToDevice);
  if (!strcmp(what, "overflow")) return overflow(&seed);
  if (!strcmp(what, "kill")) raise(SIGKILL);
  if (!strcmp(what, "threads")) {
    pthread_create(&thread, NULL, later, NULL);
    pthread_exit(NULL);
  }
  if (!strcmp(what, "long")) spin<<<1, 32>>>(out, 1ll << 50), cudaDeviceSynchronize();
  if (!strcmp(what, "deaf") || !strcmp(what, "idle"))
    for (;;) pause();
  return 0;
}
END_OF_PROGRAM
"$HEDDLE" cc probe.cu -o probe >log 2>&1 || skip "heddle cc does not work here: $(cat log)"

names() { grep -c '"name": "_Z4spin' out.json || true; }
run() {  # EXIT-CODE HOW: runs the probe with results in out.json
  echo '"an older file"' >out.json
  expect_exit "$1" timeout 60 "${runner[@]}" "$HEDDLE" run --gpu tiny --json out.json -- "$scratch/probe" "$2"
  grep -q 'an older file' out.json && fail "$2: the older file is still there"
  grep -q '^}$' out.json || fail "$2: the JSON is not whole: $(tail -c 200 out.json)"
}
has() {  # KERNELS COMPLETE
  [ "$(names)" = "$1" ] || fail "$(names) kernels instead of $1"
  expect_text "$(grep -m 1 '"complete"' out.json)" "$2"
}

# ---- how programs end

for how in _exit quick_exit fork; do
  run 0 $how
  has 1 true
  expect_text "$out" "probe on tiny"
  grep -q '"sm.warp_instructions"' out.json || fail "$how: the machine's counters are missing"
done
run 1 _Exit
has 1 true
expect_text "$err" "exited with code 6"
for how in callback pointer overflow; do
  run 1 $how
  expect_text "$err" "signal 11"
  has 1 false
  expect_text "$out" "probe on tiny"
done
# Nobody is asked when a program is killed; the launches are known all the same.
run 1 kill
expect_text "$err" "signal 9"
has 1 false
grep -q '"launches": 1' out.json || fail "the total of a program that was killed"
# One that asks nothing of the GPU has a result, too.
run 0 none
has 0 true

# main leaves by pthread_exit: the process ends with its last thread.
run 0 threads
expect_text "$out" "the last thread ends"
has 2 true
expect_exit 0 timeout 60 "${runner[@]}" "$HEDDLE" run --gpu tiny --threads 2 --json out.json -- ./probe threads
has 2 true

# ---- where results go

expect_exit 2 "${runner[@]}" "$HEDDLE" run --gpu tiny --json /dev/full -- ./probe
expect_text "$err" "cannot write /dev/full"
expect_exit 2 "$HEDDLE" run "$cases/vecadd_20k.case" --gpu tiny --json /dev/full
expect_text "$err" "cannot write /dev/full"

# A program that goes to another folder.
cp "$HEDDLE_SOURCE/configs/tiny.cfg" own.cfg
expect_exit 0 "${runner[@]}" "$HEDDLE" run --gpu ./own.cfg --json moved.json -- ./probe chdir elsewhere
[ -e moved.json ] && [ -z "$(ls -A elsewhere)" ] || fail "the result followed the program: $(ls elsewhere)"
rm moved.json
echo '{"gpu": "./own.cfg", "json": "moved.json", "table": "moved.txt"}' >run.json
expect_exit 0 "${runner[@]}" env LD_LIBRARY_PATH="$(dirname "$HEDDLE")" HEDDLE_RUN=run.json ./probe chdir elsewhere
[ -e moved.json ] && [ -e moved.txt ] && [ -z "$(ls -A elsewhere)" ] || fail "by hand the result followed the program"

# What was never started takes nothing away. A link stays a link.
echo kept >kept.json
expect_exit 2 "$HEDDLE" run --json kept.json -- "$scratch/no such program"
expect_exit 2 "$HEDDLE" run --json kept.json --gpu tinny -- ./probe
expect_exit 2 "$HEDDLE" run --json kept.json "$scratch/no.case"
[ "$(cat kept.json)" = kept ] || fail "a run that never began took the older file away"
ln -s kept.json link.json
expect_exit 0 "${runner[@]}" "$HEDDLE" run --gpu tiny --json link.json -- ./probe
[ -L link.json ] && grep -q '^}$' kept.json || fail "the link was replaced"

# ---- signals

# A shell starts what runs beside it with SIGINT ignored.
heard=(env --default-signal=INT,QUIT)
begin() {  # HOW: starts the probe, in a process group of its own, and waits until it is busy
  rm -f out.json
  setsid "${heard[@]}" "${runner[@]}" "$HEDDLE" run --gpu tiny --json out.json -- ./probe "$1" >long.out 2>long.err &
  heddle=$!
  until grep -q began long.out; do
    sleep 0.05
    kill -0 $heddle 2>/dev/null || fail "the run ended by itself: $(cat long.err)"
  done
  if [ "$1" = long ]; then wait_for_cpu $heddle 30; else sleep 0.3; fi
}
ended() {  # KERNELS WHAT: heddle has ended by itself, with results
  local code=0
  wait $heddle || code=$?
  [ $code = 1 ] || fail "exit code $code after $2: $(cat long.err)"
  [ -e out.json ] || fail "no result after $2: $(cat long.err)"
  has "$1" false
}
for signal in INT TERM HUP; do
  begin long
  kill -$signal $heddle
  ended 2 "SIG$signal to heddle alone"
  begin long
  kill -$signal -- -$heddle  # as a terminal does
  ended 2 "SIG$signal to all"
done
# With SIGINT ignored, as for jobs in the background of a script, kill -INT stops the run all the same.
heard=(env --ignore-signal=INT)
begin long
kill -INT $heddle
ended 2 "SIGINT to heddle, in the background"
expect_text "$(cat long.err)" "was stopped by signal 2"
heard=(env --default-signal=INT,QUIT)
begin idle
kill -HUP $heddle
ended 1 "SIGHUP while no kernel runs"
begin deaf
kill -TERM $heddle
ended 1 "SIGTERM that the program ignores"
expect_text "$(cat long.err)" "was killed"

# Case files.
write_long_case
for signal in INT HUP; do
  "${heard[@]}" "$HEDDLE" run long.case --quiet --json long.json 2>long.err &
  heddle=$!
  wait_for_cpu $heddle 50
  kill -$signal $heddle
  code=0
  wait $heddle || code=$?
  [ $code = 1 ] || fail "exit code $code of a case after SIG$signal: $(cat long.err)"
  expect_text "$(cat long.json)" '"complete": false'
done

# A comparison ends its runs, and knows that they were stopped.
for signal in INT HUP; do
  rm -f compare.db
  setsid "${heard[@]}" "$HEDDLE" compare long.case --gpu tiny --schemes lrr,gto --jobs 2 --db compare.db 2>long.err >long.out &
  heddle=$!
  until [ "$(pgrep -c -P $heddle || true)" -ge 2 ]; do
    sleep 0.05
    kill -0 $heddle 2>/dev/null || fail "the comparison ended by itself: $(cat long.err)"
  done
  for run in $(pgrep -P $heddle); do wait_for_cpu "$run" 30; done
  kill -$signal $heddle
  code=0
  wait $heddle || code=$?
  [ $code = 1 ] || fail "exit code $code of a comparison after SIG$signal: $(cat long.err)"
  expect_text "$(cat long.err)" "stopped after"
  ! grep -q FAILED long.err || fail "runs that were stopped are called failed: $(cat long.err)"
  [ "$("$HEDDLE" query compare.db --csv "select state, count(*) from runs group by state" | tail -n 1)" = stopped,2 ] ||
    fail "runs of a comparison after SIG$signal: $("$HEDDLE" query compare.db 'select state, error from runs')"
done

# A limit stops a run, too.
expect_exit 1 "$HEDDLE" compare long.case --gpu tiny --schemes gto --set run.max_cycles=2000 --db limit.db
expect_text "$err" "1/1 long tiny gto: stopped after"
expect_text "$err" "1 of 1 runs were stopped; the first is long tiny gto: "
[ "$("$HEDDLE" query limit.db --csv "select state from runs" | tail -n 1)" = stopped ] || fail "the state after a limit"

# ---- what is left behind

# A compiler that takes its time, in a folder that heddle cc has made.
mkdir bin
printf '#!/bin/sh\ncase "$*" in *--version*) exec clang "$@";; esac\ntouch started\nexec sleep 20\n' >bin/slow
chmod +x bin/slow
for signal in INT TERM KILL; do
  rm -f started
  HEDDLE_CLANG=$scratch/bin/slow setsid "${heard[@]}" "$HEDDLE" cc probe.cu -o other >cc.out 2>&1 &
  compiler=$!
  for ((i = 0; i < 200; i++)); do [ ! -e started ] || break; sleep 0.05; done
  [ -e started ] || fail "the compiler was not started: $(cat cc.out)"
  ls tmp | grep -q heddle-cc || fail "no folder to remove: $(ls tmp)"
  kill -$signal -- -$compiler
  wait $compiler 2>/dev/null || true
  for ((i = 0; i < 100; i++)); do [ -n "$(ls -A tmp)" ] || break; sleep 0.05; done
  [ -z "$(ls -A tmp)" ] || fail "after SIG$signal there is $(ls -A tmp)"
done
