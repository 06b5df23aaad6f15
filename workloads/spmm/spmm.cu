// SPDX-License-Identifier: MIT
// nvcc: -rdc=true
// C = A B for sparse A and B, C dense. A thread has (a piece of) a row of A and adds up the
// rows of B that its entries name; where those have many entries, a child kernel does it,
// with a thread for each column of C. After the matrix product of Tang et al., "Controlled
// Kernel Launch for Dynamic Parallelism in GPUs" (HPCA 2017).
//
// One stage: parent (multiply), children (multiply_piece), and a barrier kernel (count)
// that counts the entries of C. B is there by rows (CSR), for the parent, and by columns of
// equal length (ELLPACK), for children: CTA i of any child reads the same columns of B, each
// line once, and shares nothing with the child's other CTAs but the row of A.
//
// SPMM-small and SPMM-large. C = A B with A and B sparse (10 and 5 % nonzeros) and C dense. One
// thread per row of A, in the small product per half row, launches a child with one thread per
// column of C. A child expands its row in shared memory and reads all of B, by columns
// (ELLPACK), each line once; siblings thus read the same data, and CTA i of a child the same as
// CTA i of the others, as the paper states for SPMM-small. Values are integers, so that atomic
// additions of half rows give the same sum in any order; with matrices from files the
// comparison allows for rounding. The paper states no densities.
#include "common/compare.h"
#include "common/device_array.h"
#include "common/dynamic.h"
#include "common/sparse.h"
#include "common/timer.h"

enum { PARENT_THREADS = 256, THREADS = 128, TILE = 1024, NO_ROW = INT_MAX };

struct Matrix {
  const int *start, *column;
  const float *value;
  int rows, columns;
};

// Entries [first, last) of A, all of one row.
struct Piece {
  int row, first, last;
};

// By columns: entry number i of column c is at i * columns + c, so that neighbours read
// neighbours. Ascending; columns with fewer entries end with some of row NO_ROW.
struct Columns {
  const int *row;
  const float *value;
  int longest, columns;
};

// A row of A is spread out in shared memory, as much at a time as there is room for.
__global__ void multiply_piece(Matrix a, Columns b, float *c, Piece piece) {
  __shared__ float spread[TILE];
  int column = blockIdx.x * THREADS + threadIdx.x, entry = 0;
  float sum = 0;
  for (int first = 0; first < a.columns; first += TILE) {
    for (int i = threadIdx.x; i < TILE; i += THREADS) spread[i] = 0;
    __syncthreads();
    for (int i = piece.first + threadIdx.x; i < piece.last; i += THREADS) {
      int place = a.column[i] - first;
      if (place >= 0 && place < TILE) spread[place] = a.value[i];
    }
    __syncthreads();
    for (; column < b.columns && entry < b.longest; entry++) {
      size_t place = (size_t)entry * b.columns + column;
      int row = b.row[place] - first;
      if (row >= TILE) break;
      sum += b.value[place] * spread[row];
    }
    __syncthreads();
  }
  if (column < b.columns && sum != 0) atomicAdd(&c[(size_t)piece.row * b.columns + column], sum);
}

__device__ Piece piece_of(const Matrix &a, int number, int pieces) {
  int row = number / pieces, part = number % pieces;
  int start = a.start[row], count = a.start[row + 1] - start;
  return {row, start + count * part / pieces, start + count * (part + 1) / pieces};
}

__global__ void multiply(Matrix a, Matrix b, Columns by_columns, float *c, int pieces,
                         Dynamic dynamic) {
  int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= a.rows * pieces) return;
  Piece piece = piece_of(a, number, pieces);
  int products = 0;
  for (int i = piece.first; i < piece.last; i++)
    products += b.start[a.column[i] + 1] - b.start[a.column[i]];
  if (dynamic.wants_child(products)) {
    ChildStream stream(dynamic);
    multiply_piece<<<(b.columns + THREADS - 1) / THREADS, THREADS, 0, stream>>>(a, by_columns, c,
                                                                                piece);
    if (cudaGetLastError() == cudaSuccess) return;
  }
  float *row = c + (size_t)piece.row * b.columns;
  for (int i = piece.first; i < piece.last; i++)
    for (int k = a.column[i], j = b.start[k]; j < b.start[k + 1]; j++)
      atomicAdd(&row[b.column[j]], a.value[i] * b.value[j]);
}

// A CTA counts a row.
__global__ void count(const float *c, int columns, int *entries) {
  int all = 0;
  const float *row = c + (size_t)blockIdx.x * columns;
  for (int j = threadIdx.x; j < columns + (int)threadIdx.x; j += THREADS)
    all += __syncthreads_count(j < columns && row[j] != 0);
  if (threadIdx.x == 0) atomicAdd(entries, all);
}

class DeviceMatrix {
 public:
  explicit DeviceMatrix(const Csr &csr)
      : start_(csr.start),
        column_(csr.column),
        value_(csr.value),
        matrix_{start_, column_, value_, csr.rows, csr.columns} {}
  operator Matrix() const { return matrix_; }

 private:
  DeviceArray<int> start_, column_;
  DeviceArray<float> value_;
  Matrix matrix_;
};

