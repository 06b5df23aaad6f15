// SPDX-License-Identifier: MIT
// Identifiers with letters outside ASCII, where nvcc accepts them: not as names of kernels and
// device functions.
#include "check.h"

struct Größe {
  int höhe;
};

__device__ int row_of(int breite) { return breite * blockIdx.y; }

__global__ void add(int *größe, int breite, int schöne, int n) {
  Größe g = {breite};
  int äöü = row_of(g.höhe) + blockIdx.x;
  auto größer = [&](int ü) { return ü + (int)blockIdx.y; };
  schöne += n;
  n = größer(schöne);
  größe[äöü] += n;
}

#define STARTE_SCHÖN(k, größe, ...) k<<<größe, 1>>>(__VA_ARGS__)

template <class Ü>
static void größe_addieren(Ü größe_des_gitters, int *größe, int breite) {
  add<<<größe_des_gitters, 1>>>(größe, breite, 0, 0);
  STARTE_SCHÖN(add, größe_des_gitters, größe, breite, 0, 0);
}

int main() {
  const int breite = 9, höhe = 20;
  Array<int> größe(breite * höhe);
  größe_addieren(dim3(breite, höhe), größe, breite);
  std::vector<int> werte = größe.get();
  for (int i = 0; i < breite * höhe; i++) CHECK(werte[i] == 2 * (i / breite));
  return verdict();
}
