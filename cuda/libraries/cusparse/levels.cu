// SPDX-License-Identifier: MIT
// Finds levels on the host.
#include "levels.h"

#include <string.h>

struct Entry {
  int row, column, place;
};

static bool download(const Indices &from, long long count, std::vector<int> *to) {
  size_t size = from.type == CUSPARSE_INDEX_64I ? 8 : 4;
  std::vector<char> bytes((size_t)count * size);
  if (count && cudaMemcpy(bytes.data(), from.at, bytes.size(), cudaMemcpyDeviceToHost) != cudaSuccess)
    return false;
  to->resize((size_t)count);
  for (size_t i = 0; i < to->size(); i++) {
    long long wide = 0;
    int narrow = 0;
    memcpy(size == 8 ? (void *)&wide : &narrow, &bytes[i * size], size);
    (*to)[i] = (int)((size == 8 ? wide : narrow) - from.base);
  }
  return true;
}

static bool read_entries(cusparseConstSpMatDescr_t a, bool is_swapped, std::vector<Entry> *entries) {
  std::vector<int> offsets, indices;
  bool is_coordinates = a->format == CUSPARSE_FORMAT_COO;
  if (!download(a->offsets, is_coordinates ? a->nnz : a->lines() + 1, &offsets)) return false;
  if (!download(a->indices, a->nnz, &indices)) return false;
  for (int line = 0; !is_coordinates && line < a->lines(); line++)
    for (int i = offsets[(size_t)line]; i < offsets[(size_t)line + 1]; i++)
      entries->push_back(Entry{line, indices[(size_t)i], i});
  for (int i = 0; is_coordinates && i < a->nnz; i++)
    entries->push_back(Entry{offsets[(size_t)i], indices[(size_t)i], i});
  for (Entry &it : *entries)
    if (is_swapped) it = Entry{it.column, it.row, it.place};
  return true;
}

// Rows of each level follow one another, in order.
static std::vector<int> sorted_by(const std::vector<int> &levels, std::vector<int> *starts) {
  int count = 0;
  for (int level : levels) count = level + 1 > count ? level + 1 : count;
  starts->assign((size_t)count + 1, 0);
  for (int level : levels) (*starts)[(size_t)level + 1]++;
  for (int i = 0; i < count; i++) (*starts)[(size_t)i + 1] += (*starts)[(size_t)i];
  std::vector<int> next(*starts), order(levels.size());
  for (size_t i = 0; i < levels.size(); i++) order[(size_t)next[(size_t)levels[i]]++] = (int)i;
  return order;
}

static bool upload(Levels *it, const std::vector<const std::vector<int> *> &arrays, int ***fields) {
  size_t total = 0;
  for (const std::vector<int> *array : arrays) total += array->size();
  if (cudaMalloc(&it->memory, (total + 1) * sizeof(int)) != cudaSuccess) return false;
  int *at = static_cast<int *>(it->memory);
  for (size_t i = 0; i < arrays.size(); i++) {
    size_t bytes = arrays[i]->size() * sizeof(int);
    if (bytes && cudaMemcpy(at, arrays[i]->data(), bytes, cudaMemcpyHostToDevice) != cudaSuccess)
      return false;
    *fields[i] = at, at += arrays[i]->size();
  }
  return true;
}

std::unique_ptr<Levels> levels_find(cusparseConstSpMatDescr_t a, bool is_transposed, bool is_lower,
                                    bool is_whole) {
  std::vector<Entry> entries;
  if (!read_entries(a, is_transposed != (a->format == CUSPARSE_FORMAT_CSC), &entries)) return nullptr;
  size_t n = (size_t)a->rows;
  std::vector<int> offsets(n + 1, 0), diagonal(n, -1), levels(n, 0), columns, places, starts;
  std::vector<std::vector<Entry>> rows(n);
  for (const Entry &it : entries) {
    bool is_inside = is_lower ? it.column < it.row : it.column > it.row;
    if (it.column == it.row) diagonal[(size_t)it.row] = it.place;
    if (is_whole || is_inside) rows[(size_t)it.row].push_back(it);
  }
  for (size_t step = 0; step < n; step++) {
    size_t row = is_lower ? step : n - 1 - step;
    for (const Entry &it : rows[row]) {
      bool is_before = is_lower ? it.column < it.row : it.column > it.row;
      if (is_before && levels[row] <= levels[(size_t)it.column])
        levels[row] = levels[(size_t)it.column] + 1;
    }
  }
  for (size_t row = 0; row < n; row++) {
    for (const Entry &it : rows[row]) columns.push_back(it.column), places.push_back(it.place);
    offsets[row + 1] = (int)columns.size();
  }
  std::unique_ptr<Levels> result(new Levels());
  std::vector<int> order = sorted_by(levels, &starts);
  LevelView &view = result->view;
  view.n = (int)n, view.count = (int)starts.size() - 1;
  int **fields[] = {&view.order, &view.starts, &view.offsets, &view.columns, &view.places, &view.diagonal};
  if (!upload(result.get(), {&order, &starts, &offsets, &columns, &places, &diagonal}, fields))
    return nullptr;
  return result;
}
