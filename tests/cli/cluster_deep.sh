# SPDX-License-Identifier: MIT
# heddle cluster: sources that are nested deeply are rewritten, or rejected with the place.
. "$HEDDLE_SOURCE/tests/cli/common"

[ -e "$(dirname "$HEDDLE")/libheddle_cluster.so" ] || skip "this Heddle was built without libclang"
cd "$scratch"

repeat() {  # COUNT TEXT
  printf "%.0s$2" $(seq "$1")
}
kernel() {  # NAME STATEMENTS
  printf '__global__ void %s(int *a, int b) {\n  %s\n}\nvoid run_%s(int *a) { %s<<<40, 1>>>(a, 1); }\n' "$1" "$2" "$1" "$1"
}
rejected() {  # STATEMENTS REASON
  kernel deep "$1" >deep.cu
  expect_exit 2 "$HEDDLE" cluster deep.cu -o out.cu
  expect_text "$err" "$2"
  [ ! -e out.cu ] || fail "written all the same"
}

# ---- deep expressions, statements, types and calls

{
  for i in $(seq 999); do echo "__device__ int f$i(int b);"; done
  echo '__device__ int f1000(int b) { return b + blockIdx.x; }'
  for i in $(seq 999); do echo "__device__ int f$i(int b) { return f$((i + 1))(b); }"; done
  echo "template <class T> struct Box {}; typedef $(repeat 3000 'Box<')int$(repeat 3000 '>') Boxes;"
  kernel sum "a[blockIdx.x] = $(repeat 7999 'b + ')b;"
  kernel signs "a[blockIdx.x] = $(repeat 3000 '- ')b;"
  kernel casts "a[blockIdx.x] = $(repeat 3000 '(int)')b;"
  kernel choices "a[blockIdx.x] = $(repeat 3000 'b ? 1 : ')b;"
  kernel branches "$(repeat 5000 'if (b) a[blockIdx.x] = 1; else ');"
  kernel loops "$(repeat 300 'for (int i = 0; i < b; i++) ')a[blockIdx.x] = 1;"
  kernel chain 'a[f1(b)] = 1;'
} >nested.cu
expect_exit 0 "$HEDDLE" cluster nested.cu --prefetch -o rewritten.cu
for name in sum signs casts choices branches loops chain; do
  grep -q "heddle::cluster::launch($name, 40, 1)(a, 1);" rewritten.cu || fail "$name is not rewritten"
done
grep -q '__device__ int f1(uint3 blockIdx, int b) { return f2(blockIdx, b); }' rewritten.cu || fail "f1 is not rewritten"
grep -q "a\[blockIdx.x\] = $(repeat 7999 'b + ')b;" rewritten.cu || fail "the sum was changed"

# ---- too deep for Heddle, or for clang

rejected "a[blockIdx.x] = $(repeat 20001 'b+')b;" "deep.cu:2: nested more than 20000 levels deep"
for brackets in '( )' '{ }' '[&]{ }'; do
  open=${brackets% *} close=${brackets#* }
  rejected "a[blockIdx.x] = 1; $(repeat 5000 "$open");$(repeat 5000 "$close")" "bracket nesting level exceeded maximum of 256"
done
