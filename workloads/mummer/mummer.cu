// SPDX-License-Identifier: MIT
// Where reads match a genome: for each place in each read, the longest match that
// begins there, found in a suffix tree of the genome. A thread has a read. It goes
// down the tree letter by letter, and from the end of one match by a suffix link to
// where the next one goes on. All threads begin at the root: nodes near it are read
// by every warp, those far from it by few. The tree is read through textures, the genome
// and the reads are not: what the data cache sees are letters, a byte each, by lanes
// that are each at another place and come back for the next letter.
//
// MUM in Oh et al. (cache-sensitive). For each position in each read the longest match in a
// genome, by traversing the genome's suffix tree and its suffix links; one thread per read.
// Random genome, or a FASTA file (`--genome`); reads are pieces of it with errors. Compared
// exactly with what a sorted array of suffixes gives. The tree is read through textures, as in
// the original, so that the loads of table I are those of letters: of the reads, which are
// fetched once and read many times, and of the genome. The original writes matches of at least
// `--least` bases alone, 8 bytes in one store, and stops where the rest of a read is shorter:
// `--long-only 1`. Without it, each of a read's places is written, in two stores, which take
// more of the memory's time than all loads. At `paper`: 20000 bases and 50000 reads of 25, as
// large as the files that come with the suite and its simulators; Oh et al. do not say.
// test: --long-only 1
#include <algorithm>
#include <cctype>
#include <cstring>

#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/random.h"
#include "common/suffix_tree.h"
#include "common/text_file.h"
#include "common/texture.h"
#include "common/timer.h"

enum { CTA = 256, TREE_WIDTH = 1024 };  // nodes a row of a texture

struct Match {
  int length, place;  // 0, 0 if it is shorter than asked for
};

struct Search {
  cudaTextureObject_t nodes, children;
  const uint8_t *genome, *reads;  // an end mark behind the genome
  int reads_count, read_length, least;
};

__device__ static SuffixNode node_at(const Search &search, int node) {
  int4 read = tex2D<int4>(search.nodes, (float)(node % TREE_WIDTH), (float)(node / TREE_WIDTH));
  return {read.x, read.y, read.z, read.w};
}

__device__ static int child_of(const Search &search, int node, int letter) {
  int4 read = tex2D<int4>(search.children, (float)(node % TREE_WIDTH), (float)(node / TREE_WIDTH));
  return letter < 2 ? (letter ? read.y : read.x) : letter == 2 ? read.z : read.w;
}

// The original writes long matches alone, each in one store, and stops where the rest of a
// read is too short for one. Writing all of them is more work for memory than everything
// that is read.
enum Written { ALL_MATCHES, LONG_MATCHES };

template <Written WRITTEN>
__device__ __forceinline__ static void match_read(Match *matches, const Search &search) {
  int r = blockIdx.x * CTA + threadIdx.x, length = search.read_length;
  if (r >= search.reads_count) return;
  const uint8_t *read = search.reads + r * length;
  int node = 0, matched = 0;  // letters that are known to match, at or below the node
  int places = WRITTEN == LONG_MATCHES ? length - search.least + 1 : length;
  for (int i = 0; i < places; i++) {
    SuffixNode here = node_at(search, node);
    int depth = here.depth, end = here.end;
    while (i + depth < length) {
      int child = child_of(search, node, read[i + depth]);
      if (!child) break;
      SuffixNode below = node_at(search, child);
      int span = below.end - below.start, along = min(matched - depth, span);
      while (along < span && i + depth + along < length &&
             search.genome[below.start + along] == read[i + depth + along])
        along++;
      matched = max(matched, depth + along);
      end = below.start + along;
      if (along < span) break;
      node = child;
      here = below;
      depth = below.depth;
    }
    bool is_long = matched >= search.least;
    if (WRITTEN == ALL_MATCHES) {
      matches[r * length + i].length = is_long ? matched : 0;
      matches[r * length + i].place = is_long ? end - matched : 0;
    } else if (is_long) {
      reinterpret_cast<int2 *>(matches)[r * length + i] = make_int2(matched, end - matched);
    }
    node = here.link;
    matched = max(matched - 1, 0);
  }
}

__global__ void match_reads(Match *matches, Search search) {
  match_read<ALL_MATCHES>(matches, search);
}

__global__ void match_reads_long(Match *matches, Search search) {
  match_read<LONG_MATCHES>(matches, search);
}

// Letters other than C, G and T count as A.
static uint8_t letter_code(char letter) {
  const char *found = strchr("ACGT", toupper((unsigned char)letter));
  return found && *found ? (uint8_t)(found - "ACGT") : 0;
}

static std::vector<uint8_t> read_fasta(const char *path) {
  TextFile file(path);
  std::vector<uint8_t> letters;
  file.set_comment('>');
  while (!file.at_end())
    for (char letter : file.word("letters")) {
      if (!isalpha((unsigned char)letter)) file.wrong("what is not a letter is no base");
      letters.push_back(letter_code(letter));
    }
  if (letters.empty()) file.wrong("there is no base");
  if (letters.size() > 1 << 28) file.wrong("more bases than can be searched");
  return letters;
}

static std::vector<uint8_t> generate_genome(int bases, Random *random) {
  std::vector<uint8_t> genome((size_t)bases);
  for (uint8_t &letter : genome) letter = (uint8_t)random->below(LETTERS);
  return genome;
}

