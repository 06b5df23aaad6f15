# SPDX-License-Identifier: MIT
# Many launches: memory stays where it is, whatever is done with their results,
# and none of them is missing.
. "$HEDDLE_SOURCE/tests/cli/common"
find_runner
[ ${#runner[@]} = 0 ] || skip "sanitizers keep memory for themselves"
cd "$scratch"

cat >many.cu <<'END_OF_PROGRAM'
#include <cstdio>
#include <cstdlib>
#include <cstring>
__global__ void empty() {}
static long resident_kb() {
  char line[256];
  long kb = 0;
  FILE *file = fopen("/proc/self/status", "r");
  while (fgets(line, sizeof line, file))
    if (!strncmp(line, "VmRSS:", 6)) kb = atol(line + 6);
  fclose(file);
  return kb;
}
int main(int, char **argv) {
  long count = atol(argv[1]), before = 0;
  for (long i = 0; i < count; i++) {
    if (i == count / 10) before = resident_kb();
    empty<<<1, 32>>>();
    if (i % 16 == 15 && cudaDeviceSynchronize()) return 1;
  }
  cudaDeviceSynchronize();
  printf("grown %ld KB\n", resident_kb() - before);
}
END_OF_PROGRAM
"$HEDDLE" cc many.cu -o many >log 2>&1 || skip "heddle cc does not work here: $(cat log)"

# What a command and all that it starts have needed, and its own reads.
cat >peak.c <<'END_OF_PROGRAM'
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv) {
  char path[64], line[128];
  long reads = 0;
  struct rusage usage;
  siginfo_t info;
  int status;
  pid_t pid = fork();
  if (pid == 0) execvp(argv[2], argv + 2), _exit(127);
  waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
  snprintf(path, sizeof path, "/proc/%d/io", (int)pid);
  FILE *io = fopen(path, "r");
  while (io && fgets(line, sizeof line, io)) sscanf(line, "syscr: %ld", &reads);
  wait4(pid, &status, 0, &usage);
  FILE *out = fopen(argv[1], "w");
  fprintf(out, "%ld %ld\n", usage.ru_maxrss, reads);
  fclose(out);
  return argc && WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}
END_OF_PROGRAM
"$HEDDLE" cc peak.c -o peak >log 2>&1 || fail "$(cat log)"

grown() { sed -n 's/^grown \(-*[0-9]*\) KB$/\1/p' <<<"$out"; }
peak() { cut -d' ' -f1 peak.out; }

# Without and with time: from a tenth on, nothing is added.
expect_exit 0 "$HEDDLE" run --quiet --functional -- ./many 20000
[ "$(grown)" -lt 512 ] || fail "20000 launches without time: $out"
expect_exit 0 "$HEDDLE" run --quiet --gpu tiny -- ./many 10000
[ "$(grown)" -lt 512 ] || fail "10000 launches with time: $out"

# As JSON: every launch, in order, and no more memory for ten times as many.
expect_exit 0 ./peak peak.out "$HEDDLE" run --quiet --gpu tiny --json few.json -- ./many 200
few=$(peak)
expect_exit 0 ./peak peak.out "$HEDDLE" run --quiet --gpu tiny --json many.json -- ./many 2000
[ "$(grown)" -lt 512 ] || fail "2000 launches with --json: $out"
[ "$(peak)" -lt $((few + 2048)) ] || fail "JSON of 2000 launches takes $(peak) KB, of 200 $few KB"
[ "$(sed -n 's/^ *"id": \([0-9]*\),$/\1/p' many.json)" = "$(seq 0 1999)" ] || fail "launches are missing from the JSON"
grep -q '"launches": 2000' many.json || fail "the total"

# In a store, which reads them in pieces of some size.
expect_exit 0 ./peak peak.out "$HEDDLE" run --quiet --gpu tiny --db few.db -- ./many 100
few=$(peak)
expect_exit 0 ./peak peak.out "$HEDDLE" run --quiet --gpu tiny --db many.db -- ./many 1000
[ "$(peak)" -lt $((few + 4096)) ] || fail "a store of 1000 launches takes $(peak) KB, of 100 $few KB"
[ "$(cut -d' ' -f2 peak.out)" -lt 20000 ] || fail "$(cut -d' ' -f2 peak.out) reads for 1000 launches"
[ "$("$HEDDLE" query many.db --csv "select count(*), max(id) from kernels" | tail -n 1)" = 1000,999 ] ||
  fail "launches are missing from the store"

# Case files have the same engine.
cat >loop.case <<END_OF_CASE
ptx $HEDDLE_SOURCE/tests/reference/ref.ptx
alloc O 128
$(for i in $(seq 300); do echo "launch fma_chain 1 1 1 32 1 1 \$O f:0.5 i:1"; done)
END_OF_CASE
expect_exit 0 "$HEDDLE" run loop.case --quiet --gpu tiny --json case.json
[ "$(sed -n 's/^ *"id": \([0-9]*\),$/\1/p' case.json)" = "$(seq 0 299)" ] || fail "launches of a case"

# The folder for them is gone.
export TMPDIR=$scratch/tmp
mkdir tmp
expect_exit 0 "$HEDDLE" run --quiet --gpu tiny --json few.json -- ./many 20
[ -z "$(ls -A tmp)" ] || fail "left behind: $(ls -A tmp)"
