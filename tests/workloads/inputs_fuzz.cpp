// SPDX-License-Identifier: MIT
// Random input files of the workloads: every reader takes the file or gives up,
// which here throws instead of ending the program.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#define WORKLOADS_FAIL_H
enum { EXIT_WRONG = 1, EXIT_INPUT = 2 };
struct GaveUp {};
[[noreturn]] static inline void fail(int, const char *, ...) {
  throw GaveUp();
}

#include "common/genome.h"
#include "common/graph_file.h"
#include "common/image.h"
#include "common/sparse.h"

template <typename Reader>
static void attempt(Reader read) {
  try {
    read();
  } catch (const GaveUp &) {
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static FILE *file = tmpfile();
  if (!file || ftruncate(fileno(file), 0) != 0) abort();
  rewind(file);
  if (fwrite(data, 1, size, file) != size || fflush(file) != 0) abort();
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
  attempt([&] { graph_read_edges(path); });
  attempt([&] { graph_read_metis(path); });
  attempt([&] { graph_read_matrix(path); });
  attempt([&] { image_read(path); });
  attempt([&] { genome_index(genome_read(path).bases, 4); });
  attempt([&] {
    Csr csr = csr_read(path);
    csr_multiply(csr, std::vector<float>(csr.columns, 1));
    jds_from_csr(csr, 32);
  });
  return 0;
}
