# SPDX-License-Identifier: MIT
# Programs of the CTA clustering paper, rewritten without a change by hand, pass their own checks:
# one program per variant, on GPUs with fixed and with dynamic warp slots. `heddle study clustering`
# runs all of them in all variants.
. "$HEDDLE_SOURCE/tests/cli/common"

[ -e "$(dirname "$HEDDLE")/libheddle_cluster.so" ] || skip "this Heddle was built without libclang"
need_cc
cd "$scratch"
cat >programs.ini <<'END'
[study]
workloads = hotspot, matrixMul, nw, bfs
gpus = k40, gtx1080
schemes = gto
variants = agents, active=1, active=vote, redirection, numbering, prefetch, bypass
size = tiny
observe = none
[variant a*]
cluster = agents
[variant active=*]
environment = HEDDLE_CLUSTER_ACTIVE=*
[variant redirection]
cluster = redirection
[variant numbering]
cluster = numbering:order=tile=1x2
[variant prefetch]
cluster = agents:prefetch=true
[variant bypass]
cluster = agents:bypass=auto
END
same() {  # VARIANT PROGRAM
  expect_exit 0 "$HEDDLE" study programs.ini --only "workload=$2" --only "variant=$1"
}
same 'agents,active=*' hotspot  # of more CTAs than SMs
same redirection,numbering matrixMul
same prefetch nw
same bypass bfs
[ "$("$HEDDLE" query programs.db --csv "select count(*) from runs where state = 'complete'" | tail -n 1)" = 14 ] || fail "runs"
