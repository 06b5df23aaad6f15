# SPDX-License-Identifier: MIT
# heddle config import: another simulator's options in, a configuration out.
. "$HEDDLE_SOURCE/tests/cli/common"

cat >"$scratch/gpgpusim.config" <<'END'
# A machine of two clusters.
-gpgpu_n_clusters 2 -gpgpu_n_cores_per_cluster 3
-gpgpu_shader_core_pipeline 1536:32
-gpgpu_cache:dl1 N:64:128:6,L:L:m:N:H,S:64:8,8
-inter_config_file network.icnt
-gpgpu_runtime_stat 500
-gpgpu_perfect_mem 1
-not_an_option 3
-gpgpu_shader_cta 100
END
cat >"$scratch/network.icnt" <<'END'
// a crossbar
topology = fly; n = 1; num_vcs = 2;
flit_size = 36;   vc_buf_size = 16;
subnets = 2; routing_delay = 0;
internal_speedup = 1.0;
packet_size = {{1, 2}, {10, 20}};
END

expect_exit 0 "$HEDDLE" config import "$scratch/gpgpusim.config" --name pair --output "$scratch/pair.cfg"
[ -z "$out" ] || fail "printed '$out'"
expect_text "$err" "9 options, 1 changed, 2 not modelled, 1 without effect, 1 unknown"
expect_text "$err" "gpgpusim.config:9: -gpgpu_shader_cta 100: sm.max_ctas = 64; 100 is out of range"
expect_text "$err" "gpgpusim.config:7: -gpgpu_perfect_mem 1: "
expect_text "$err" "gpgpusim.config:8: -not_an_option 3: "
expect_text "$err" "network.icnt:2: num_vcs 2: Heddle's crossbar has num_vcs = 1"
# The file has all of it, and what has no effect besides.
listed=$(grep '^#' "$scratch/pair.cfg")
expect_text "$listed" "9 options, 1 changed, 2 not modelled, 1 without effect, 1 unknown"
expect_text "$listed" "#   $scratch/gpgpusim.config:6: -gpgpu_runtime_stat 500: statistics"
expect_text "$listed" "#   $scratch/gpgpusim.config:8: -not_an_option 3: "
case $err in *runtime_stat*) fail "statistics are no loss: $err" ;; esac

value() {  # PARAMETER VALUE
  local found
  found=$("$HEDDLE" list params --gpu "$scratch/pair.cfg" | awk -v name="$1" '$1 == name { print $2 }')
  [ "$found" = "$2" ] || fail "$1 is '$found', not $2"
}
value gpu.name pair
value gpu.sm_count 6
value gpu.sms_per_cluster 3
value sm.max_warps 48
value l1d.sets 64
value l1d.ways 6
value noc.flit_bytes 36
value noc.input_buffer_flits 16
value noc.output_buffer_flits 16
value noc.injection_flits 9
value noc.speedup 1
value noc.latency_cycles 7

# -o is short for --output.
expect_exit 0 "$HEDDLE" config import "$scratch/gpgpusim.config" --name pair -o "$scratch/pair2.cfg"
cmp "$scratch/pair.cfg" "$scratch/pair2.cfg" || fail "-o and --output differ"

# A V100 of GPGPU-Sim 4 has a launch latency; nothing is said of it, as it is exact.
echo '-gpgpu_kernel_launch_latency 5000 -gpgpu_TB_launch_latency 0' >"$scratch/volta.config"
expect_exit 0 "$HEDDLE" config import "$scratch/volta.config" -o "$scratch/pair.cfg"
[ "$err" = "2 options" ] || fail "of a launch latency: $err"
value gpu.host_launch_cycles 5000

# To standard output; a second file wins over the first.
echo '-gpgpu_n_clusters 4' >"$scratch/more.config"
expect_exit 0 "$HEDDLE" config import "$scratch/gpgpusim.config" "$scratch/more.config"
expect_text "$out" "sm_count = 12"
expect_text "$out" "name = imported"

