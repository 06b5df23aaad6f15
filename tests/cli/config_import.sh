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
-gpgpu_sub_core_model 1
-not_an_option 3
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
expect_text "$err" "gpgpusim.config:7: -gpgpu_sub_core_model 1: "
expect_text "$err" "gpgpusim.config:8: -not_an_option 3: unknown option"
expect_text "$err" "network.icnt:2: num_vcs 2: the crossbar here is one with num_vcs = 1"
expect_text "$(cat "$scratch/pair.cfg")" "#   $scratch/gpgpusim.config:8: -not_an_option 3: unknown option"

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

# To standard output; a second file wins over the first.
echo '-gpgpu_n_clusters 4' >"$scratch/more.config"
expect_exit 0 "$HEDDLE" config import "$scratch/gpgpusim.config" "$scratch/more.config"
expect_text "$out" "sm_count = 12"
expect_text "$out" "name = imported"

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
mistake "something is missing"
mistake "say which file" import
mistake "called 'export'" export x
mistake "cannot open" import "$scratch/none"
mistake "it is a directory" import "$scratch"
mistake "cannot write" import "$scratch/more.config" --output "$scratch/no/such/folder"
printf -- '-a \0' >"$scratch/bad"
mistake "not a text file" import "$scratch/bad"
echo 'topology = fly' >"$scratch/network.icnt"
mistake "network.icnt:1: topology = ... does not end with ';'" import "$scratch/gpgpusim.config"
echo 'vc_buf_size = many;' >"$scratch/network.icnt"
mistake "network.icnt:1: vc_buf_size: 'many' is not a whole number" import "$scratch/gpgpusim.config"
echo 'internal_speedup = 0;' >"$scratch/network.icnt"
mistake "'0' is no speedup" import "$scratch/gpgpusim.config"
echo '; nonsense' >"$scratch/network.icnt"
mistake "expected key = value;" import "$scratch/gpgpusim.config"
