# SPDX-License-Identifier: MIT
# heddle cluster: what it changes, what it leaves alone, and its options.
. "$HEDDLE_SOURCE/tests/cli/common"

[ -e "$(dirname "$HEDDLE")/libheddle_cluster.so" ] || skip "this Heddle was built without libclang"
programs=$HEDDLE_SOURCE/tests/cluster
cd "$scratch"

# ---- what is not changed stays as it is: the difference is what --dry-run shows

for name in names line_ends launch_macros early_return; do
  expect_exit 0 "$HEDDLE" cluster "$programs/$name.cu" -o "$name.cu" -- -I "$programs"
  expect_exit 0 "$HEDDLE" cluster "$programs/$name.cu" --dry-run -- -I "$programs"
  cp "$programs/$name.cu" patched.cu
  patch -s --binary patched.cu <<<"$out" || fail "$name: the difference is none"
  cmp patched.cu "$name.cu" || fail "$name: --dry-run shows another difference"
done
grep -q 'filler_kernel<<<12, 1>>>(values, value_)"' names.cu || fail "a string was changed"
grep -q '/\* a comment, with (brackets \*/ 5)' names.cu || fail "a comment was changed"
! grep -v $'\r$' line_ends.cu | grep -q . || fail "a line lost its end"

# A byte-order mark stays in front of everything.
printf '\xef\xbb\xbf__global__ void k(int *a) {\r\n  a[blockIdx.x] = 1;\r\n}\r\nvoid run(int *a) { k<<<40, 1>>>(a); }' >mark.cu
expect_exit 0 "$HEDDLE" cluster mark.cu -o marked.cu
[ "$(head -c 3 marked.cu)" = $'\xef\xbb\xbf' ] || fail "the byte-order mark is gone"
expect_text "$(tail -c +4 marked.cu | head -n 1)" "#include <heddle/cluster.cuh>"
expect_text "$(cat marked.cu)" "heddle::cluster::launch(k, 40, 1)(a);"

# ---- one kernel of two; functions that both call

expect_exit 0 "$HEDDLE" cluster "$programs/device_functions.cu" --kernel describe -o one.cu -- -I "$programs"
expect_text "$(cat one.cu)" "__global__ void untouched(int *numbers) { numbers[linear_block(blockIdx, gridDim)] += 1; }"
expect_text "$(cat one.cu)" "untouched<<<dim3(width, height), 1>>>(numbers);"
expect_text "$(cat one.cu)" "__device__ __forceinline__ int linear_block(uint3 blockIdx, dim3 gridDim)"
expect_text "$(cat one.cu)" "int row(uint3 blockIdx) const"
expect_exit 2 "$HEDDLE" cluster "$programs/device_functions.cu" --kernel describ -o no.cu -- -I "$programs"
expect_text "$err" "did you mean 'describe'?"

# ---- --all leaves what cannot be rewritten

cat >mixed.cu <<'END'
__global__ void good(int *a) { a[blockIdx.x] = 1; }
__global__ void bad(int *a) { int i; asm("mov.u32 %0, %%ctaid.x;" : "=r"(i)); a[i] = 1; }
void run(int *a) { good<<<4, 1>>>(a); bad<<<4, 1>>>(a); }
END
expect_exit 2 "$HEDDLE" cluster mixed.cu -o out.cu
expect_text "$err" "mixed.cu:2: kernel bad cannot be rewritten: inline PTX reads %ctaid"
[ ! -e out.cu ] || fail "written all the same"
expect_exit 0 "$HEDDLE" cluster mixed.cu --all -o out.cu
expect_text "$err" "mixed.cu:2: kernel bad is not rewritten"
expect_text "$(cat out.cu)" "heddle::cluster::launch(good, 4, 1)(a); bad<<<4, 1>>>(a);"
expect_exit 2 "$HEDDLE" cluster mixed.cu --all --kernel bad -o none.cu
expect_text "$err" "none of the kernels can be rewritten"
expect_exit 2 "$HEDDLE" cluster out.cu --kernel good -o again.cu
expect_text "$err" "already clustered"
expect_exit 0 "$HEDDLE" cluster "$programs/refused/spin_lock.cu" --independent -o lock.cu
expect_text "$(cat lock.cu)" "heddle::cluster::launch(guarded, 8, 1)(total)"

# ---- methods, orders, active agents, bypass, prefetch

