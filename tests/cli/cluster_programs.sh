# SPDX-License-Identifier: MIT
# heddle cluster: programs that nobody wrote for it do the same work afterwards, on GPUs
# that number agents by warp slot (gtx570) and by counting (gtx980), and with agents that claim
# CTAs by stride and by counter.
. "$HEDDLE_SOURCE/tests/cli/common"

[ -e "$(dirname "$HEDDLE")/libheddle_cluster.so" ] || skip "this Heddle was built without libclang"
find_runner
programs=$HEDDLE_SOURCE/tests/cluster
cd "$scratch"

# A compiler spends most of its time on headers, so all programs are one source, each in a
# namespace; the standard headers come first. cli_cluster rewrites some of them alone.
{
  printf '#include <%s>\n' cooperative_groups.h stdio.h heddle/cluster.cuh
  echo '#include "check.h"'
  for source in "$programs"/*.cu; do
    name=$(basename "$source" .cu)
    printf 'namespace program_%s {\n#define main run\n#include "%s.cu"\n#undef main\n}\n' "$name" "$name"
  done
  echo 'int main() {'
  for source in "$programs"/*.cu; do
    name=$(basename "$source" .cu)
    echo "  if (program_$name::run()) puts(\"$name FAILED\");"
  done
  echo '  return failures != 0;'
  echo '}'
} >all.cu
count=$(grep -c ^namespace all.cu)
[ "$count" -ge 37 ] || fail "only $count programs"

rewrite() {  # FOLDER OPTIONS...
  local folder=$1
  mkdir "$folder"
  shift
  expect_exit 0 "$HEDDLE" cluster all.cu "$@" -o "$folder" -- -I "$programs"
  expect_exit 0 "$HEDDLE" cc -O1 -Wall -Wextra -Wno-sign-compare -Xcompiler -Werror -I "$programs" \
    "$folder/all.cu" -o "$folder/all"
}
passes() {  # FOLDER OPTIONS OF HEDDLE RUN...
  local folder=$1
  shift
  expect_exit 0 "${runner[@]}" "$HEDDLE" run --quiet "$@" -- "$folder/all"
  [ "$(grep -c '^PASSED$' <<<"$out")" = "$count" ] || fail "not $count programs passed: $out"
}

rewrite stride --prefetch --claim stride
passes stride --gpu gtx570
passes stride --gpu gtx980
passes stride --functional --check races:warp=on
rewrite counter --claim counter
passes counter --gpu gtx570
passes counter --functional --check races:warp=on
# An SM gets fewer agents than expected, or more, or in another order; some are throttled.
HEDDLE_CLUSTER_ACTIVE=1 passes stride --gpu gtx1080 --set policy.cta_dispatch=random_wave --set policy.throttle=fixed:ctas=1
HEDDLE_CLUSTER_ACTIVE=vote passes stride --gpu k40 --set policy.cta_dispatch=greedy_cluster --set policy.throttle=fixed:ctas=3
HEDDLE_CLUSTER_ACTIVE=1 passes counter --gpu gtx1080 --set policy.cta_dispatch=random_wave --set policy.throttle=fixed:ctas=1
HEDDLE_CLUSTER_ACTIVE=2 passes counter --gpu k40 --set policy.cta_dispatch=greedy_cluster --set policy.throttle=fixed:ctas=3
