# SPDX-License-Identifier: MIT
# Atomics on shared memory in the table of accesses: lanes on one word are transactions, but no
# bank conflicts, and what they cost is theirs.
. "$HEDDLE_SOURCE/tests/cli/common"
cd "$scratch"

cat >atomics.ptx <<'END'
.version 6.0
.target sm_35
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .u32 %r<8>;
	.shared .align 8 .b8 words[4096];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, words;
	shl.b32 %r3, %r1, 2;
	add.u32 %r3, %r3, %r2;
	shl.b32 %r4, %r1, 7;
	add.u32 %r4, %r4, %r2;
	red.shared.add.u32 [%r2], %r1;
	red.shared.add.u32 [%r3], %r1;
	red.shared.add.u32 [%r4], %r1;
	atom.shared.add.u32 %r5, [%r2], 1;
	exit;
}
END
cat >atomics.case <<'END'
ptx atomics.ptx
alloc out 256
launch k 1 1 1 32 1 1 $out
END

# PTX line, transactions, bank conflict cycles; 17 has no use for its result.
cells() {
  "$HEDDLE" run atomics.case --gpu "$1" --db "$1.db" >/dev/null || fail "heddle run --gpu $1"
  "$HEDDLE" query "$1.db" --csv "select line, transactions, bank_conflict_cycles from accesses
    where kernel is null and kind = 'atomic' order by line" | sed 1d | tr '\n' ' '
}
expect_cells() { [ "$(cells "$1")" = "$2" ] || fail "$1: $(cells "$1"), not $2"; }

expect_cells v100 "14,32,0 15,1,0 16,32,31 17,32,0 "
expect_cells gtx1080 "14,32,0 15,1,0 16,32,31 17,32,0 "
# A constant 1 is counted by the unit.
expect_cells a100 "14,32,0 15,1,0 16,32,31 17,1,0 "
# The loop that locks: a pass per lane, or per word of the bank. Banks of k40 have 8 bytes.
expect_cells gtx480 "14,32,0 15,1,0 16,32,31 17,32,0 "
expect_cells k40 "14,32,0 15,1,0 16,16,15 17,32,0 "
# As GPGPU-Sim.
expect_cells gtx480-3.2 "14,1,0 15,1,0 16,32,31 17,1,0 "

# The one on one word is the most expensive, and its warp waits for it.
out=$("$HEDDLE" run atomics.case --gpu v100)
expect_text "$(grep -A1 'most expensive accesses' <<<"$out" | tail -n 1)" "shared atomic"
expect_text "$(grep 'PTX line 14 ' <<<"$out")" " atomic"
grep -q '"lsu.shared_atomics": 4' <("$HEDDLE" run atomics.case --gpu v100 --json - 2>/dev/null) || fail "no counter of shared atomics"
