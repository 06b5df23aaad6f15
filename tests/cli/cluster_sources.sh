# SPDX-License-Identifier: MIT
# heddle cluster: redirection, the mapping of its header, and programs of several sources.
. "$HEDDLE_SOURCE/tests/cli/common"

[ -e "$(dirname "$HEDDLE")/libheddle_cluster.so" ] || skip "heddle was built without libclang"
find_runner
programs=$HEDDLE_SOURCE/tests/cluster
cd "$scratch"

# Figures 7 and 8 of the paper; bijections for all sizes.
"$HEDDLE" cc -O1 -std=c++11 -Wall -Wextra -Xcompiler -Werror "$programs/mapping/mapping.cu" -o mapping
expect_exit 0 "${runner[@]}" ./mapping
expect_text "$out" PASSED

# Sources that are compiled apart and launch each other's kernels.
mkdir several
expect_exit 0 "$HEDDLE" cluster "$programs"/several/{first,second}.cu -o several
expect_exit 0 "$HEDDLE" cc -O1 -I "$programs/several" several/{first,second}.cu -o program
for gpu in gtx570 gtx980; do
  expect_exit 0 "${runner[@]}" "$HEDDLE" run --gpu $gpu -- ./program
  expect_text "$out" PASSED
done

for name in irregular grids; do
  expect_exit 0 "$HEDDLE" cluster "$programs/$name.cu" --method redirection -o $name.cu -- -I "$programs"
  expect_exit 0 "$HEDDLE" cc -O1 -Wall -Wextra -Wno-sign-compare -Xcompiler -Werror -I "$programs" $name.cu -o $name
  expect_exit 0 "${runner[@]}" "$HEDDLE" run --gpu gtx980 -- ./$name
  expect_text "$out" PASSED
done
