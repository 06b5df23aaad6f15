// SPDX-License-Identifier: MIT
// Searches in a B+ tree of order 256: a CTA follows one query from the root to a
// leaf, and on each level every thread holds one key of the node against it. Where
// a query is, is kept in global memory. CTAs share what their paths have in common:
// the root always, then what the keys happen to choose.
//
// BTR in Li et al. (data), BT in Wang et al. A tree of order 256 whose nodes are two thirds
// full; a CTA follows one query to a leaf, each thread with a key of the node, and keeps its
// place in global memory. `find_keys` looks for single keys, a quarter of which are not there,
// `find_ranges` for both ends of a range. The tree is built on the host from ascending keys,
// not by insertion, so its nodes lie in order. Fewer registers than the paper's let one more
// CTA onto a Fermi SM. At `paper`: a million keys, 10000 keys and 6000 ranges of up to 3000 to
// find, the suite's commands.
// `--original 1`: Rodinia's nodes, half full as after insertion in order, its queries, which
// are all found, and its kernels, which load the position again after each store.
// test: --original 1
#include <algorithm>
#include <climits>

#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/random.h"
#include "common/timer.h"

enum { ORDER = 256, FILL = 170 };  // nodes hold FILL of at most ORDER keys

typedef long long NodeNumber;

// Child i has the keys from keys[i] up to, not including, keys[i + 1]. In a leaf,
// children are places in the array of records. Behind the last key is INT_MAX.
struct Node {
  int children[ORDER + 1];
  int keys[ORDER + 1];
};

// One level down: of the thread whose key range is the right one.
__device__ static void choose_child(const Node *nodes, NodeNumber current, int key,
                                    NodeNumber *next) {
  int t = threadIdx.x;
  const Node *node = &nodes[current];
  if (node->keys[t] <= key && key < node->keys[t + 1]) *next = node->children[t];
}

// A query a CTA. current begins at the root.
__global__ void find_keys(const Node *nodes, int levels, const int *records, NodeNumber *current,
                          NodeNumber *next, const int *keys, int *found) {
  int t = threadIdx.x, query = blockIdx.x;
  for (int i = 0; i < levels; i++) {
    choose_child(nodes, current[query], keys[query], &next[query]);
    __syncthreads();
    if (t == 0) current[query] = next[query];
    __syncthreads();
  }
  const Node *leaf = &nodes[current[query]];
  if (leaf->keys[t] == keys[query]) found[query] = records[leaf->children[t]];
}

// Both ends of a range at once; begin is the place of the first
// record, length how many there are.
__global__ void find_ranges(const Node *nodes, int levels, NodeNumber *current, NodeNumber *next,
                            NodeNumber *current_last, NodeNumber *next_last, const int *first,
                            const int *last, int *begin, int *length) {
  int t = threadIdx.x, query = blockIdx.x;
  for (int i = 0; i < levels; i++) {
    choose_child(nodes, current[query], first[query], &next[query]);
    choose_child(nodes, current_last[query], last[query], &next_last[query]);
    __syncthreads();
    if (t == 0) {
      current[query] = next[query];
      current_last[query] = next_last[query];
    }
    __syncthreads();
  }
  const Node *leaf = &nodes[current[query]], *leaf_last = &nodes[current_last[query]];
  if (leaf->keys[t] == first[query]) begin[query] = leaf->children[t];
  __syncthreads();
  if (leaf_last->keys[t] == last[query]) length[query] = leaf_last->children[t] - begin[query] + 1;
}

// Rodinia's: a node has its number, keys from place 1 on, and flags; children beyond the
// last node are refused; and nothing is kept over a store.
struct OriginalNode {
  int number;
  int children[ORDER + 1];
  int keys[ORDER + 1];
  bool is_leaf;
  int count;
};

__global__ void find_keys_original(long long levels, const OriginalNode *nodes, long long count,
                                   const int *records, NodeNumber *current, NodeNumber *next,
                                   const int *keys, int *found) {
  int t = threadIdx.x, query = blockIdx.x;
  for (int i = 0; i < levels; i++) {
    if (nodes[current[query]].keys[t] <= keys[query] &&
        nodes[current[query]].keys[t + 1] > keys[query]) {
      if (nodes[next[query]].children[t] < count) next[query] = nodes[next[query]].children[t];
    }
    __syncthreads();
    if (t == 0) current[query] = next[query];
    __syncthreads();
  }
  if (nodes[current[query]].keys[t] == keys[query])
    found[query] = records[nodes[current[query]].children[t]];
}

