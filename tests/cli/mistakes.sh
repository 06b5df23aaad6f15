# SPDX-License-Identifier: MIT
# The user's mistakes: exit code 2, a text that helps, nothing on stdout.
. "$HEDDLE_SOURCE/tests/cli/common"

mistake() {  # PART-OF-MESSAGE ARGUMENTS...
  local part=$1
  shift
  expect_exit 2 "$HEDDLE" "$@"
  expect_text "$err" "$part"
  [ -z "$out" ] || fail "printed '$out' for $*"
}

vecadd=$cases/vecadd_20k.case
mistake "usage: heddle COMMAND"
mistake "did you mean 'run'?" rum
mistake "did you mean '--json'?" run --jsn=x
mistake "did you mean 'gpus'?" list gpu
mistake "--gpu needs a value" run --gpu
mistake "--quiet takes no value" run --quiet=1
mistake "missing argument" run
mistake "unexpected argument" run a b
mistake "did you mean 'gtx480'?" run --functional --gpu gtx48 "$vecadd"
mistake "cannot open" run --functional --gpu ./none.cfg "$vecadd"
mistake "--set sm.max_warp=3: unknown key 'max_warp' in [sm]; did you mean 'sm.max_warps'?" run --functional --set sm.max_warp=3 "$vecadd"
mistake "--set l1d.size=16: unknown key 'size' in [l1d]; did you mean 'l1d.size_kb'?" run --set l1d.size=16 "$vecadd"
mistake "--set l1d.size: 'l1d.size': expected section.key=value; did you mean 'l1d.size_kb'?" run --set l1d.size "$vecadd"
mistake "--set l1d.size_kb: 'l1d.size_kb': expected section.key=value; allowed values: 0.." run --set l1d.size_kb "$vecadd"
mistake "expected section.key=value; did you mean 'sm.max_warps'?" run --set max_warps=3 "$vecadd"
mistake "did you mean 'l1d.size_kb', " run --set sm.size_kb=16 "$vecadd"
mistake "allowed: 1..64" run --functional --set sm.max_warps=65 "$vecadd"
# Numbers and names that were probably meant.
mistake "allowed: 1..64 (nearest: 64)" run --functional --set sm.max_warps=65 "$vecadd"
mistake "read_only (nearest: back)" run --set l1d.write_policy=bakc "$vecadd"
mistake "l1d: size_kb = 17: not a size of 32 sets x 1..64 ways x 128 bytes (nearest: 16, 20)" run --set l1d.size_kb=17 "$vecadd"
mistake "l2: size_kb = 17: " run --set l2.size_kb=17 "$vecadd"
mistake "l1i: line_bytes = 100: must be a power of two in 32..256 (nearest: 64, 128)" run --set l1i.line_bytes=100 "$vecadd"
mistake "l1d: sets = 33: the fermi index hash requires 32 or 64 sets (nearest: 32)" run --set l1d.sets=33 "$vecadd"
mistake "sm.l1_parts = 3: does not divide the 4 ways of the L1D (nearest: 2, 4)" run --set sm.l1_parts=3 "$vecadd"
mistake "latency.simple_interval = 9 exceeds latency.simple = 1; lower" run --set latency.simple_interval=9 "$vecadd"
mistake "latency.sfu_interval = 8 exceeds latency.sfu = 7" run --set latency.sfu=7 "$vecadd"
mistake "'gtoo'; did you mean 'gto'? available: lrr" run --set policy.warp_scheduler=gtoo "$vecadd"
mistake "section.key=value; did you mean 'sm.max_warps'?" run --functional --set max_warps "$vecadd"
mistake "section.key=value" run --functional --set = "$vecadd"
mistake "section.key=value" run --functional --set . "$vecadd"
mistake "unknown section []" run --functional --set .=3 "$vecadd"
mistake "cannot open" run --functional "$scratch/none.case"
mistake "is a directory" run --functional "$scratch"
mistake "unknown section [foo] (sections: gpu, " run --functional --set foo.bar=3 "$vecadd"  # nothing near it
mistake "is a program; use heddle run -- " run "$HEDDLE"
mistake "cannot run ./none: No such file" run -- ./none
mistake "chmod +x" run -- "$HEDDLE_SOURCE/README.md"
mistake "size huge: expected tiny, small or paper" run matrixMul --size huge
mistake "hotspot: size huge: expected tiny, small or paper" compare hotspot --size huge
# Before the run, not after it.
mistake "cannot write" run --json "$scratch/none/out.json" "$vecadd"
mistake "cannot write" trace-events --output "$scratch/none/out.json" "$vecadd"
mistake "cannot write" compare --report "$scratch/none/out.html" hotspot

