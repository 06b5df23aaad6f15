# SPDX-License-Identifier: MIT
# run.bounds: a stencil that reads a row before and a row behind its array and
# discards them ends with a fault byte by byte; by pages it runs, says so once,
# and has the counts in the table and in the JSON, the same with any number of
# threads. What is far away is a fault all the same.
. "$HEDDLE_SOURCE/tests/cli/common"

cat >"$scratch/rows.ptx" <<'END'
.version 6.4
.target sm_70
.address_size 64
// out[i] = in[i - n] + in[i] + in[i + n], with zeros outside; what is read there is dropped
.visible .entry rows(.param .u64 in, .param .u64 out, .param .u32 n, .param .u32 size) {
  .reg .u32 %r<12>;
  .reg .u64 %rd<8>;
  .reg .pred %p<3>;
  ld.param.u64 %rd0, [in];
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r0, [n];
  ld.param.u32 %r1, [size];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.u32 %r2, %r2, %r3, %r4;
  mul.wide.s32 %rd2, %r2, 4;
  mul.wide.s32 %rd3, %r0, 4;
  add.u64 %rd0, %rd0, %rd2;
  add.u64 %rd1, %rd1, %rd2;
  sub.u64 %rd4, %rd0, %rd3;
  add.u64 %rd5, %rd0, %rd3;
  ld.global.u32 %r5, [%rd4];
  ld.global.u32 %r6, [%rd0];
  ld.global.u32 %r7, [%rd5];
  setp.lt.u32 %p0, %r2, %r0;
  sub.u32 %r8, %r1, %r0;
  setp.ge.u32 %p1, %r2, %r8;
  selp.u32 %r5, 0, %r5, %p0;
  selp.u32 %r7, 0, %r7, %p1;
  add.u32 %r6, %r6, %r5;
  add.u32 %r6, %r6, %r7;
  st.global.u32 [%rd1], %r6;
  ret;
}
END
write_case() {  # ROW
  cat >"$scratch/rows.case" <<END
ptx rows.ptx
alloc in 4096
fill in i32 const 1
alloc out 4096
launch rows 8 1 1 128 1 1 \$in \$out i:$1 i:1024
launch rows 8 1 1 128 1 1 \$in \$out i:$1 i:1024
sum out i32
END
}

write_case 64
for mode in --functional "--gpu tiny"; do
  expect_exit 1 "$HEDDLE" run $mode "$scratch/rows.case"
  expect_text "$err" " bytes before in (4096 bytes at 0x"
  expect_text "$err" "nor does --set run.bounds=page"
done

# 64 reads before and, since `out` lies right behind `in`, none outside of both behind it.
check_page() {  # OPTION...
  expect_exit 0 "$HEDDLE" run "$@" --set run.bounds=page "$scratch/rows.case" --json "$scratch/out.json"
  expect_text "$out" "sum out = 2944"
  expect_text "$out" "warning: 128 global reads outside any allocation, permitted by run.bounds = page"
  expect_text "$out" " bytes before in (4096 bytes at 0x"
  expect_text "$err" "heddle: warning: 64 global reads outside any allocation, permitted by run.bounds = page; first:"
  [ "$(grep -c warning <<<"$err")" = 1 ] || fail "more than one warning: $err"
  expect_text "$(cat "$scratch/out.json")" '"kind": "stray_reads"'
  expect_text "$(cat "$scratch/out.json")" '"count": 128'
}
check_page --functional
check_page --gpu gtx480
grep -v seconds "$scratch/out.json" >"$scratch/one"
check_page --gpu gtx480 --threads 3
grep -v seconds "$scratch/out.json" >"$scratch/three"
diff "$scratch/one" "$scratch/three" >&2 || fail "three threads give another result than one"

# Two pages further there is nothing.
write_case 2000000
expect_exit 1 "$HEDDLE" run --functional --set run.bounds=page "$scratch/rows.case"
expect_text "$err" "access outside any allocation"
expect_exit 2 "$HEDDLE" run --functional --set run.bounds=sometimes "$scratch/rows.case"
expect_text "$err" "exact"
expect_text "$err" "page"