__global__ void find_ranges_original(long long levels, const OriginalNode *nodes, long long count,
                                     NodeNumber *current, NodeNumber *next,
                                     NodeNumber *current_last, NodeNumber *next_last,
                                     const int *first, const int *last, int *begin, int *length) {
  int t = threadIdx.x, query = blockIdx.x;
  for (int i = 0; i < levels; i++) {
    if (nodes[current[query]].keys[t] <= first[query] &&
        nodes[current[query]].keys[t + 1] > first[query]) {
      if (nodes[current[query]].children[t] < count)
        next[query] = nodes[current[query]].children[t];
    }
    if (nodes[current_last[query]].keys[t] <= last[query] &&
        nodes[current_last[query]].keys[t + 1] > last[query]) {
      if (nodes[current_last[query]].children[t] < count)
        next_last[query] = nodes[current_last[query]].children[t];
    }
    __syncthreads();
    if (t == 0) {
      current[query] = next[query];
      current_last[query] = next_last[query];
    }
    __syncthreads();
  }
  if (nodes[current[query]].keys[t] == first[query])
    begin[query] = nodes[current[query]].children[t];
  __syncthreads();
  if (nodes[current_last[query]].keys[t] == last[query])
    length[query] = nodes[current_last[query]].children[t] - begin[query] + 1;
}

struct Tree {
  std::vector<Node> nodes;
  int root = 0, levels = 0;  // levels above the leaves
};

// Adds the nodes of a level to the tree and returns the least key of each. keys are
// the least ones of the nodes below, or those of the records.
static std::vector<int> add_level(Tree &tree, const std::vector<int> &keys, int first_child) {
  std::vector<int> least;
  for (size_t begin = 0; begin < keys.size(); begin += FILL) {
    Node node;
    std::fill(node.keys, node.keys + ORDER + 1, INT_MAX);
    std::fill(node.children, node.children + ORDER + 1, -1);
    size_t count = std::min((size_t)FILL, keys.size() - begin);
    for (size_t i = 0; i < count; i++) {
      node.keys[i] = keys[begin + i];
      node.children[i] = first_child + (int)(begin + i);
    }
    least.push_back(node.keys[0]);
    tree.nodes.push_back(node);
  }
  return least;
}

// Of ascending keys; the record of key i is record i.
static Tree build_tree(const std::vector<int> &keys) {
  Tree tree;
  std::vector<int> least = add_level(tree, keys, 0);
  int first = 0;
  while (least.size() > 1) {
    int above = (int)tree.nodes.size();
    least[0] = INT_MIN;  // every key leads somewhere
    least = add_level(tree, least, first);
    first = above;
    tree.levels++;
  }
  tree.root = first;
  return tree;
}

// Ascending and even, so that odd keys are not in the tree.
static std::vector<int> make_keys(int count, Random &random) {
  std::vector<int> keys((size_t)count);
  int key = 0;
  for (int &each : keys) each = key += 2 * (1 + (int)random.below(8));
  return keys;
}

static void try_keys(const Tree &tree, const DeviceArray<Node> &nodes, const std::vector<int> &keys,
                     int queries, Random &random, Comparison &comparison) {
  std::vector<int> values = random.integers(keys.size(), 0, 1 << 30), wanted, expected;
  for (int i = 0; i < queries; i++) {
    size_t at = random.below((uint32_t)keys.size());
    if (i % 4 == 0) at -= at % FILL;  // the first of a leaf, where paths part
    bool exists = random.below(4) != 0;
    wanted.push_back(keys[at] + !exists);
    expected.push_back(exists ? values[at] : -1);
  }
  DeviceArray<int> records(values), device_wanted(wanted);
  DeviceArray<NodeNumber> next((size_t)queries);
  DeviceArray<NodeNumber> current(std::vector<NodeNumber>((size_t)queries, tree.root));
  DeviceArray<int> found(std::vector<int>((size_t)queries, -1));
  Timer timer;
  find_keys<<<queries, ORDER>>>(nodes, tree.levels, records, current, next, device_wanted, found);
  timer.stop("find_keys");
  comparison.exact("records", found.get(), expected);
}

// Ranges whose ends are keys of the tree.
static void try_ranges(const Tree &tree, const DeviceArray<Node> &nodes,
                       const std::vector<int> &keys, int queries, int longest, Random &random,
                       Comparison &comparison) {
  std::vector<int> first, last, begins, lengths;
  for (int i = 0; i < queries; i++) {
    int begin = (int)random.below((uint32_t)keys.size());
    int length = std::min((int)keys.size() - begin, 1 + (int)random.below((uint32_t)longest));
    first.push_back(keys[begin]);
    last.push_back(keys[begin + length - 1]);
    begins.push_back(begin);
    lengths.push_back(length);
  }
  std::vector<NodeNumber> roots((size_t)queries, tree.root);
  DeviceArray<NodeNumber> current(roots), current_last(roots);
  DeviceArray<NodeNumber> next((size_t)queries), next_last((size_t)queries);
  DeviceArray<int> device_first(first), device_last(last);
  DeviceArray<int> begin((size_t)queries), length((size_t)queries);
  Timer timer;
  find_ranges<<<queries, ORDER>>>(nodes, tree.levels, current, next, current_last, next_last,
                                  device_first, device_last, begin, length);
  timer.stop("find_ranges");
  comparison.exact("first records", begin.get(), begins);
  comparison.exact("lengths", length.get(), lengths);
}

