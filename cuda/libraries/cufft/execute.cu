// SPDX-License-Identifier: MIT
// Kernels of transforms, and their order.
//
// Lines that fit are transformed in shared memory, several per block; longer ones in passes
// over global memory, one per factor.
#include "butterflies.h"

enum { THREADS = 256, SHARED_BYTES = 48 * 1024, MOST_LINES = 32 };

// Element i of line l along a dimension: those of inner dimensions are adjacent.
struct Axis {
  long long n, stride, lines;
  __host__ __device__ long long place(long long line, long long i) const {
    return line / stride * n * stride + line % stride + i * stride;
  }
};

#define GRID_LOOP(i, n)                                                         \
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < (n); \
       i += (long long)gridDim.x * blockDim.x)

static unsigned blocks_for(long long count) {
  long long blocks = (count + THREADS - 1) / THREADS;
  return blocks > 65535 ? 65535 : (unsigned)blocks;
}

// ---- lines

// Neighbouring threads load neighbouring elements: of one line if it is contiguous, otherwise
// of neighbouring lines.
template <typename T>
__device__ void locate(const Axis &axis, unsigned at, unsigned count, unsigned *line, unsigned *i) {
  unsigned n = (unsigned)axis.n;
  *line = axis.stride == 1 ? at / n : at % count;
  *i = axis.stride == 1 ? at % n : at / count;
}

template <typename T>
__global__ void __launch_bounds__(THREADS)
    transform_lines(const Complex<T> *in, Complex<T> *out, Axis axis, Factors factors,
                    const Complex<T> *roots, T sign, unsigned per_block) {
  extern __shared__ double2 memory[];
  Complex<T> *from = reinterpret_cast<Complex<T> *>(memory), *to = from + axis.n * per_block;
  unsigned n = (unsigned)axis.n, line, i;
  long long first = blockIdx.x * (long long)per_block;
  unsigned count = axis.lines - first < per_block ? (unsigned)(axis.lines - first) : per_block;
  for (unsigned at = threadIdx.x; at < count * n; at += THREADS) {
    locate<T>(axis, at, count, &line, &i);
    from[line * n + i] = in[axis.place(first + line, i)];
  }
  __syncthreads();
  unsigned done = 1;
  for (int pass = 0; pass < factors.count; pass++) {
    unsigned radix = (unsigned)factors.radix[pass], each = n / radix;
    for (unsigned at = threadIdx.x; at < count * each; at += THREADS) {
      unsigned start = at / each * n;
      join<T, unsigned>((int)radix, from + start, to + start, n, 1, done, at % each, roots, sign);
    }
    __syncthreads();
    Complex<T> *kept = from;
    from = to, to = kept, done *= radix;
  }
  for (unsigned at = threadIdx.x; at < count * n; at += THREADS) {
    locate<T>(axis, at, count, &line, &i);
    out[axis.place(first + line, i)] = from[line * n + i];
  }
}

template <typename T>
__global__ void __launch_bounds__(THREADS)
    transform_pass(const Complex<T> *in, Complex<T> *out, Axis axis, int radix, long long done,
                   const Complex<T> *roots, T sign) {
  long long each = axis.n / radix;
  GRID_LOOP(at, axis.lines * each) {
    long long inner = at % axis.stride, j = at / axis.stride % each;
    long long start = at / (axis.stride * each) * axis.n * axis.stride + inner;
    join<T, long long>(radix, in + start, out + start, axis.n, axis.stride, done, j, roots, sign);
  }
}

// ---- convolutions

// An inverse transform is a forward one between conjugates.
template <typename T>
__global__ void weigh_in(const Complex<T> *in, Complex<T> *rows, Axis axis, long long m,
                         const Complex<T> *weights, T sign) {
  GRID_LOOP(at, axis.lines * m) {
    long long line = at / m, i = at % m;
    Complex<T> value = {0, 0};
    if (i < axis.n) {
      value = in[axis.place(line, i)];
      value = Complex<T>{value.x, -sign * value.y} * weights[i];
    }
    rows[at] = value;
  }
}
template <typename T>
__global__ void convolve(Complex<T> *rows, long long lines, long long m, const Complex<T> *kernel) {
  GRID_LOOP(at, lines * m) rows[at] = rows[at] * kernel[at % m];
}
template <typename T>
__global__ void weigh_out(const Complex<T> *rows, Complex<T> *out, Axis axis, long long m,
                          const Complex<T> *weights, T sign) {
  GRID_LOOP(at, axis.lines * axis.n) {
    long long line = at / axis.n, i = at % axis.n;
    Complex<T> value = rows[line * m + i] * weights[i];
    out[axis.place(line, i)] = Complex<T>{value.x, -sign * value.y};
  }
}

// ---- layouts

struct Volume {
  long long n[MAX_RANK], batch;
};

