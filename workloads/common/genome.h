// SPDX-License-Identifier: MIT
// A genome as numbers, 0 to 3 for A, C, G, T: generated, with a repeated element as real
// ones have, or read from a FASTA file; and an index of where its words are.
#ifndef WORKLOADS_GENOME_H
#define WORKLOADS_GENOME_H

#include <algorithm>
#include <cctype>
#include <cstring>
#include <numeric>
#include <vector>

#include "common/random.h"
#include "common/text_file.h"

enum { GENOME_UNKNOWN = 4 };  // a letter that matches nothing

typedef std::vector<uint8_t> Bases;

struct Genome {
  Bases bases;
  std::vector<int> repeats;  // where copies of the repeated element begin, if that is known
};

// Changes one of `every` bases on average; 0: none.
static inline void genome_mutate(Bases *bases, int every, Random *random) {
  for (uint8_t &base : *bases)
    if (every && !random->below((uint32_t)every)) base = (base + 1 + random->below(3)) % 4;
}

// Random, with copies of one element of `length` bases, each a little different.
static inline Genome genome_make(int size, int copies, int length, uint64_t seed) {
  Random random(seed);
  Genome genome;
  auto random_bases = [&](int count) {
    Bases bases;
    for (int i = 0; i < count; i++) bases.push_back((uint8_t)random.below(4));
    return bases;
  };
  genome.bases = random_bases(size);
  const Bases element = random_bases(length);
  // One copy in each of equal shares, so that none lies over another.
  for (int i = 0; i < copies; i++) {
    long long share = size / copies;
    if (share <= length) fail(EXIT_INPUT, "%d copies of %d bases: no room", copies, length);
    int place = (int)(i * share + random.below((uint32_t)(share - length)));
    Bases copy = element;
    genome_mutate(&copy, 100, &random);
    std::copy(copy.begin(), copy.end(), genome.bases.begin() + place);
    genome.repeats.push_back(place);
  }
  return genome;
}

// Sequences behind one another; what is no base is unknown.
static inline Genome genome_read(const char *path) {
  enum { MOST = 1 << 28 };
  static const char letters[] = "AaCcGgTt";
  TextFile file(path);
  Genome genome;
  file.set_comment('>');  // to the end of the line: a sequence's name
  while (!file.at_end()) {
    for (char letter : file.word("bases")) {
      if (!isalpha((unsigned char)letter) && letter != '*' && letter != '-')
        file.wrong("not a letter for a base");
      const char *found = strchr(letters, letter);
      genome.bases.push_back(found ? (uint8_t)((found - letters) / 2) : (uint8_t)GENOME_UNKNOWN);
    }
    if (genome.bases.size() > MOST) file.wrong("more than 2^28 bases");
  }
  if (genome.bases.empty()) file.wrong("no sequence");
  return genome;
}

// The word of `length` bases as a number; -1 if one of them is unknown.
static inline int genome_word(const uint8_t *bases, int length) {
  int word = 0;
  for (int i = 0; i < length; i++) {
    if (bases[i] == GENOME_UNKNOWN) return -1;
    word = word * 4 + bases[i];
  }
  return word;
}

// Word w is at place[start[w]] .. place[start[w + 1] - 1], in ascending order.
struct WordIndex {
  int length;
  std::vector<int> start, place;
};

static inline WordIndex genome_index(const Bases &bases, int length) {
  WordIndex index;
  int words = 1 << 2 * length, places = (int)bases.size() - length + 1;
  index.length = length;
  index.start.assign((size_t)words + 1, 0);
  std::vector<int> word_at;
  for (int i = 0; i < places; i++) {
    word_at.push_back(genome_word(&bases[i], length));
    if (word_at[i] >= 0) index.start[(size_t)word_at[i] + 1]++;
  }
  std::partial_sum(index.start.begin(), index.start.end(), index.start.begin());
  std::vector<int> next(index.start.begin(), index.start.end() - 1);
  index.place.resize((size_t)index.start.back());
  for (int i = 0; i < places; i++)
    if (word_at[i] >= 0) index.place[next[word_at[i]]++] = i;
  return index;
}

#endif
