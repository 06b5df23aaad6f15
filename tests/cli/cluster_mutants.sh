# SPDX-License-Identifier: MIT
# heddle cluster, tune and classify: damaged sources end with a message that names the file, in time, and nothing is written.
. "$HEDDLE_SOURCE/tests/cli/common"

[ -e "$(dirname "$HEDDLE")/libheddle_cluster.so" ] || skip "this Heddle was built without libclang"
cd "$scratch"

cat >whole.cu <<'END'
__device__ int row(int w) { return blockIdx.y * w; }
#define LAUNCH(k, ...) k<<<dim3(4, 9), 32>>>(__VA_ARGS__)
template <class T>
__global__ void add(T *a, int w) { a[row(w) + blockIdx.x] += 1; }
int main() {
  int *a;
  cudaMalloc(&a, 4096);
  add<int><<<dim3(4, 9), 32>>>(a, 4);
  LAUNCH(add<int>, a, 4);
  return cudaDeviceSynchronize();
}
END

# rejected COMMAND FILE REASON [OPTIONS...]: as an error of the file, in time.
rejected() {
  local command=$1 file=$2 reason=$3
  shift 3
  expect_exit 2 timeout 300 "$HEDDLE" "$command" "$file" "$@"
  expect_text "$err" "$file"
  expect_text "$err" "$reason"
  case $err in *Sanitizer*|*"runtime error"*) fail "$err" ;; esac
  [ ! -e out.cu ] || fail "$command $file: written all the same"
}

# ---- tokens, brackets, literals, bytes, ends

sed 's/row(w) +/row(w) + +)/' whole.cu >tokens.cu
{ cat whole.cu; printf '(%.0s' $(seq 300); } >brackets.cu
sed "s/32>>>(a/$(printf '9%.0s' $(seq 5000))>>>(a/" whole.cu >literal.cu
tr w '\0' <whole.cu >nul.cu
LC_ALL=C sed 's/add/\xe4dd/g' whole.cu >latin.cu
{ cat whole.cu; printf 'const char *s = R"'; } >raw.cu
head -c 300 whole.cu >truncated.cu
{ cat whole.cu; printf '#if 1\n/*'; } >comment.cu
rejected cluster tokens.cu "expected expression" -o out.cu
rejected cluster brackets.cu "bracket nesting level exceeded" -o out.cu
rejected cluster literal.cu "literal is too large" -o out.cu
rejected cluster nul.cu "not a text file (NUL byte)" -o out.cu
rejected cluster latin.cu "not valid UTF-8" -o out.cu
rejected cluster raw.cu "raw.cu:12:19: error" -o out.cu
rejected cluster truncated.cu "error" -o out.cu
rejected cluster comment.cu "unterminated" -o out.cu

need_cc
for name in tokens nul truncated; do
  rejected classify $name.cu "failed (clang exited with status 1)"
  rejected tune $name.cu "failed (clang exited with status 1)" -o out.cu
done

# ---- odd, but C++: lines without an end, ends of other systems

tr '\n' '\r' <whole.cu | sed 's/a\[row/\/*'"$(printf 'x%.0s' $(seq 90000))"'*\/a[row/' >line.cu
expect_exit 0 timeout 300 "$HEDDLE" cluster line.cu -o line.out.cu
expect_exit 0 "$HEDDLE" cc -c line.out.cu -o line.o
