# SPDX-License-Identifier: MIT
# A full disk: every command that writes a file or prints reports the failure, with the name of
# the file, and exits with code 2. A device stays what it is.
. "$HEDDLE_SOURCE/tests/cli/common"

[ -w /dev/full ] || skip "/dev/full not found"
cd "$scratch"
vecadd=$cases/vecadd_20k.case

# Results to work with, and files that cannot be written.
"$HEDDLE" compare "$vecadd" --gpu tiny --schemes lrr,gto --db runs.db --quiet
"$HEDDLE" run "$vecadd" --gpu tiny --observe sharing:graph=true --json shared.json --quiet
for ending in html json svg csv cfg; do ln -s /dev/full "full.$ending"; done

# ---- files

full() {  # FILE COMMAND...
  local file=$1
  shift
  expect_exit 2 "$HEDDLE" "$@"
  expect_text "$err" "$file"
  expect_text "$err" "No space left on device"
  [ -c /dev/full ] || fail "$* replaced /dev/full"
}

full /dev/full run "$vecadd" --gpu tiny --json /dev/full
full /dev/full run "$vecadd" --gpu tiny --functional --quiet --json /dev/full
full full.json trace-events "$vecadd" --gpu tiny --output full.json
full full.html compare "$vecadd" --gpu tiny --schemes lrr,gto --db runs.db --report full.html
full full.json compare "$vecadd" --gpu tiny --schemes lrr,gto --db runs.db --quiet --report full.json
full full.html report runs.db --output full.html
full full.json report runs.db --output full.json
full /dev/full export runs.db --csv --output /dev/full
full /dev/full export runs.db --json --output /dev/full
full full.csv figure runs.db speedup -o full.csv
full full.cfg config import "$HEDDLE_SOURCE/tests/fuzz/seeds/import/gtx480.config" -o full.cfg
full /dev/full partition shared.json -o /dev/full
full /dev/full run "$vecadd" --gpu tiny --quiet --observe load_trace:file=/dev/full
full /dev/full run "$vecadd" --gpu tiny --quiet --observe reuse_profile:file=/dev/full

for command in "run $vecadd --gpu tiny --quiet --db /dev/full" "merge /dev/full runs.db"; do
  expect_exit 2 "$HEDDLE" $command
  expect_text "$err" "/dev/full: database or disk is full"
done

# ---- standard output

full_stdout() {  # COMMAND...
  expect_exit 2 bash -c '"$0" "$@" >/dev/full' "$HEDDLE" "$@"
  expect_text "$err" "cannot write"
  expect_text "$err" "No space left on device"
}

full_stdout --version
full_stdout --help
full_stdout help run
full_stdout help --man
for topic in gpus params stats policies schemes observers workloads studies; do full_stdout list $topic; done
full_stdout completion bash
full_stdout run "$vecadd" --gpu tiny
full_stdout run "$vecadd" --gpu tiny --json -
full_stdout run "$vecadd" --gpu tiny --stats-format gpgpusim
full_stdout compare "$vecadd" --gpu tiny --schemes lrr,gto --db runs.db
full_stdout query runs.db 'select * from results'
full_stdout query runs.db 'select * from results' --csv
full_stdout query runs.db 'select * from results' --json
full_stdout export runs.db --csv
full_stdout export runs.db --json
full_stdout figure runs.db --list
full_stdout config import "$HEDDLE_SOURCE/tests/fuzz/seeds/import/gtx480.config"
full_stdout partition shared.json
full_stdout trace-events "$vecadd" --gpu tiny --output trace.json

# ---- programs

can_compile || { skip_part "clang not found: no programs"; exit 0; }
find_runner
printf '__global__ void k(int *x) { x[blockIdx.x] += 1; }\nint main() { k<<<1, 32>>>(0); }\n' >k.cu
[ ! -e "$(dirname "$HEDDLE")/libheddle_cluster.so" ] || full /dev/full cluster k.cu -o /dev/full
workload=(run matrixMul --size tiny)
program_full() {  # ARGUMENTS...
  expect_exit 2 "${runner[@]}" "$HEDDLE" "$@"
  expect_text "$err" "/dev/full"
  expect_text "$err" "No space left on device"
}
program_full "${workload[@]}" --json /dev/full
program_full "${workload[@]}" --quiet --json /dev/full
program_full "${workload[@]}" --quiet --observe load_trace:file=/dev/full
expect_exit 2 bash -c '"$@" >/dev/full' bash "${runner[@]}" "$HEDDLE" "${workload[@]}"
expect_text "$err" "cannot write"
