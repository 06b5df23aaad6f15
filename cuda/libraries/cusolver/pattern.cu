// SPDX-License-Identifier: MIT
// Structure of sparse matrices and the order of work, on the host.
#include <algorithm>

#include "../cusparse/description.h"
#include "sparse.h"

// An array of the caller's.
static bool fetch(const int *from, size_t count, bool is_device, Ints *to) {
  to->resize(count);
  if (!count) return true;
  if (!from) return false;
  if (is_device)
    return cudaMemcpy(to->data(), from, count * sizeof(int), cudaMemcpyDefault) == cudaSuccess;
  std::copy(from, from + count, to->begin());
  return true;
}

// Sorts the columns of each row. False: one of them is outside the matrix.
static bool sort_rows(Pattern *it) {
  std::vector<std::pair<int, int>> row;
  for (int i = 0; i < it->rows; i++) {
    row.clear();
    for (int e = it->starts[i]; e < it->starts[i + 1]; e++)
      row.push_back({it->indices[e], it->places[e]});
    std::sort(row.begin(), row.end());
    if (!row.empty() && (row.front().first < 0 || row.back().first >= it->columns)) return false;
    for (size_t k = 0; k < row.size(); k++) {
      it->indices[it->starts[i] + k] = row[k].first;
      it->places[it->starts[i] + k] = row[k].second;
    }
  }
  return true;
}

bool pattern_read(Pattern *to, int rows, int columns, int nnz, cusparseMatDescr_t description,
                  const int *starts, const int *ends, const int *indices, bool is_device) {
  int base = description->base == CUSPARSE_INDEX_BASE_ONE;
  Ints begin, end, all;
  if (!fetch(starts, (size_t)rows + 1, is_device, &begin)) return false;
  if (ends && !fetch(ends, (size_t)rows, is_device, &end)) return false;
  if (!ends) end.assign(begin.begin() + 1, begin.end());
  if (!fetch(indices, (size_t)nnz, is_device, &all)) return false;
  *to = Pattern{rows, columns, Ints(1, 0), Ints(), Ints()};
  for (int i = 0; i < rows; i++) {
    if (begin[i] < base || end[i] < begin[i] || end[i] - base > nnz) return false;
    for (int e = begin[i] - base; e < end[i] - base; e++)
      to->indices.push_back(all[e] - base), to->places.push_back(e);
    to->starts.push_back((int)to->indices.size());
  }
  return sort_rows(to);
}

Pattern pattern_permuted(const Pattern &from, const int *p, const int *q) {
  Pattern to = {from.rows, from.columns, Ints(1, 0), Ints(), Ints()};
  Ints column_of(from.columns);
  for (int j = 0; j < from.columns; j++) column_of[q[j]] = j;
  for (int i = 0; i < from.rows; i++) {
    for (int e = from.starts[p[i]]; e < from.starts[p[i] + 1]; e++)
      to.indices.push_back(column_of[from.indices[e]]), to.places.push_back(from.places[e]);
    to.starts.push_back((int)to.indices.size());
  }
  sort_rows(&to);
  return to;
}

Pattern pattern_transposed(const Pattern &from) {
  Pattern to = {from.columns, from.rows, Ints(from.columns + 1, 0), from.indices, from.places};
  for (int j : from.indices) to.starts[j + 1]++;
  for (int j = 0; j < from.columns; j++) to.starts[j + 1] += to.starts[j];
  Ints next = to.starts;
  for (int i = 0; i < from.rows; i++)
    for (int e = from.starts[i]; e < from.starts[i + 1]; e++) {
      int at = next[from.indices[e]]++;
      to.indices[at] = i, to.places[at] = from.places[e];
    }
  return to;
}

Levels levels_of(const Ints &level_of_item, Space *space) {
  int count = 0;
  for (int level : level_of_item) count = std::max(count, level + 1);
  Levels levels = {Ints(count + 1, 0), nullptr, nullptr};
  for (int level : level_of_item) levels.host_starts[level + 1]++;
  for (int i = 0; i < count; i++) levels.host_starts[i + 1] += levels.host_starts[i];
  Ints next = levels.host_starts, order(level_of_item.size());
  for (size_t i = 0; i < order.size(); i++) order[next[level_of_item[i]]++] = (int)i;
  levels.starts = space->copy(levels.host_starts), levels.order = space->copy(order);
  return levels;
}