// The same entries by columns.
struct HostColumns {
  std::vector<int> row;
  std::vector<float> value;
  int longest;
};

static HostColumns by_columns(const Csr &csr) {
  std::vector<int> count((size_t)csr.columns);
  for (int column : csr.column) count[column]++;
  HostColumns columns;
  columns.longest = std::max(1, *std::max_element(count.begin(), count.end()));
  columns.row.assign((size_t)columns.longest * csr.columns, NO_ROW);
  columns.value.assign(columns.row.size(), 0);
  std::fill(count.begin(), count.end(), 0);
  for (int row = 0; row < csr.rows; row++)
    for (int i = csr.start[row]; i < csr.start[row + 1]; i++) {
      size_t place = (size_t)count[csr.column[i]]++ * csr.columns + csr.column[i];
      columns.row[place] = row;
      columns.value[place] = csr.value[i];
    }
  return columns;
}

static std::vector<float> multiply_on_device(const Csr &a, const Csr &b, int pieces,
                                             const Dynamic &dynamic, int *entries) {
  DeviceMatrix left(a), right(b);
  HostColumns columns = by_columns(b);
  DeviceArray<int> rows(columns.row);
  DeviceArray<float> values(columns.value);
  Columns right_columns = {rows, values, columns.longest, b.columns};
  DeviceArray<float> c((size_t)a.rows * b.columns);
  DeviceArray<int> all(1);
  Timer timer;
  multiply<<<ctas_for((long long)a.rows * pieces, PARENT_THREADS), PARENT_THREADS>>>(
      left, right, right_columns, c, pieces, dynamic);
  count<<<(unsigned)a.rows, THREADS>>>(c, b.columns, all);
  timer.stop("spmm");
  *entries = all.get()[0];
  return c.get();
}

static std::vector<float> multiply_on_host(const Csr &a, const Csr &b) {
  std::vector<float> c((size_t)a.rows * b.columns);
  std::vector<double> row((size_t)b.columns);
  for (int r = 0; r < a.rows; r++) {
    std::fill(row.begin(), row.end(), 0);
    for (int i = a.start[r]; i < a.start[r + 1]; i++)
      for (int k = a.column[i], j = b.start[k]; j < b.start[k + 1]; j++)
        row[b.column[j]] += (double)a.value[i] * b.value[j];
    std::copy(row.begin(), row.end(), c.begin() + (size_t)r * b.columns);
  }
  return c;
}

// Whole numbers, so that their products add up to the same in any order.
static Csr make_matrix(int rows, int columns, int per_mille, Random *random) {
  std::vector<Entry> entries;
  for (int r = 0; r < rows; r++)
    for (int k = 0; k < columns; k++)
      if ((int)random->below(1000) < per_mille)
        entries.push_back({r, k, (float)(1 + (int)random->below(9))});
  return csr_from_entries(rows, columns, entries);
}

int main(int argc, char **argv) {
  static const BySize all_rows[] = {{24, 128, 512}, {64, 512, 5120}};
  static const BySize all_inner[] = {{24, 128, 512}, {24, 128, 512}};
  static const BySize all_entries[] = {{200, 150, 100}, {100, 100, 50}};
  static const BySize all_pieces[] = {{2, 2, 2}, {1, 1, 1}};
  Arguments arguments(argc, argv, "product of sparse matrices with dynamic parallelism");
  int input = arguments.choice("input", {"small", "large"}, "square, or tall times wide");
  int rows = (int)arguments.number("rows", all_rows[input], 1, 1 << 16, "of A, and columns of B");
  int inner =
      (int)arguments.number("inner", all_inner[input], 1, 1 << 16, "columns of A and rows of B");
  int entries =
      (int)arguments.number("entries", all_entries[input], 1, 1000, "of a thousand places");
  int pieces = (int)arguments.number("pieces", all_pieces[input], 1, 64, "of a row, a thread each");
  const char *left = arguments.file("a", "Matrix Market file of A");
  const char *right = arguments.file("b", "Matrix Market file of B");
  Dynamic dynamic =
      dynamic_options(&arguments, {8, 128, 256}, "products of a piece that its own thread adds up");
  arguments.done();

  Random random(arguments.seed());
  Csr a = left ? csr_read(left) : make_matrix(rows, inner, entries, &random);
  Csr b = right ? csr_read(right) : make_matrix(inner, rows, entries, &random);
  if (a.columns != b.rows)
    fail(EXIT_INPUT, "A has %d columns and B has %d rows", a.columns, b.rows);
  if ((long long)a.rows * b.columns > 1 << 28)
    fail(EXIT_INPUT, "%d x %d: the product has more than 2^28 places", a.rows, b.columns);
  dynamic_make_room(dynamic, (long long)a.rows * pieces);
  int found;
  std::vector<float> got = multiply_on_device(a, b, pieces, dynamic, &found);
  std::vector<float> wanted = multiply_on_host(a, b);
  printf("%d x %d times %d x %d, %d entries\n", a.rows, a.columns, b.rows, b.columns, found);
  Comparison comparison;
  comparison.near("C", got, wanted, left || right ? 1e-4 : 0);
  comparison.holds("the number of entries is right",
                   found == (int)(got.size() - std::count(got.begin(), got.end(), 0.0f)));
  return comparison.verdict();
}
