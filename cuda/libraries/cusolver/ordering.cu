// SPDX-License-Identifier: MIT
// Permutations that keep factors sparse. They need not be those of NVIDIA's library.
#include <algorithm>
#include <set>

#include "sparse.h"

typedef std::vector<Ints> Graph;

static Graph graph_of(const Pattern &a) {
  Graph graph(a.rows);
  for (int i = 0; i < a.rows; i++)
    for (int e = a.starts[i]; e < a.starts[i + 1]; e++) {
      int j = a.indices[e];
      if (i != j) graph[i].push_back(j), graph[j].push_back(i);
    }
  for (Ints &near : graph) {
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
  }
  return graph;
}

// Breadth first from a node, among those whose part is that node's; depth has -1 elsewhere.
static Ints breadth_first(const Graph &graph, int from, const Ints &part, Ints *depth) {
  Ints order(1, from);
  (*depth)[from] = 0;
  for (size_t at = 0; at < order.size(); at++) {
    size_t first = order.size();
    for (int next : graph[order[at]])
      if (part[next] == part[from] && (*depth)[next] < 0)
        (*depth)[next] = (*depth)[order[at]] + 1, order.push_back(next);
    std::stable_sort(order.begin() + first, order.end(),
                     [&](int x, int y) { return graph[x].size() < graph[y].size(); });
  }
  return order;
}

// From an end of the graph: the last node found is the next start, while that is further away.
static Ints from_an_end(const Graph &graph, int from, const Ints &part, Ints *depth) {
  for (int far = -1;;) {
    Ints order = breadth_first(graph, from, part, depth);
    int last = order.back();
    if ((*depth)[last] <= far) return order;
    far = (*depth)[last], from = last;
    for (int node : order) (*depth)[node] = -1;
  }
}

static Ints cuthill_mckee(const Graph &graph) {
  int n = (int)graph.size();
  Ints result, part(n, 0), depth(n, -1);
  for (int i = 0; i < n; i++) {
    if (depth[i] >= 0) continue;
    Ints order = from_an_end(graph, i, part, &depth);
    result.insert(result.end(), order.begin(), order.end());
  }
  std::reverse(result.begin(), result.end());
  return result;
}

// Eliminated nodes become elements, which absorb those they touch. A node's degree is bounded by
// the sizes of its elements, as in approximate minimum degree (Amestoy, Davis and Duff, 1996).
struct Elimination {
  Graph nodes, elements, members;
  Ints degree;
  std::set<std::pair<int, int>> queue;
  explicit Elimination(const Graph &graph)
      : nodes(graph), elements(graph.size()), members(graph.size()), degree(graph.size()) {
    for (size_t i = 0; i < graph.size(); i++)
      queue.insert({degree[i] = (int)graph[i].size(), (int)i});
  }
  Ints neighbours(int node) const {
    Ints near = nodes[node];
    for (int element : elements[node])
      near.insert(near.end(), members[element].begin(), members[element].end());
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
    near.erase(std::remove(near.begin(), near.end(), node), near.end());
    return near;
  }
  void update(int node, const Ints &gone, int eliminated) {
    auto is_gone = [&](int x) { return std::binary_search(gone.begin(), gone.end(), x); };
    Ints &mine = elements[node], &near = nodes[node];
    mine.erase(std::remove_if(mine.begin(), mine.end(), is_gone), mine.end());
    const Ints &element = members[eliminated];
    auto is_covered = [&](int x) {
      return x == eliminated || std::binary_search(element.begin(), element.end(), x);
    };
    near.erase(std::remove_if(near.begin(), near.end(), is_covered), near.end());
    mine.push_back(eliminated);
    queue.erase({degree[node], node});
    size_t bound = near.size();
    for (int it : mine) bound += members[it].size() - 1;
    queue.insert({degree[node] = (int)std::min(bound, nodes.size()), node});
  }
  int next() {
    int node = queue.begin()->second;
    queue.erase(queue.begin());
    Ints gone = elements[node];
    members[node] = neighbours(node);
    std::sort(gone.begin(), gone.end());
    for (int near : members[node]) update(near, gone, node);
    for (int element : gone) members[element].clear();
    return node;
  }
};

static Ints minimum_degree(const Graph &graph) {
  Elimination elimination(graph);
  Ints result;
  while (!elimination.queue.empty()) result.push_back(elimination.next());
  return result;
}

// The nodes of one depth separate a part in two, which come before them; small parts stay.
struct Dissection {
  const Graph &graph;
  Ints part, depth, result;
  int parts = 1;
  explicit Dissection(const Graph &of) : graph(of), part(of.size(), 0), depth(of.size(), -1) {}

  void divide(Ints nodes) {
    while (!nodes.empty()) {  // its components
      Ints order = from_an_end(graph, nodes[0], part, &depth), rest;
      for (int node : nodes)
        if (depth[node] < 0) rest.push_back(node);
      split(order);
      nodes = rest;
    }
  }
  void split(const Ints &order) {
    int middle = depth[order[order.size() / 2]], last = depth[order.back()], id = parts;
    bool is_small = order.size() < 32 || last < 2;
    Ints before, after, separator;
    parts += 3;
    for (int node : order) {
      int side = depth[node] < middle ? 0 : depth[node] > middle ? 1 : 2;
      (is_small || side == 2 ? separator : side ? after : before).push_back(node);
      part[node] = id + (is_small ? 2 : side), depth[node] = -1;
    }
    // Its own number keeps what is ordered out of further searches.
    if (!before.empty()) divide(before);
    if (!after.empty()) divide(after);
    result.insert(result.end(), separator.begin(), separator.end());
    for (int node : separator) depth[node] = 0;
  }
};

Ints ordering_find(const Pattern &a, Ordering kind) {
  Graph graph = graph_of(a);
  if (kind == CUTHILL_MCKEE) return cuthill_mckee(graph);
  if (kind == MINIMUM_DEGREE) return minimum_degree(graph);
  Ints all(graph.size());
  for (size_t i = 0; i < all.size(); i++) all[i] = (int)i;
  if (kind == NATURAL || all.empty()) return all;
  Dissection dissection(graph);
  dissection.divide(all);
  return dissection.result;
}
