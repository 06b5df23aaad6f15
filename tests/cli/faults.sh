# SPDX-License-Identifier: MIT
# What a simulated program does wrong ends the run with code 1, a message that
# names it, and the results so far; never a crash. The faults themselves are
# tests/kernels/faults.ptx's business.
. "$HEDDLE_SOURCE/tests/cli/common"

kernels=$HEDDLE_SOURCE/tests/kernels
fault() {  # PART-OF-MESSAGE PTX LAUNCH
  printf 'ptx %s\nalloc out 256\nlaunch %s\n' "$kernels/$2" "$3" >"$scratch/bad.case"
  expect_exit 1 "$HEDDLE" run --functional "$scratch/bad.case" --json "$scratch/bad.json"
  expect_text "$err" "$1"
  expect_text "$err" "bad.case:3: kernel "
  expect_text "$out" "INCOMPLETE"
  expect_text "$(cat "$scratch/bad.json")" '"complete": false'
}

fault "access outside any allocation" faults.ptx 'read_at 1 1 1 128 1 1 $out i:0'
expect_text "$err" "thread (64,0,0)"
expect_text "$err" "faults.ptx:123: ld.global.u32"
expect_text "$err" "mistakes.cu:7"
expect_text "$err" "0 bytes past the end of out (256 bytes at 0x"
fault "access through a null pointer" faults.ptx 'write_at 1 1 1 32 1 1 i:0 i:0'
fault "misaligned access" faults.ptx 'read_at 1 1 1 32 1 1 $out i:1'
fault "of shared" faults.ptx 'shared_at 1 1 1 32 1 1 i:4096'
fault "of local" faults.ptx 'local_at 1 1 1 32 1 1 i:4096'
fault "of const" faults.ptx 'const_at 1 1 1 32 1 1 i:4096'
fault "trap executed" faults.ptx 'trapped 1 1 1 32 1 1'
fault "stack overflow" recursion.ptx 'endless 1 1 1 32 1 1 $out'
fault "call through an invalid function pointer" pointers.ptx 'bad_pointer 1 1 1 32 1 1 $out'
fault "branch table index out of range" control.ptx 'jump_too_far 1 1 1 32 1 1 $out'
fault "access to freed memory" natives.ptx 'after_free 1 1 1 1 1 1 $out'
expect_text "$err" "nor does --set run.bounds=page"
fault "assertion failed" natives.ptx 'assertion 1 1 1 32 1 1 $out'
fault "barrier not reached by all threads" barriers.ptx 'hang 1 1 1 64 1 1 $out'