# Without the standard library's headers, which take most of the time.
sed -e '/check.h/d' -e '/^int main/,$d' "$programs/matrix_multiply.cu" >multiply.cu
cat >>multiply.cu <<'END'
void run(float *A, float *B, float *C, dim3 grid, dim3 threads, int k, int n) {
  MatrixMulCUDA<8><<<grid, threads>>>(C, A, B, k, n);
}
END
rewritten() {
  expect_exit 0 "$HEDDLE" cluster multiply.cu -o m.cu "$@"
  out=$(cat m.cu)
}
rewritten
expect_text "$out" "MatrixMulCUDA(heddle::cluster::Agents<heddle::cluster::LongerSide> agents,"
expect_text "$out" "heddle::cluster::launch(MatrixMulCUDA<8>, grid, threads)(C, A, B, k, n);"
rewritten --method redirection --order row
expect_text "$out" "heddle::cluster::Redirection<heddle::cluster::RowMajor> redirection,"
expect_text "$out" "  const uint3 blockIdx = redirection.cta();"
rewritten --method numbering --order tile=1x8
expect_text "$out" "heddle::cluster::Numbering<heddle::cluster::Tiles<1, 8>> numbering,"
rewritten --order column --active 2
expect_text "$out" "heddle::cluster::Agents<heddle::cluster::ColumnMajor, 2> agents"
rewritten --order tile=2x4 --active vote
expect_text "$out" "heddle::cluster::Agents<heddle::cluster::Tiles<2, 4>, heddle::cluster::VOTED_AGENTS> agents"
rewritten --order zxy
expect_text "$out" "Axes<heddle::cluster::AXIS_Z, heddle::cluster::AXIS_X, heddle::cluster::AXIS_Y>"
echo "3 1 0 2" >table.txt
rewritten --order table=table.txt
expect_text "$out" "struct MatrixMulCUDA_order {"
expect_text "$out" "heddle::cluster::Agents<heddle::cluster::Table<MatrixMulCUDA_order>> agents"
rewritten --claim counter
expect_text "$out" "heddle::cluster::Agents<heddle::cluster::LongerSide, heddle::cluster::ALL_AGENTS, heddle::cluster::BY_COUNTER> agents"
rewritten --bypass A --bypass multiply.cu:20
expect_text "$out" "As[ty][tx] = __ldcg(&A[a + wA * ty + tx]);"
expect_text "$out" "Bs[ty][tx] = __ldcg(&B[b + wB * ty + tx]);"
rewritten --prefetch
expect_text "$out" "    const int aBegin = wA * BLOCK_SIZE * by;"
expect_text "$out" "    if (a <= aEnd) {"
expect_text "$out" "      heddle::cluster::prefetch(&A[a + wA * ty + tx]);"
expect_text "$out" "      heddle::cluster::prefetch(&B[b + wB * ty + tx]);"

# Claims by what the kernel needs; each kernel in its own way; launch bounds for constant blocks.
cat >kinds.cu <<'END'
__global__ void loops(int *a, int n) { for (int i = 0; i < n; i++) a[blockIdx.x] += i; }
__global__ void straight(int *a) { a[blockIdx.x] = 1; }
__global__ void varies(int *a) { a[blockIdx.x] = 1; }
__global__ void changed(int *a) { a[blockIdx.x] = 1; }
__global__ void __launch_bounds__(64) bounded(int *a) { a[blockIdx.x] = 1; }
void run(int *a, int n) {
  dim3 block(16, 4), other(8, 8);
  other.x = n;
  loops<<<64, block>>>(a, n);
  straight<<<64, 32>>>(a);
  straight<<<64, dim3(32, 2, 2)>>>(a);
  varies<<<64, n>>>(a);
  changed<<<64, other>>>(a);
  bounded<<<64, 64>>>(a);
}
END
expect_exit 0 "$HEDDLE" cluster kinds.cu --claim auto --ctas 4 -o kinds.out.cu
agents=heddle::cluster::Agents rows=heddle::cluster::RowMajor
expect_text "$(cat kinds.out.cu)" "void __launch_bounds__(64, 4) loops($agents<$rows, heddle::cluster::ALL_AGENTS, heddle::cluster::BY_COUNTER> agents,"
expect_text "$(cat kinds.out.cu)" "void __launch_bounds__(128, 4) straight($agents<$rows> agents,"
expect_text "$(cat kinds.out.cu)" "void varies($agents<$rows> agents,"
expect_text "$(cat kinds.out.cu)" "void changed($agents<$rows> agents,"
expect_text "$(cat kinds.out.cu)" "void __launch_bounds__(64) bounded($agents<$rows> agents,"
expect_exit 0 "$HEDDLE" cluster kinds.cu --order row --kernel loops:order=column,active=2,claim=stride --kernel straight:ctas=8 -o kinds.out.cu
expect_text "$(cat kinds.out.cu)" "void loops($agents<heddle::cluster::ColumnMajor, 2> agents,"
expect_text "$(cat kinds.out.cu)" "void __launch_bounds__(128, 8) straight($agents<$rows> agents,"
expect_text "$(cat kinds.out.cu)" "__global__ void varies(int *a)"
expect_exit 2 "$HEDDLE" cluster kinds.cu --kernel loops:claim=none -o no.cu
expect_text "$err" "expected auto, stride or counter"
expect_exit 2 "$HEDDLE" cluster kinds.cu --kernel loops:clam=stride -o no.cu
expect_text "$err" "did you mean 'claim'?"
expect_exit 2 "$HEDDLE" cluster kinds.cu --method redirection --claim counter -o no.cu
expect_text "$err" "for the method agents"

