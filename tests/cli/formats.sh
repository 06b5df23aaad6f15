# SPDX-License-Identifier: MIT
# Results in other forms: GPGPU-Sim's words, and traces for viewers with the
# stalls that they show.
. "$HEDDLE_SOURCE/tests/cli/common"
cd "$scratch"

vecadd=$cases/vecadd_20k.case
expect_exit 0 "$HEDDLE" run "$vecadd" --stats-format gpgpusim --json a.json
value() { sed -n "s/^[\t]*$1 = *//p" <<<"$out"; }
json() { sed -n "s/^ *\"$1\": \([0-9.]*\),*\$/\1/p" a.json | head -1; }
while read -r theirs ours; do
  [ "$(value "$theirs")" = "$(json "$ours")" ] || fail "$theirs is $(value "$theirs"), $ours $(json "$ours")"
done <<'END'
gpu_sim_cycle cycles
gpu_sim_insn thread_instructions
gpu_tot_sim_cycle cycles
L1D_total_cache_accesses l1d.accesses
L1D_total_cache_misses l1d.misses
L1D_total_cache_pending_hits l1d.merges
L2_total_cache_accesses l2.accesses
icnt_total_pkts_simt_to_mem noc.request_packets
END
[ "$(value "total dram reads")" = "$(json dram.reads)" ] || fail "DRAM reads"
[ "$(value gpu_tot_ipc)" = "$(awk "BEGIN { printf \"%.4f\", $(json thread_instructions) / $(json cycles) }")" ] || fail "IPC"
[ "$(value L1D_total_cache_miss_rate)" = \
  "$(awk "BEGIN { printf \"%.4f\", $(json l1d.misses) / $(json l1d.accesses) }")" ] || fail "the miss rate"
case $out in *"issue slots"*) fail "the table is there, too" ;; esac
expect_exit 2 "$HEDDLE" run "$vecadd" --stats-format other

# Of two kernels the second's totals hold both.
sed "s|^ptx .*|ptx $HEDDLE_SOURCE/tests/reference/ref.ptx|; /^launch/{p}" "$vecadd" >twice.case
expect_exit 0 "$HEDDLE" run twice.case --stats-format gpgpusim
[ "$(value gpu_sim_insn | tail -1)" = 389120 ] && [ "$(value gpu_tot_sim_insn | tail -1)" = 778240 ] || fail "totals"
[ "$(value kernel_launch_uid | tr '\n' ' ')" = "1 2 " ] || fail "two kernels"

# Stalls: they do not overlap, and fill what is between instructions. The tiny
# GPU has one scheduler an SM, so an instruction takes a cycle.
expect_exit 0 "$HEDDLE" run "$vecadd" --gpu tiny --observe stalls:min_cycles=1 --db s.db --quiet
ask() { "$HEDDLE" query s.db --csv "$1" | tail -n +2; }
[ "$(ask "select count(*) from stalls as a join stalls as b on a.sm = b.sm and a.rowid < b.rowid and
  a.start_cycle + a.cycles > b.start_cycle")" = 0 ] || fail "stalls overlap"
[ "$(ask "select count(*) from sms join (select sm, sum(cycles) as all_cycles from stalls group by sm) as s
  on s.sm = sms.sm where all_cycles + warp_instructions between active_cycles - 400 and active_cycles")" = 2 ] ||
  fail "stalls and instructions are not the time: $(ask 'select sm, active_cycles, warp_instructions from sms')"

# A trace has every CTA, every kernel, a name for every SM.
expect_exit 0 "$HEDDLE" trace-events "$vecadd" --output t.json --gpu gtx480
expect_text "$out" "t.json: "
count() { grep -o "$1" t.json | wc -l; }
[ "$(count '"cat":"cta"')" = 320 ] && [ "$(count '"cat":"kernel"')" = 1 ] || fail "spans"
[ "$(count '"name":"SM [0-9]*"')" = 15 ] || fail "SMs"
[ "$(count '"cat":"stall"')" -gt 15 ] || fail "stalls"
[ "$(count '"name":"warp IPC"')" -ge 3 ] || fail "counters"
expect_exit 2 "$HEDDLE" trace-events "$vecadd" --output /nowhere/t.json
expect_exit 2 "$HEDDLE" trace-events "$vecadd" --min-stall x
