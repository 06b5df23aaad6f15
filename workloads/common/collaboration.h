// SPDX-License-Identifier: MIT
// A network of authors who wrote papers together, in place of coAuthorsCiteseer of the
// DIMACS10 collection: connected, many small cliques (a paper makes one of its authors),
// one large one, half the authors with four neighbours or fewer, a few with hundreds.
//
// Papers come one after another. A paper is by an author who is known already, some of
// that author's circle, and newcomers; once everybody is known, only of circles. Most
// papers are by authors who came lately, which keeps the network's ends far apart; some
// are by one of a few famous authors. The constants are chosen so that 227,320 authors
// and 814,134 edges have what is known of the original: mean degree 7.2, median 4, mode
// 2, largest 1372, largest clique 87, and about as many nodes above 32 and 128 edges as
// table 2 of Tang et al. (SIGMETRICS 2018) has children of SSSP and BFS.
#ifndef WORKLOADS_COLLABORATION_H
#define WORKLOADS_COLLABORATION_H

#include <cmath>

#include "common/kronecker.h"

struct CollaborationSize {
  int authors, edges;  // undirected edges
  int largest_paper, largest_degree;
};

class Collaboration {
 public:
  Collaboration(CollaborationSize size, uint64_t seed)
      : size_(size), random_(seed), circle_((size_t)size.authors) {
    double sum = 0;
    for (int rank = 1; rank <= FAMOUS; rank++) fame_.push_back(sum += std::pow(rank, -0.54));
    add_edge(newcomer(), newcomer());
    while (edge_count_ < size_.edges) add_paper();
  }

  Graph graph() const {
    std::vector<Edge> edges;
    for (int a = 0; a < size_.authors; a++)
      for (int b : circle_[a]) edges.push_back(Edge(a, b));
    std::sort(edges.begin(), edges.end());
    return graph_from_edges(size_.authors, edges);
  }

 private:
  enum { FAMOUS = 120 };

  bool everybody_is_known() const { return known_ == size_.authors; }
  bool chance(float probability) { return random_.uniform(0, 1) < probability; }
  int newcomer() { return known_++; }
  int one_of(const std::vector<int> &list) { return list[random_.below((uint32_t)list.size())]; }

  // The number of authors of a paper: 2, and ever fewer papers of more.
  int paper_size() {
    double exponent = -1 / 2.35;
    int size = 1 + (int)std::pow(1 - random_.uniform(0, 1), exponent);
    return std::max(2, std::min(size, size_.largest_paper * 2 / 3));
  }

  int famous_author() {
    double point = random_.uniform(0, 1) * fame_.back();
    int rank = (int)(std::lower_bound(fame_.begin(), fame_.end(), point) - fame_.begin());
    return (int)((long long)rank * size_.authors / 2000);
  }
  int first_author() {
    if (chance(0.07f)) {
      int author = famous_author();
      // A newcomer must get an edge, or the network would fall apart.
      if (author < known_ && (int)circle_[author].size() < size_.largest_degree) return author;
    }
    int window = everybody_is_known() ? known_ : std::min(known_, size_.authors / 2);
    return known_ - 1 - (int)random_.below((uint32_t)window);
  }
  int next_author(const std::vector<int> &team) {
    if (!everybody_is_known() && !chance(0.3f)) return newcomer();
    int member = one_of(team);
    int author = one_of(circle_[circle_[member].empty() ? team[0] : member]);
    return everybody_is_known() && chance(0.5f) ? one_of(circle_[author]) : author;
  }

  void add_paper() {
    bool is_largest = !has_largest_ && known_ > size_.authors / 2;
    int size = is_largest ? size_.largest_paper : paper_size();
    std::vector<int> team(1, first_author());
    for (int tries = 0; (int)team.size() < size && tries < 4 * size; tries++) {
      int author = is_largest && !everybody_is_known() ? newcomer() : next_author(team);
      if (std::find(team.begin(), team.end(), author) == team.end()) team.push_back(author);
    }
    has_largest_ |= is_largest;
    for (size_t i = 0; i < team.size(); i++)
      for (size_t j = 0; j < i; j++) add_edge(team[i], team[j]);
  }

  void add_edge(int a, int b) {
    bool is_full = edge_count_ == size_.edges ||
                   (int)std::max(circle_[a].size(), circle_[b].size()) >= size_.largest_degree;
    if (is_full || !made_.insert(edge_key(a, b)).second) return;
    circle_[a].push_back(b);
    circle_[b].push_back(a);
    edge_count_++;
  }

  const CollaborationSize size_;
  Random random_;
  std::vector<std::vector<int>> circle_;  // of an author: everybody who wrote a paper with them
  std::unordered_set<uint64_t> made_;
  std::vector<double> fame_;  // running sums over the famous authors
  int known_ = 0, edge_count_ = 0;
  bool has_largest_ = false;
};

static inline Graph graph_collaboration(CollaborationSize size, uint64_t seed) {
  return Collaboration(size, seed).graph();
}

#endif