// Pieces of the genome, of which one letter in fifty is another.
static std::vector<uint8_t> generate_reads(const std::vector<uint8_t> &genome, int count,
                                           int length, Random *random) {
  std::vector<uint8_t> reads;
  for (int r = 0; r < count; r++) {
    size_t from = random->below((uint32_t)(genome.size() - (size_t)length + 1));
    for (int i = 0; i < length; i++) {
      bool is_wrong = random->below(50) == 0;
      reads.push_back(is_wrong ? (uint8_t)random->below(LETTERS) : genome[from + (size_t)i]);
    }
  }
  return reads;
}

static int common_length(const uint8_t *a, size_t a_length, const uint8_t *b, size_t b_length) {
  size_t i = 0;
  while (i < a_length && i < b_length && a[i] == b[i]) i++;
  return (int)i;
}

// The longest matches by another way: among the sorted suffixes of the genome, one of
// the two between which the rest of a read belongs.
static std::vector<int> lengths_on_host(const std::vector<uint8_t> &genome,
                                        const std::vector<uint8_t> &reads, int read_length) {
  const uint8_t *text = genome.data();
  size_t size = genome.size();
  std::vector<int> suffixes(size), lengths;
  for (size_t i = 0; i < size; i++) suffixes[i] = (int)i;
  std::sort(suffixes.begin(), suffixes.end(), [&](int a, int b) {
    return std::lexicographical_compare(text + a, text + size, text + b, text + size);
  });
  for (size_t i = 0; i < reads.size(); i++) {
    const uint8_t *rest = reads.data() + i;
    size_t left = (size_t)read_length - i % (size_t)read_length;
    auto next =
        std::lower_bound(suffixes.begin(), suffixes.end(), rest, [&](int a, const uint8_t *) {
          return std::lexicographical_compare(text + a, text + size, rest, rest + left);
        });
    int longest = 0;
    if (next != suffixes.end()) longest = common_length(text + *next, size - *next, rest, left);
    if (next != suffixes.begin())
      longest = std::max(longest, common_length(text + next[-1], size - next[-1], rest, left));
    lengths.push_back(longest);
  }
  return lengths;
}

static void check(Comparison *comparison, const std::vector<Match> &matches,
                  const std::vector<uint8_t> &genome, const std::vector<uint8_t> &reads,
                  int read_length, int least) {
  std::vector<int> got, expected = lengths_on_host(genome, reads, read_length);
  bool are_there = true;
  for (size_t i = 0; i < matches.size(); i++) {
    const Match &match = matches[i];
    if (expected[i] < least) expected[i] = 0;
    got.push_back(match.length);
    bool is_inside = match.place >= 0 && match.length >= 0 &&
                     (size_t)match.place + (size_t)match.length <= genome.size() &&
                     i + (size_t)match.length <= reads.size();
    are_there &=
        is_inside && std::equal(reads.begin() + (long)i, reads.begin() + (long)i + match.length,
                                genome.begin() + match.place);
  }
  comparison->exact("lengths", got, expected);
  comparison->holds("matches are where they are said to be", are_there);
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "matches of reads in a suffix tree");
  int bases =
      (int)arguments.number("bases", {2000, 20000, 20000}, 1000, 1 << 26, "bases of the genome");
  int count = (int)arguments.number("reads", {500, 5000, 50000}, 1, 1 << 22, "reads");
  int length = (int)arguments.number("length", {25, 25, 25}, 1, 500, "bases of a read");
  int least = (int)arguments.number("least", {8, 8, 8}, 1, 500, "bases that make a match");
  bool writes_long = arguments.number("long-only", {0, 0, 0}, 0, 1,
                                      "1: only matches of --least bases are written");
  const char *path = arguments.file("genome", "FASTA file, in place of a generated genome");
  arguments.done();

  Random random(arguments.seed());
  std::vector<uint8_t> genome = path ? read_fasta(path) : generate_genome(bases, &random);
  if (genome.size() < (size_t)length) fail(EXIT_INPUT, "the genome is shorter than a read");
  if ((long long)count * length > 1 << 28) fail(EXIT_INPUT, "too many bases in all reads");
  std::vector<uint8_t> reads = generate_reads(genome, count, length, &random);
  SuffixTree tree = SuffixTreeBuilder(genome).tree();
  int rows = ((int)tree.nodes.size() + TREE_WIDTH - 1) / TREE_WIDTH;
  std::vector<int4> node_texels((size_t)rows * TREE_WIDTH), child_texels(node_texels.size());
  memcpy(node_texels.data(), tree.nodes.data(), tree.nodes.size() * sizeof(SuffixNode));
  memcpy(child_texels.data(), tree.children.data(), tree.children.size() * sizeof(SuffixChildren));
  Texture<int4> nodes(node_texels, TREE_WIDTH, rows), children(child_texels, TREE_WIDTH, rows);
  std::vector<uint8_t> marked = genome;
  marked.push_back(LETTERS);
  DeviceArray<uint8_t> device_genome(marked), device_reads(reads);
  DeviceArray<Match> matches(reads.size());
  Search search = {nodes, children, device_genome, device_reads, count, length, least};
  Timer timer;
  if (writes_long)
    match_reads_long<<<ctas_for(count, CTA), CTA>>>(matches, search);
  else
    match_reads<<<ctas_for(count, CTA), CTA>>>(matches, search);
  timer.stop("match_reads");

  Comparison comparison;
  check(&comparison, matches.get(), genome, reads, length, least);
  return comparison.verdict();
}