# Machines that exercise what only some have. Each runs three cases to the sums
# of a run without time.
run_cases() {  # NAME
  local case_file
  for case_file in vecadd_20k mm_tiled_96 histo_64k; do
    case_file=$HEDDLE_SOURCE/tests/reference/cases/$case_file.case
    expect_exit 0 "$HEDDLE" run "$case_file" --functional
    local wanted
    wanted=$(printf '%s\n' "$out" | grep 'sum ')
    expect_exit 0 "$HEDDLE" run "$case_file" --gpu "$scratch/$1.cfg"
    expect_text "$out" "$wanted"
  done
}
import_machine() {  # NAME, options on standard input
  cat >"$scratch/$1.config"
  expect_exit 0 "$HEDDLE" config import "$scratch/$1.config" --name "$1" --output "$scratch/$1.cfg"
  run_cases "$1"
}
memory='-gpgpu_cache:dl2 S:32:128:24,L:B:m:L:P,A:192:4,32:0,32 -gpgpu_cache:dl2_texture_only 0
-gpgpu_dram_partition_queues 64:64:64:64 -gpgpu_frfcfs_dram_sched_queue_size 64
-gpgpu_dram_return_queue_size 192 -gpgpu_dram_buswidth 16 -gpgpu_dram_burst_length 2
-gpgpu_dram_timing_opt nbk=16:CCD=1:RRD=3:RCD=12:RAS=28:RP=12:RC=40:CL=12:WL=2:CDLR=3:WR=10:nbkgrp=4:CCDL=2:RTPL=3
-gpgpu_mem_addr_mapping dramid@8;0000RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS'

# 48 slices, hashed; sub-cores; an L1D that grows; no misses of code.
import_machine volta <<END
-gpgpu_n_clusters 4 -gpgpu_n_cores_per_cluster 2 -gpgpu_clock_domains 1200:1200:1200:850
-gpgpu_compute_capability_major 7 -gpgpu_compute_capability_minor 0
-gpgpu_max_concurrent_kernel 128 -gpgpu_simt_core_sim_order 1
-gpgpu_n_mem 24 -gpgpu_n_sub_partition_per_mchannel 2 -gpgpu_memory_partition_indexing 2
-gpgpu_shader_core_pipeline 2048:32 -gpgpu_shader_registers 65536 -gpgpu_shader_cta 32
-gpgpu_num_sched_per_core 4 -gpgpu_max_insn_issue_per_warp 1 -gpgpu_scheduler lrr
-gpgpu_sub_core_model 1 -gpgpu_num_reg_banks 16 -gpgpu_reg_file_port_throughput 2
-gpgpu_enable_specialized_operand_collector 0 -gpgpu_operand_collector_num_units_gen 8
-gpgpu_pipeline_widths 4,4,4,4,4,4,4,4,4,4,8,4,4 -gpgpu_inst_fetch_throughput 4
-gpgpu_num_sp_units 4 -gpgpu_num_sfu_units 4 -gpgpu_num_dp_units 4 -gpgpu_num_int_units 4
-gpgpu_shmem_num_banks 32 -gpgpu_coalesce_arch 70
-gpgpu_shmem_size 98304 -gpgpu_adaptive_cache_config 1 -gpgpu_unified_l1d_size 128
-gpgpu_shmem_option 0,8,16,32,64,96 -gpgpu_l1_banks 4 -gpgpu_l1_latency 20
-gpgpu_cache:dl1 S:4:128:64,L:T:m:L:L,A:512:8,16:0,32 -gpgpu_perfect_inst_const_cache 1
-gpgpu_flush_l1_cache 1 -network_mode 2 -icnt_in_buffer_limit 512 -icnt_out_buffer_limit 512
-dram_dual_bus_interface 1
$memory
END
expect_text "$(cat "$scratch/volta.cfg")" "compute_capability = 70"
expect_text "$(cat "$scratch/volta.cfg")" "memory_mb = 6144"
case $err in *"Not modelled"*) fail "all of it is modelled: $err" ;; esac