printf '[sm]\nmax_warps = 0\n' >"$scratch/bad.cfg"
mistake "bad.cfg:2: max_warps = 0: out of range; allowed: 1..64" run --functional --gpu "$scratch/bad.cfg" "$vecadd"

# Mistakes in a case file; those found while it runs still print the table.
ptx=$HEDDLE_SOURCE/tests/reference/ref.ptx
bad_case() {  # PART-OF-MESSAGE LINES
  printf "$2" >"$scratch/bad.case"
  expect_exit 2 "$HEDDLE" run --functional "$scratch/bad.case"
  expect_text "$err" "$1"
}
bad_case "bad.case:1:1: unknown command 'lunch'; did you mean 'launch'?" 'lunch k\n'
bad_case "bad.case:2: unknown kernel 'vecad'; did you mean 'vecadd'?" "ptx $ptx\nlaunch vecad 1 1 1 1 1 1\n"
bad_case "bad.case:1: unknown kernel vecadd: the case loads no PTX" 'launch vecadd 1 1 1 1 1 1\n'
bad_case "kernel vecadd takes 3 arguments, not 1" "ptx $ptx\nlaunch vecadd 1 1 1 1 1 1 i:0\n"
bad_case "does not fit" "ptx $ptx\nalloc A 4\nlaunch imul_chain 1 1 1 1 1 1 \$A i:4294967296 i:1\n"
bad_case "write f:V" "ptx $ptx\nalloc A 4\nlaunch fma_chain 1 1 1 1 1 1 \$A i:1 i:1\n"
bad_case "none.ptx" 'ptx none.ptx\n'

# Mistakes in a study: before any run, with file and line.
bad_study() {  # PART-OF-MESSAGE LINE-OF-[study] STATISTIC NUMBER
  cat >"$scratch/bad.ini" <<END
[study]
workloads = vecadd
gpus = gtx480
schemes = lrr
$2
[workload vecadd]
is = $vecadd
[figure f]
statistic = $3
[paper f]
vecadd lrr = $4
END
  mistake "bad.ini:$1" study "$scratch/bad.ini" --db "$scratch/bad.db"
}
bad_study "5: observe = acceses: " "observe = accesses; acceses" cycles 1
bad_study "5: observe = latency:bin=3: " "observe = latency:bin=3" cycles 1
bad_study "5: interval = 18446744073709551616: " "interval = 18446744073709551616" cycles 1
bad_study "5: interval = 0: " "interval = 0" cycles 1
bad_study "9: unknown statistic 'l1d.hist'; did you mean 'l1d.hits'?" "" "1 - l1d.hist / cycles" 1
bad_study "9: unknown statistic 'policies.warp_scheduler.gto.x'" "" policies.warp_scheduler.gto.x 1
bad_study "11: 1e999: must be a finite number" "" cycles 1e999
bad_study "11: nan: must be a finite number" "" cycles nan
[ ! -e "$scratch/bad.db" ] || fail "a study with mistakes has a store"

# A full disk is noticed.
if [ -w /dev/full ]; then
  expect_exit 2 bash -c '"$0" --help >/dev/full' "$HEDDLE"
  expect_exit 2 "$HEDDLE" run --functional --quiet --json /dev/full "$vecadd"
fi
