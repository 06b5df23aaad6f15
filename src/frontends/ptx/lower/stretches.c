// SPDX-License-Identifier: MIT
// Table of the live stretches (liveness.h) of each register of a function.
#include "frontends/ptx/lower/stretches.h"

#include <stdlib.h>

#include "base/memory.h"

typedef struct Collected {
  Stretch stretch;
  uint32_t v;
} Collected;

typedef struct Collection {
  Collected *all;
  uint32_t count, capacity;
} Collection;

static void collect(void *state, uint32_t v, uint32_t begin, uint32_t end) {
  Collection *collection = state;
  GROW(collection->all, collection->count, collection->capacity);
  collection->all[collection->count++] = (Collected){{begin, end}, v};
}

static int by_begin(const void *a, const void *b) {
  const Stretch *x = a, *y = b;
  return x->begin < y->begin ? -1 : x->begin > y->begin;
}

bool stretches_find(Stretches *stretches, const Lowering *lowering, const Flow *flow) {
  Collection collection = {0};
  bool fits = liveness_each_stretch(lowering, flow, collect, &collection);
  uint32_t registers = lowering->register_count;
  *stretches = (Stretches){.all = memory_alloc(sizeof(Stretch) * (collection.count + 1u)),
                           .first = memory_alloc(sizeof(uint32_t) * (registers + 2u))};
  for (uint32_t i = 0; i < collection.count; i++) stretches->first[collection.all[i].v + 2]++;
  for (uint32_t v = 0; v < registers; v++) stretches->first[v + 2] += stretches->first[v + 1];
  for (uint32_t i = 0; i < collection.count; i++)
    stretches->all[stretches->first[collection.all[i].v + 1]++] = collection.all[i].stretch;
  for (uint32_t v = 0; v < registers; v++)
    qsort(stretches->all + stretches->first[v], stretches->first[v + 1] - stretches->first[v],
          sizeof(Stretch), by_begin);
  memory_free(collection.all);
  return fits;
}

void stretches_clear(Stretches *stretches) {
  memory_free(stretches->all);
  memory_free(stretches->first);
}