# 24 slices drawn at random, a write queue, hashed banks, two issues per warp.
import_machine pascal <<END
-gpgpu_n_clusters 3 -gpgpu_n_cores_per_cluster 1 -gpgpu_clock_domains 1400:1400:1400:2500
-gpgpu_ptx_force_max_capability 61 -gpgpu_simt_core_sim_order 0
-gpgpu_n_mem 12 -gpgpu_n_sub_partition_per_mchannel 2 -gpgpu_memory_partition_indexing 4
-gpgpu_shader_core_pipeline 2048:32 -gpgpu_shader_registers 65536 -gpgpu_shader_cta 32
-gpgpu_num_sched_per_core 4 -gpgpu_max_insn_issue_per_warp 2 -gpgpu_num_reg_banks 32
-gpgpu_pipeline_widths 4,0,0,1,1,4,0,0,1,1,6 -gpgpu_num_sp_units 4
-gpgpu_operand_collector_num_units_sp 20 -gpgpu_operand_collector_num_in_ports_sp 4
-gpgpu_operand_collector_num_out_ports_sp 4
-gpgpu_shmem_size 65536 -gpgpu_shmem_num_banks 32 -gpgpu_coalesce_arch 61
-gpgpu_cache:dl1 S:4:128:96,L:L:s:N:L,A:256:8,16:0,32
-dram_bnk_indexing_policy 1 -dram_bnkgrp_indexing_policy 0
-dram_seperate_write_queue_enable 1 -dram_write_queue_size 64:56:32
$memory
END
expect_text "$(cat "$scratch/pascal.cfg")" "compute_capability = 61"
expect_text "$(cat "$scratch/pascal.cfg")" "address_map = random:channel_shift=8,bank_xor=true,layout="

# What no machine can be is imported, and said.
echo '-gpgpu_cache:dl2 S:32:128:24,L:B:f:N:L,A:192:4,32 -gpgpu_cache:dl2_texture_only 0' >"$scratch/bad.config"
expect_exit 2 "$HEDDLE" config import "$scratch/bad.config" --output "$scratch/bad.cfg"
expect_text "$err" "imported, but the configuration is invalid"
expect_text "$err" "write_policy = back requires allocate = on_miss"

# A network file that is not there is no reason to stop.
rm "$scratch/network.icnt"
expect_exit 0 "$HEDDLE" config import "$scratch/gpgpusim.config"
expect_text "$err" "[noc] keeps its defaults"

mistake() {  # PART-OF-MESSAGE ARGUMENTS...
  local part=$1
  shift
  expect_exit 2 "$HEDDLE" config "$@"
  expect_text "$err" "$part"
  [ -z "$out" ] || fail "printed '$out' for $*"
}
mistake "missing argument"
mistake "no file to import given" import
mistake "unknown config command 'export'" export x
mistake "cannot open" import "$scratch/none"
mistake "is a directory" import "$scratch"
mistake "cannot write" import "$scratch/more.config" --output "$scratch/no/such/folder"
printf -- '-a \0' >"$scratch/bad"
mistake "not a text file" import "$scratch/bad"
echo 'topology = fly' >"$scratch/network.icnt"
mistake "network.icnt:1: topology = ...: missing ';'" import "$scratch/gpgpusim.config"
echo 'vc_buf_size = many;' >"$scratch/network.icnt"
mistake "network.icnt:1: vc_buf_size: 'many' is not an integer" import "$scratch/gpgpusim.config"
echo 'internal_speedup = 0;' >"$scratch/network.icnt"
mistake "'0' is not a valid speedup" import "$scratch/gpgpusim.config"
echo '; nonsense' >"$scratch/network.icnt"
mistake "expected key = value;" import "$scratch/gpgpusim.config"