// Keys 0 to count - 1, inserted in this order: nodes keep half of their places, and lie
// level by level from the root on.
enum { HALF = ORDER / 2 };

static OriginalNode empty_node(size_t number, bool is_leaf) {
  OriginalNode node;
  node.number = (int)number;
  std::fill(node.children, node.children + ORDER + 1, 0);
  std::fill(node.keys, node.keys + ORDER + 1, INT_MAX);
  node.keys[0] = INT_MIN;
  node.is_leaf = is_leaf;
  return node;
}

// One level of nodes over `below` children or records, which begin at first_child. Each
// child has `keys_each` keys.
static void add_original_level(std::vector<OriginalNode> &nodes, long long below,
                               long long first_child, long long keys_each, bool is_leaf) {
  for (long long begin = 0; begin < below; begin += HALF) {
    OriginalNode node = empty_node(nodes.size(), is_leaf);
    int count = (int)std::min((long long)HALF, below - begin), shift = is_leaf ? 1 : 0;
    for (int i = 0; i < count; i++) {
      node.children[i + shift] = (int)(first_child + begin + i);
      if (i + shift) node.keys[i + shift] = (int)((begin + i) * keys_each);
    }
    node.count = count + shift + 1;
    nodes.push_back(node);
  }
}

static std::vector<OriginalNode> build_original_tree(int keys, int *levels) {
  std::vector<long long> width(1, (keys + HALF - 1) / HALF);  // from the leaves up
  while (width.back() > 1) width.push_back((width.back() + HALF - 1) / HALF);
  *levels = (int)width.size() - 1;
  std::vector<OriginalNode> nodes;
  for (int level = *levels; level >= 0; level--) {
    long long keys_each = 1;
    for (int i = 0; i < level; i++) keys_each *= HALF;
    long long first = level ? (long long)nodes.size() + width[level] : 0;
    add_original_level(nodes, level ? width[level - 1] : keys, first, keys_each, level == 0);
  }
  return nodes;
}

static int search_original_tree(int count, int queries, int ranges, int longest, Random &random) {
  int levels;
  std::vector<OriginalNode> tree = build_original_tree(count, &levels);
  std::vector<int> values = random.integers((size_t)count, 0, 1 << 30);
  std::vector<int> wanted, expected, first, last, lengths;
  for (int i = 0; i < queries; i++) {
    wanted.push_back((int)random.below((uint32_t)count));
    expected.push_back(values[wanted.back()]);
  }
  longest = std::min(longest, count - 1);
  for (int i = 0; i < ranges; i++) {
    first.push_back((int)random.below((uint32_t)(count - longest)));
    last.push_back(first.back() + longest);
    lengths.push_back(longest + 1);
  }
  DeviceArray<OriginalNode> nodes(tree);
  DeviceArray<int> records(values), device_wanted(wanted), found((size_t)queries);
  DeviceArray<int> device_first(first), device_last(last);
  DeviceArray<int> begin((size_t)ranges), length((size_t)ranges);
  DeviceArray<NodeNumber> current((size_t)queries), next((size_t)queries);
  DeviceArray<NodeNumber> from((size_t)ranges), next_from((size_t)ranges);
  DeviceArray<NodeNumber> to((size_t)ranges), next_to((size_t)ranges);
  Timer timer;
  find_keys_original<<<queries, ORDER>>>(levels, nodes, (long long)tree.size(), records, current,
                                         next, device_wanted, found);
  find_ranges_original<<<ranges, ORDER>>>(levels, nodes, (long long)tree.size(), from, next_from,
                                          to, next_to, device_first, device_last, begin, length);
  timer.stop("b+tree");
  Comparison comparison;
  comparison.exact("records", found.get(), expected);
  comparison.exact("first records", begin.get(), first);
  comparison.exact("lengths", length.get(), lengths);
  return comparison.verdict();
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "searches in a B+ tree");
  int count = (int)arguments.number("keys", {20000, 200000, 1000000}, 1, 1 << 26, "keys");
  int queries = (int)arguments.number("queries", {40, 1500, 10000}, 1, 1 << 20, "keys to find");
  int ranges = (int)arguments.number("ranges", {20, 900, 6000}, 1, 1 << 20, "ranges to find");
  int longest =
      (int)arguments.number("longest", {300, 3000, 3000}, 1, 1 << 20, "keys of a range, at most");
  bool is_original = arguments.number("original", {0, 0, 0}, 0, 1,
                                      "1: nodes, queries and kernels as in Rodinia");
  arguments.done();

  Random random(arguments.seed());
  if (is_original) return search_original_tree(count, queries, ranges, longest, random);
  std::vector<int> keys = make_keys(count, random);
  Tree tree = build_tree(keys);
  DeviceArray<Node> nodes(tree.nodes);
  Comparison comparison;
  try_keys(tree, nodes, keys, queries, random, comparison);
  try_ranges(tree, nodes, keys, ranges, longest, random, comparison);
  return comparison.verdict();
}