__device__ long long offset_of(const Layout &layout, long long b, long long i0, long long i1,
                               long long i2) {
  return b * layout.distance +
         ((i0 * layout.embed[1] + i1) * layout.embed[2] + i2) * layout.stride;
}

template <typename T>
__device__ Complex<T> load(const void *in, const Layout &layout, const Volume &v, long long b,
                           long long i0, long long i1, long long i2) {
  const Complex<T> *numbers = static_cast<const Complex<T> *>(in);
  if (layout.kind == REAL)
    return Complex<T>{static_cast<const T *>(in)[offset_of(layout, b, i0, i1, i2)], 0};
  if (layout.kind == COMPLEX || i2 <= v.n[2] / 2) return numbers[offset_of(layout, b, i0, i1, i2)];
  Complex<T> other = numbers[offset_of(layout, b, i0 ? v.n[0] - i0 : 0, i1 ? v.n[1] - i1 : 0,
                                       v.n[2] - i2)];
  return Complex<T>{other.x, -other.y};
}

template <typename T>
__global__ void gather(const void *in, Complex<T> *work, Layout layout, Volume v) {
  GRID_LOOP(at, v.batch * v.n[0] * v.n[1] * v.n[2]) {
    long long i2 = at % v.n[2], i1 = at / v.n[2] % v.n[1], i0 = at / (v.n[2] * v.n[1]) % v.n[0];
    work[at] = load<T>(in, layout, v, at / (v.n[2] * v.n[1] * v.n[0]), i0, i1, i2);
  }
}
template <typename T>
__global__ void scatter(const Complex<T> *work, void *out, Layout layout, Volume v) {
  GRID_LOOP(at, v.batch * v.n[0] * v.n[1] * v.n[2]) {
    long long i2 = at % v.n[2], i1 = at / v.n[2] % v.n[1], i0 = at / (v.n[2] * v.n[1]) % v.n[0];
    if (layout.kind == HALF && i2 > v.n[2] / 2) continue;
    long long place = offset_of(layout, at / (v.n[2] * v.n[1] * v.n[0]), i0, i1, i2);
    if (layout.kind == REAL)
      static_cast<T *>(out)[place] = work[at].x;
    else
      static_cast<Complex<T> *>(out)[place] = work[at];
  }
}

// ---- the work area: a copy of the data if it is needed, then memory for one dimension

static bool is_contiguous(const Plan &plan, const Layout &layout) {
  bool is_packed = layout.kind == COMPLEX && layout.stride == 1;
  for (int i = 1; i < MAX_RANK; i++) is_packed = is_packed && layout.embed[i] == plan.n[i];
  return is_packed && (plan.batch == 1 || layout.distance == plan.volume());
}
static bool needs_copy(const Plan &plan) {
  return !is_contiguous(plan, plan.in) || !is_contiguous(plan, plan.out);
}

bool is_short(long long n, bool is_double) {
  return 2 * n * (is_double ? sizeof(Complex<double>) : sizeof(Complex<float>)) <= SHARED_BYTES;
}

// In complex numbers.
static long long extra_of(const Plan &plan, const Length &length) {
  long long lines = plan.batch * plan.volume() / length.n;
  if (!length.convolution) return is_short(length.n, plan.is_double) ? 0 : lines * length.n;
  long long m = length.convolution->n;
  return lines * m * (is_short(m, plan.is_double) ? 1 : 2);
}

size_t area_bytes_of(const Plan &plan) {
  long long most = 0, copy = needs_copy(plan) ? plan.batch * plan.volume() : 0;
  for (const std::unique_ptr<Length> &length : plan.lengths)
    if (length && extra_of(plan, *length) > most) most = extra_of(plan, *length);
  return (size_t)(copy + most) * (plan.is_double ? sizeof(Complex<double>) : sizeof(Complex<float>));
}

// ---- the order of kernels

template <typename T>
struct Run {
  cudaStream_t stream;
  T sign;
};

template <typename T>
static void run_short(const Run<T> &run, const Complex<T> *in, Complex<T> *out, const Axis &axis,
                      const Length &length) {
  size_t line_bytes = 2 * axis.n * sizeof(Complex<T>);
  unsigned fit = (unsigned)(SHARED_BYTES / line_bytes), wanted = (unsigned)(4 * THREADS / axis.n);
  // Adjacent lines fill a sector of memory where elements of one line are apart.
  if (axis.stride > 1 && wanted < 8) wanted = 8;
  unsigned per_block = wanted < 1 ? 1 : wanted > MOST_LINES ? MOST_LINES : wanted;
  if (per_block > fit) per_block = fit;
  unsigned blocks = (unsigned)((axis.lines + per_block - 1) / per_block);
  transform_lines<T><<<blocks, THREADS, line_bytes * per_block, run.stream>>>(
      in, out, axis, length.factors, static_cast<const Complex<T> *>(length.roots), run.sign,
      per_block);
}