# Nothing is prefetched twice; long lines are broken.
cat >update.cu <<'END'
__global__ void update(float *a, const float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  a[i] *= 2;
  for (int j = 0; j < n; j++) a[i] += b[j];
}
void run(float *values_on_the_device, const float *factors_on_the_device, int n) {
  update<<<dim3((n + 255) / 256), dim3(256)>>>(values_on_the_device, factors_on_the_device, n);
}
END
expect_exit 0 "$HEDDLE" cluster update.cu --prefetch -o updated.cu
[ "$(grep -c 'prefetch(&a\[i\])' updated.cu)" = 1 ] || fail "a[i] is not prefetched once: $(cat updated.cu)"
[ "$(grep -c 'prefetch(&b\[j\])' updated.cu)" = 1 ] || fail "b[j] is not prefetched once: $(cat updated.cu)"

# What only a prefetch would need that is left out is not defined.
cat >first.cu <<'END'
__global__ void first(int *a, int n) {
  int t = threadIdx.x, i = blockIdx.x;
  a[i] += n;
  if (t == 0) a[i] += 2;
}
void f(int *a, int n) { first<<<100, 32>>>(a, n); }
END
expect_exit 0 "$HEDDLE" cluster first.cu --prefetch -o once.cu
[ "$(grep -c 'prefetch(&a\[i\])' once.cu)" = 1 ] || fail "a[i] is not prefetched once: $(cat once.cu)"
[ "$(grep -c 't = threadIdx.x' once.cu)" = 1 ] || fail "an unused variable is defined: $(cat once.cu)"
expect_text "$(cat updated.cu)" '  heddle::cluster::launch(update, dim3((n + 255) / 256), dim3(256))
      (values_on_the_device, factors_on_the_device, n);'

# ---- what a profile says was never used again

cat >stream.cu <<'END'
__global__ void scale(const float *in, const float *factor, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i];
  out[i] = x * factor[0];
}
int main() {
  float *in, *out, *factor;
  cudaMalloc(&in, 4096), cudaMalloc(&out, 4096), cudaMalloc(&factor, 4);
  scale<<<8, 128>>>(in, factor, out);
  return cudaDeviceSynchronize();
}
END
"$HEDDLE" cc -O1 -lineinfo stream.cu -o stream
find_runner
"${runner[@]}" "$HEDDLE" run --gpu gtx570 --quiet --json profile.json -- ./stream >/dev/null
expect_exit 0 "$HEDDLE" cluster stream.cu --bypass profile.json -o streamed.cu
expect_text "$(cat streamed.cu)" "float x = __ldcg(&in[i]);"
expect_text "$(cat streamed.cu)" "out[i] = x * factor[0];"

# ---- explanations

