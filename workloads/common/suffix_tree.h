// SPDX-License-Identifier: MIT
// The suffix tree of a text over four letters, 0 to 3, built in linear time
// (Ukkonen, "On-line construction of suffix trees", Algorithmica 1995). Node 0 is
// the root; no other node has it as a child, so child 0 means none.
#ifndef WORKLOADS_SUFFIX_TREE_H
#define WORKLOADS_SUFFIX_TREE_H

#include <algorithm>
#include <climits>
#include <cstdint>
#include <vector>

enum { LETTERS = 4 };

// The edge that leads to a node is text[start] .. text[end - 1]; depth letters lead
// there from the root, and without the first of them to `link`.
struct alignas(16) SuffixNode {
  int start, end, link, depth;
};

struct alignas(16) SuffixChildren {
  int child[LETTERS];
};

// Leaves' edges go on to an end mark behind the text, which equals no letter: end
// is then the length of the text plus 1.
struct SuffixTree {
  std::vector<SuffixNode> nodes;
  std::vector<SuffixChildren> children;
};

class SuffixTreeBuilder {
 public:
  explicit SuffixTreeBuilder(const std::vector<uint8_t> &text) : text_(text) {
    text_.push_back(LETTERS);
    add_node(0, 0);
    for (size_t i = 0; i < text_.size(); i++) extend((int)i);
  }

  SuffixTree tree() const {
    SuffixTree tree = {nodes_, std::vector<SuffixChildren>(nodes_.size())};
    std::vector<int> pending(1, 0);
    while (!pending.empty()) {
      int parent = pending.back();
      pending.pop_back();
      for (int letter = 0; letter <= LETTERS; letter++) {
        int child = next_[parent][letter];
        if (!child) continue;
        SuffixNode &node = tree.nodes[child];
        node.end = std::min(node.end, (int)text_.size());
        node.depth = tree.nodes[parent].depth + node.end - node.start;
        if (letter < LETTERS) tree.children[parent].child[letter] = child;
        pending.push_back(child);
      }
    }
    return tree;
  }

 private:
  struct Next {
    int child[LETTERS + 1];
    int &operator[](int letter) { return child[letter]; }
    int operator[](int letter) const { return child[letter]; }
  };

  int add_node(int start, int end) {
    nodes_.push_back({start, end, 0, 0});
    next_.push_back({});
    return (int)nodes_.size() - 1;
  }

  // The node made last in this step links to the next one that is met.
  void link_from_last(int node) {
    if (last_) nodes_[last_].link = node;
    last_ = node;
  }

  // Adds text[at] to all suffixes that are not leaves yet.
  void extend(int at) {
    last_ = 0;
    for (pending_++; pending_ > 0; pending_--) {
      if (!descend(at)) return;
      if (active_ == 0 && length_ > 0) {
        length_--;
        edge_ = at - pending_ + 2;
      } else {
        active_ = nodes_[active_].link;
      }
    }
  }

  // Adds it to one of them; false if it is there, and so in all shorter ones.
  bool descend(int at) {
    for (;;) {
      if (length_ == 0) edge_ = at;
      int next = next_[active_][text_[edge_]];
      if (!next) {
        int leaf = add_node(at, INT_MAX);
        next_[active_][text_[edge_]] = leaf;
        if (last_) nodes_[last_].link = active_;
        last_ = 0;
        return true;
      }
      int span = std::min(nodes_[next].end, at + 1) - nodes_[next].start;
      if (length_ < span) return split(next, at);
      edge_ += span, length_ -= span, active_ = next;
    }
  }

  bool split(int next, int at) {
    int start = nodes_[next].start;
    if (text_[start + length_] == text_[at]) {
      length_++;
      if (last_) nodes_[last_].link = active_;
      return false;
    }
    int between = add_node(start, start + length_), leaf = add_node(at, INT_MAX);
    next_[active_][text_[edge_]] = between;
    next_[between][text_[at]] = leaf;
    nodes_[next].start += length_;
    next_[between][text_[nodes_[next].start]] = next;
    link_from_last(between);
    return true;
  }

  std::vector<uint8_t> text_;
  std::vector<SuffixNode> nodes_;
  std::vector<Next> next_;
  int active_ = 0, edge_ = 0, length_ = 0, pending_ = 0, last_ = 0;
};

#endif
