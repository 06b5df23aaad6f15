# SPDX-License-Identifier: MIT
# run --check races: finds the race planted in each kernel of tests/races/planted.cu, by its lines
# and kind, and none in its corrected twin; with timing and without; results and cycles stay the
# same; two runs report the same.
. "$HEDDLE_SOURCE/tests/cli/common"
need_cc
find_runner

source=$HEDDLE_SOURCE/tests/races/planted.cu
"$HEDDLE" cc -lineinfo "$source" -o "$scratch/planted" >"$scratch/log" 2>&1 || fail "heddle cc: $(cat "$scratch/log")"

check() {  # EXIT OPTIONS -- ARGUMENTS
  local wanted=$1
  shift
  expect_exit "$wanted" "${runner[@]}" "$HEDDLE" run --json "$scratch/out.json" "$@"
}
line_of() { grep -n "// .*\b$1 $2\b" "$source" | cut -d: -f1; }  # A|B KERNEL
# "KIND SPACE LINE LINE" for every race in the JSON.
found() { jq -r '.races.found[] | "\(.kind) \(.space) \(.before.line) \(.after.line)"' "$scratch/out.json"; }

# The race of lines A and B is reported, as this kind of hazard; the twin has none.
planted() {  # KERNEL KIND SPACE FIRST SECOND OPTIONS
  local name=$1 wanted="$2 $3 $(line_of "$4" "$1") $(line_of "$5" "$1")"
  shift 5
  check 1 "$@" --check races -- "$scratch/planted" "$name"
  expect_text "$err" "--check races found"
  grep -qx "$wanted" <<<"$(found)" || fail "$name: no '$wanted' among:"$'\n'"$(found)"
  check 0 "$@" --check races -- "$scratch/planted" "$name" fixed
  [ -z "$(found)" ] || fail "$name fixed: $(found)"
  expect_text "$out" "races: none"
}

for mode in "--functional --gpu v100" "--gpu v100"; do
  planted reduction WAR shared B A $mode
  planted tile_load RAW shared A B $mode
  planted tile_reuse WAR shared A B $mode
  planted warp_synchronous RAW shared A B $mode
  planted overlap WAW global A B $mode
  planted flag RAW global A B $mode
  planted histogram WAR global A B $mode
  planted named RAW shared A B $mode
  planted stencil WAR global A B $mode
  planted last_block RAW global A B $mode
  planted merge RAW shared A B $mode
  planted lock WAW global A B $mode
  planted bytes WAW global A B $mode
  planted looked_at WAR global A B $mode
  planted rows WAW global A B $mode
done

# What to do, where, and who.
check 1 --functional --gpu v100 --check races -- "$scratch/planted" tile_load
expect_text "$out" "missing __syncthreads() between lines $(($(line_of A tile_load) + 1)) and $(line_of B tile_load)?"
expect_text "$out" "read after write (RAW) in shared memory, "
check 1 --functional --check races -- "$scratch/planted" overlap
expect_text "$out" "write by CTA (1,0,0), thread (0,0,0) (st.global.u32)"
expect_text "$out" "first at byte 508 of the array in parameter 1 (4096 bytes)"
expect_text "$err" "--check races found 1 data race"

# Before Volta the lanes of a warp run in lockstep, and the report says that they are not checked.
check 0 --functional --gpu gtx480 --check races -- "$scratch/planted" warp_synchronous
expect_text "$out" "on gtx480 they run in lockstep; --check races:warp=on"
check 1 --functional --gpu gtx480 --check races:warp=on -- "$scratch/planted" warp_synchronous
check 0 --functional --gpu v100 --check races:warp=off -- "$scratch/planted" warp_synchronous

# Benign races are no failure, and shown on demand.
for name in same tested; do
  check 0 --functional --gpu v100 --check races -- "$scratch/planted" $name
  [ -z "$(found)" ] || fail "$name: $(found)"
  check 0 --functional --gpu v100 --check races:all -- "$scratch/planted" $name
  [ -n "$(found)" ] || fail "$name: races:all reports nothing"
  expect_text "$out" "races: none, and 1 benign"
done

# Nothing else changes but the state of the run: neither the program's result nor a cycle or
# counter. Threads are no matter.
same() { grep -v seconds <<<"$(jq 'del(.races, .state, .error)' "$scratch/out.json")"; }
for name in reduction flag histogram; do
  check 1 --gpu v100 --check races -- "$scratch/planted" $name
  same >"$scratch/with"
  grep -v seconds "$scratch/out.json" >"$scratch/one"
  line=$(grep "^$name: " <<<"$out")
  check 0 --gpu v100 -- "$scratch/planted" $name
  same | diff - "$scratch/with" >&2 || fail "$name: the check changes the result"
  [ "$(grep "^$name: " <<<"$out")" = "$line" ] || fail "$name: the check changes the program's output"
  check 1 --gpu v100 --threads 2 --check races -- "$scratch/planted" $name
  grep -v seconds "$scratch/out.json" | diff - "$scratch/one" >&2 || fail "$name: a second run differs"
done

# Case files, and mistakes.
expect_exit 0 "$HEDDLE" run "$cases/vecadd_20k.case" --functional --check races
expect_text "$out" "races: none"
expect_exit 2 "$HEDDLE" run "$cases/vecadd_20k.case" --check speed
expect_text "$err" "--check speed: unknown check 'speed'; there is: races"
expect_exit 2 "$HEDDLE" run "$cases/vecadd_20k.case" --check races:wrap=on
expect_text "$err" "did you mean 'warp'?"