expect_exit 0 "$HEDDLE" cluster multiply.cu --explain
[ ! -e multiply.clustered.cu ] || fail "--explain wrote a file"
expect_text "$out" "reads depend on blockIdx.y"
expect_text "$out" "-> the same for the CTAs of a row of the grid"
expect_text "$out" "-> the same for the CTAs of a column of the grid"
expect_text "$out" "order: heddle::cluster::LongerSide"
# Two references to one array, of which a row and a column share one each.
cat >both.cu <<'END'
__global__ void both(const float *a, float *c, int m) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
  float sum = 0;
  for (int k = 0; k < m; k++) sum += a[i * m + k] * a[j * m + k];
  c[i * gridDim.x * blockDim.x + j] = sum;
}
void run(const float *a, float *c) { both<<<dim3(4, 9), 32>>>(a, c, 8); }
END
expect_exit 0 "$HEDDLE" cluster both.cu --explain
expect_text "$out" "-> some the same for the CTAs of a row of the grid, some the same for the CTAs of a column of the grid"
expect_text "$out" "order: heddle::cluster::LongerSide"

# ---- headers go beside the output; several sources into a folder

mkdir folder
expect_exit 0 "$HEDDLE" cluster "$programs/headers.cu" "$programs/vector_add.cu" -o folder -- -I "$programs"
expect_text "$err" "compile folder/headers.cu with -I"
expect_text "$(cat folder/headers.cu)" '#include "filters.clustered.cuh"'
expect_text "$(cat folder/filters.clustered.cuh)" '#include "places.clustered.cuh"'
expect_text "$(cat folder/filters.clustered.cuh)" 'int x = pixel_x(blockIdx), y = pixel_y(blockIdx);'
expect_text "$(cat folder/places.clustered.cuh)" 'static __device__ int pixel_x(uint3 blockIdx)'
! grep -q cluster.cuh folder/places.clustered.cuh || fail "a header is included that is not needed"
[ -e folder/vector_add.cu ] || fail "the second source is missing"
"$HEDDLE" cc -O1 -I "$programs" folder/headers.cu -o headers
expect_exit 0 "${runner[@]}" ./headers
expect_text "$out" PASSED

# ---- mistakes

expect_exit 2 "$HEDDLE" cluster "$programs/vector_add.cu"
expect_text "$err" "no output given"
expect_exit 2 "$HEDDLE" cluster -o x.cu -- -DX
expect_text "$err" "no source file given"
expect_exit 2 "$HEDDLE" cluster missing.cu -o x.cu
expect_text "$err" "missing.cu"
expect_exit 2 "$HEDDLE" cluster mixed.cu --order diagonal -o x.cu
expect_text "$err" "--order diagonal: expected auto, row, column"
expect_exit 2 "$HEDDLE" cluster mixed.cu --active 0 -o x.cu
expect_text "$err" "a number from 1 to 32"
expect_exit 2 "$HEDDLE" cluster mixed.cu --method magic -o x.cu
expect_text "$err" "agents, redirection or numbering"
expect_exit 2 "$HEDDLE" cluster mixed.cu --method redirection --prefetch -o x.cu
expect_text "$err" "are for the method agents"
echo "0 1 1 2" >table.txt
expect_exit 2 "$HEDDLE" cluster mixed.cu --kernel good --order table=table.txt -o x.cu
expect_text "$err" "table.txt: duplicate entry 1; each number must occur exactly once"
expect_exit 2 "$HEDDLE" cluster "$programs/vector_add.cu" --bypass nothing -o x.cu -- -I "$programs"
expect_text "$err" "--bypass nothing: no rewritten kernel"
expect_exit 2 "$HEDDLE" cluster mixed.cu --kernel good -o mixed.cu
expect_text "$err" "mixed.cu is a source"
expect_exit 2 "$HEDDLE" cluster mixed.cu --kernel good -o no/such/folder/x.cu
expect_text "$err" "cannot write no/such/folder/x.cu"
echo 'int main() { return 0; }' >empty.cu
expect_exit 2 "$HEDDLE" cluster empty.cu -o x.cu
expect_text "$err" ": no kernels"
echo '__global__ void broken(int *a) { a[blockIdx.x] = b; }' >broken.cu
expect_exit 2 "$HEDDLE" cluster broken.cu -o x.cu
expect_text "$err" "broken.cu:1:50: error: use of undeclared identifier 'b'"
expect_exit 2 "$HEDDLE" cluster stream.cu mixed.cu --kernel good --kernel scale -o x.cu
expect_text "$err" "name a folder with -o"
[ ! -e x.cu ] || fail "something was written in spite of a mistake"