// Passes alternate between `other` and `out`, and end in `out`.
template <typename T>
static void run_long(const Run<T> &run, const Complex<T> *in, Complex<T> *out, Complex<T> *other,
                     const Axis &axis, const Length &length) {
  int count = length.factors.count;
  long long done = 1, size = axis.lines * axis.n;
  if (in == out && count % 2) {
    cudaMemcpyAsync(other, in, size * sizeof *in, cudaMemcpyDeviceToDevice, run.stream);
    in = other;
  }
  for (int pass = 0; pass < count; pass++) {
    int radix = length.factors.radix[pass];
    Complex<T> *to = (count - 1 - pass) % 2 ? other : out;
    transform_pass<T><<<blocks_for(size / radix), THREADS, 0, run.stream>>>(
        in, to, axis, radix, done, static_cast<const Complex<T> *>(length.roots), run.sign);
    in = to, done *= radix;
  }
}

template <typename T>
static void run_smooth(const Run<T> &run, const Complex<T> *in, Complex<T> *out, Complex<T> *other,
                       const Axis &axis, const Length &length) {
  if (is_short(axis.n, sizeof(T) == sizeof(double)))
    run_short(run, in, out, axis, length);
  else
    run_long(run, in, out, other, axis, length);
}

template <typename T>
static void run_axis(const Run<T> &run, const Complex<T> *in, Complex<T> *out, Complex<T> *extra,
                     const Axis &axis, const Length &length) {
  if (!length.convolution) return run_smooth(run, in, out, extra, axis, length);
  long long m = length.convolution->n;
  const Complex<T> *weights = static_cast<const Complex<T> *>(length.weights);
  Axis rows = {m, 1, axis.lines};
  Complex<T> *other = extra + axis.lines * m;
  unsigned blocks = blocks_for(axis.lines * m);
  Run<T> forward = {run.stream, -1}, inverse = {run.stream, 1};
  weigh_in<T><<<blocks, THREADS, 0, run.stream>>>(in, extra, axis, m, weights, run.sign);
  run_smooth<T>(forward, extra, extra, other, rows, *length.convolution);
  convolve<T><<<blocks, THREADS, 0, run.stream>>>(extra, axis.lines, m,
                                                  static_cast<const Complex<T> *>(length.kernel));
  run_smooth<T>(inverse, extra, extra, other, rows, *length.convolution);
  weigh_out<T><<<blocks, THREADS, 0, run.stream>>>(extra, out, axis, m, weights, run.sign);
}

// A transform in place has room for the last row of complex numbers in its real ones.
static Layout padded(const Plan &plan, const Layout &layout, bool is_in_place) {
  Layout result = layout;
  if (!plan.has_default_layout || layout.kind != REAL || !is_in_place) return result;
  result.embed[2] = 2 * (plan.n[2] / 2 + 1);
  result.distance = result.embed[0] * result.embed[1] * result.embed[2];
  return result;
}

template <typename T>
static cufftResult execute(const Plan &plan, const void *in, void *out, int direction) {
  Volume volume = {{plan.n[0], plan.n[1], plan.n[2]}, plan.batch};
  long long size = plan.batch * plan.volume(), stride = 1;
  Run<T> run = {plan.stream, (T)direction};
  bool is_copied = needs_copy(plan);
  Complex<T> *work = static_cast<Complex<T> *>(is_copied ? plan.area : out);
  Complex<T> *extra = static_cast<Complex<T> *>(plan.area) + (is_copied ? size : 0);
  const Complex<T> *from = is_copied ? work : static_cast<const Complex<T> *>(in);
  if (is_copied)
    gather<T><<<blocks_for(size), THREADS, 0, plan.stream>>>(
        in, work, padded(plan, plan.in, in == out), volume);
  for (int i = MAX_RANK - 1; i >= 0; stride *= plan.n[i], i--) {
    if (!plan.lengths[i]) continue;
    run_axis<T>(run, from, work, extra, Axis{plan.n[i], stride, size / plan.n[i]},
                *plan.lengths[i]);
    from = work;
  }
  if (from != work)  // a transform of length 1
    cudaMemcpyAsync(work, from, size * sizeof *work, cudaMemcpyDeviceToDevice, plan.stream);
  if (is_copied)
    scatter<T><<<blocks_for(size), THREADS, 0, plan.stream>>>(
        work, out, padded(plan, plan.out, in == out), volume);
  return cudaPeekAtLastError() == cudaSuccess ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED;
}

cufftResult plan_execute(const Plan &plan, const void *in, void *out, int direction) {
  if (plan.area_bytes && !plan.area) return CUFFT_NO_WORKSPACE;
  return plan.is_double ? execute<double>(plan, in, out, direction)
                        : execute<float>(plan, in, out, direction);
}
