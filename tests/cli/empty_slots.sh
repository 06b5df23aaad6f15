# SPDX-License-Identifier: MIT
# What a report says of schedulers without warps, of the limit of occupancy and of bandwidth, in
# text, JSON and the store.
. "$HEDDLE_SOURCE/tests/cli/common"
cd "$scratch"

cat >kernels.ptx <<'END'
.version 6.0
.target sm_70
.address_size 64
.visible .entry empty() { ret; }
.visible .entry copy(.param .u64 to, .param .u64 from) {
  .reg .u64 %rd<6>; .reg .u32 %r<5>;
  ld.param.u64 %rd0, [to]; ld.param.u64 %rd1, [from];
  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r0, %r1, %r2; mul.wide.u32 %rd2, %r3, 4;
  add.u64 %rd3, %rd1, %rd2; add.u64 %rd4, %rd0, %rd2;
  ld.global.u32 %r4, [%rd3]; st.global.u32 [%rd4], %r4;
  ret;
}
END
launch() {  # NAME LAUNCH...: a case of one launch
  printf 'ptx kernels.ptx\nregs copy 40\nalloc A 2097152\nalloc B 2097152\nlaunch %s\n' "${*:2}" >"$1.case"
}
launch empty empty 1 1 1 32 1 1
launch small copy 40 1 1 256 1 1 '$A' '$B'
launch large copy 2048 1 1 256 1 1 '$A' '$B'

run() { expect_exit 0 "$HEDDLE" run "$1.case" --gpu v100 --json "$1.json" --db runs.db "${@:2}"; }
number() { sed -n "s/^ *\"$2\": \([0-9.]*\),*$/\1/p" "$1.json" | tail -n 1; }  # CASE NAME: of `total`
share() {  # LABEL: percent of the issue slots
  sed -n '/issue slots/,/^$/p' <<<"$out" | sed -n "s/.* \([0-9.]*\) %  $1\$/\1/p"
}

# ---- an empty kernel is all launch latency; nothing is called "no warp" any more

run empty
awk -v share="$(share 'launch latency')" 'BEGIN { exit !(share > 80 && share < 95) }' || fail "launch latency: $out"
case $out in *"no warp"*) fail "slots without a cause: $out" ;; esac
expect_text "$out" "limited by the grid of 1 CTA for 80 SMs: 79 SMs idle"
[ "$(number empty sm.slot_launch)" = $((2711 * 80 * 4)) ] || fail "$(grep slot_ empty.json)"

# ---- 40 CTAs for 80 SMs

run small
expect_text "$out" "limited by the grid of 40 CTAs for 80 SMs: 40 SMs idle"
grep -q '"occupancy_limit": "grid"' small.json || fail "no limit in JSON"
grep -q '"resource_limit": "registers"' small.json || fail "no resource in JSON"
grep -q '"idle_sms": 40' small.json || fail "no idle SMs in JSON"
[ "$("$HEDDLE" query runs.db --csv "select occupancy_limit, idle_sms from kernels k join runs r on r.id = k.run where program like '%small.case'" | tail -n 1)" = grid,40 ] ||
  fail "the store: $("$HEDDLE" query runs.db 'select * from kernels')"
[ "$(number small sm.slot_small_grid)" -ge $((40 * 4 * ($(number small cycles) - 2711 - 200))) ] || fail "$(grep slot_ small.json)"
for option in --no-skip --threads\ 2; do
  cp small.json before.json
  # shellcheck disable=SC2086
  run small $option
  diff <(grep slot_ before.json) <(grep slot_ small.json) || fail "$option changes where slots went"
done

# ---- a grid that fills the GPU: six CTAs of 40 registers per SM, a tail, and turnaround

run large
expect_text "$out" "limited by registers (40 per thread; 32 would allow 8 CTAs per SM)"
grep -q '"occupancy_limit": "registers"' large.json || fail "no limit in JSON"
[ "$(number large sm.slot_small_grid)" = 0 ] || fail "$(grep slot_ large.json)"
[ "$(number large sm.slot_tail)" -gt 1000 ] && [ "$(number large sm.slot_dispatch)" -gt 1000 ] || fail "$(grep slot_ large.json)"

# ---- bandwidth, its peak and their quotient agree; writes may be queued when a kernel ends

read -r moved peak percent < <(sed -n 's/^  DRAM .* \([0-9.]*\) of \([0-9.]*\) GB\/s (\([0-9.]*\) %)$/\1 \2 \3/p' <<<"$out")
[ "${peak%.*}" = "$("$HEDDLE" list gpus | awk '$1 == "v100" { print $(NF - 2) }')" ] || fail "peak of $peak GB/s: $out"
awk "BEGIN { d = 100 * $moved / $peak - $percent; exit !(d < 0.06 && d > -0.06) }" || fail "$moved of $peak GB/s is not $percent %"
awk "BEGIN { d = 100 * $(number large dram.peak_share) - $percent; exit !(d < 0.06 && d > -0.06) }" || fail "$(grep dram large.json)"

# ---- shares of accesses are of slots with a warp

expect_text "$out" "share of occupied"
read -r lost percent < <(sed -n '/most expensive/{n;s/,//g;s/.* \([0-9][0-9]*\)  *\([0-9.]*\) %  [a-z].*/\1 \2/p}' <<<"$out")
all=$(($(number large cycles) * 80 * 4))
empty=0
for reason in launch dispatch small_grid tail; do empty=$((empty + $(number large sm.slot_$reason))); done
awk "BEGIN { d = 100 * $lost / ($all - $empty) - $percent; exit !(d < 0.06 && d > -0.06) }" || fail "$lost of $((all - empty)) slots is not $percent %: $out"
