// SPDX-License-Identifier: MIT
// nvcc: -rdc=true
// Alignment of short reads to a genome: words of a read are looked up in an index of the
// genome, and each place that they point to is verified with Myers' bit-parallel edit
// distance, as BitMapper does it (Cheng et al., BMC Bioinformatics 2015). A thread has a
// read; where there are many places, a child kernel has a thread for each of them.
//
// One stage: parent (align), children (verify_places), and a barrier kernel (count) that
// counts the reads that were found. Reads from a repeated element point to the same
// thousands of places: siblings share all they read.
//
// SA. Reads of 64 bases; six words of ten bases each are looked up in an index of the genome,
// and every candidate position is verified with Myers' bit-parallel edit distance, by the
// read's thread or, if there are more than 256 positions, by a child with one thread per
// position. 22 reads are from an element that the genome repeats 160 times; the others are from
// elsewhere, with about twelve positions each. Their number is chosen to match the paper's
// reuse between parent and children (0.5 to 0.6 of a child's references for most children):
// with 16,384 reads it would be 1.0, and children would make 5 % of the references. The host
// computes distances by dynamic programming. The paper aligns to Arabidopsis thaliana, of which
// one chromosome has 18 to 30 million bases: `--genome`.
#include <algorithm>

#include "common/compare.h"
#include "common/device_array.h"
#include "common/dynamic.h"
#include "common/genome.h"
#include "common/timer.h"

enum { THREADS = 64 };
enum {
  READ = 64,
  SLACK = 4,
  ELEMENT = 192
};  // bases of a read, that may be inserted or
    // missing in it, of the repeated element

typedef unsigned long long Bits;

struct Alignment {
  const uint8_t *genome, *reads;  // READ bases for each
  const int *start, *place;       // of the index
  int bases, read_count, word;    // bases of a word
  Bits *best;                     // of a read: edit distance above place, the smallest
};

// The smallest edit distance of the read to anything that ends in text[0..length).
__device__ int edit_distance(const Bits match[4], const uint8_t *text, int length) {
  Bits plus = ~(Bits)0, minus = 0;
  int score = READ, best = READ;
  for (int i = 0; i < length; i++) {
    Bits equal = text[i] < 4 ? match[text[i]] : 0;
    Bits vertical = equal | minus;
    Bits horizontal = (((equal & plus) + plus) ^ plus) | equal;
    Bits up = minus | ~(horizontal | plus), down = plus & horizontal;
    score += (int)(up >> (READ - 1) & 1) - (int)(down >> (READ - 1) & 1);
    up <<= 1;
    down <<= 1;
    plus = down | ~(vertical | up);
    minus = up & vertical;
    best = min(best, score);
  }
  return best;
}

__device__ void make_matches(const Alignment &all, int read, Bits match[4]) {
  for (int b = 0; b < 4; b++) match[b] = 0;
  for (int i = 0; i < READ; i++)
    for (int b = 0; b < 4; b++) match[b] |= (Bits)(all.reads[read * READ + i] == b) << i;
}

// Where the index says that word number w of the read is.
struct Places {
  int first, count;
};

__device__ Places places_of(const Alignment &all, int read, int w) {
  int word = 0;
  for (int i = 0; i < all.word; i++) word = word * 4 + all.reads[read * READ + w * all.word + i];
  return {all.start[word], all.start[word + 1] - all.start[word]};
}

// Place number i of those that word w points to.
__device__ void verify(const Alignment &all, int read, const Bits match[4], int w, int i) {
  int at = all.place[i] - w * all.word;
  int from = max(0, at - SLACK), to = min(all.bases, at + READ + SLACK);
  int distance = edit_distance(match, all.genome + from, to - from);
  atomicMin(&all.best[read], (Bits)distance << 32 | (Bits)from);
}

__global__ void verify_places(Alignment all, int read) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int w = 0; (w + 1) * all.word <= READ; w++) {
    Places places = places_of(all, read, w);
    if (i < places.count) {
      Bits match[4];
      make_matches(all, read, match);
      verify(all, read, match, w, places.first + i);
      return;
    }
    i -= places.count;
  }
}

__global__ void align(Alignment all, Dynamic dynamic) {
  int read = blockIdx.x * blockDim.x + threadIdx.x, count = 0;
  if (read >= all.read_count) return;
  for (int w = 0; (w + 1) * all.word <= READ; w++) count += places_of(all, read, w).count;
  if (dynamic.wants_child(count)) {
    ChildStream stream(dynamic);
    verify_places<<<(count + THREADS - 1) / THREADS, THREADS, 0, stream>>>(all, read);
    if (cudaGetLastError() == cudaSuccess) return;
  }
  Bits match[4];
  make_matches(all, read, match);
  for (int w = 0; (w + 1) * all.word <= READ; w++) {
    Places places = places_of(all, read, w);
    for (int i = 0; i < places.count; i++) verify(all, read, match, w, places.first + i);
  }
}

__global__ void count(const Bits *best, int reads, int most_errors, int *found) {
  int read = blockIdx.x * blockDim.x + threadIdx.x;
  int here = __syncthreads_count(read < reads && (int)(best[read] >> 32) <= most_errors);
  if (threadIdx.x == 0) atomicAdd(found, here);
}

// ---- on the host: the same places, and the distance by the table

static int distance_on_host(const uint8_t *read, const uint8_t *text, int length) {
  int above[READ + 1], best = READ;
  std::iota(above, above + READ + 1, 0);
  for (int j = 0; j < length; j++) {
    int diagonal = 0;  // a match may begin anywhere
    above[0] = 0;
    for (int i = 1; i <= READ; i++) {
      int change = diagonal + (read[i - 1] != text[j]);
      diagonal = above[i];
      above[i] = std::min(change, 1 + std::min(above[i], above[i - 1]));
    }
    best = std::min(best, above[READ]);
  }
  return best;
}

static Bits align_on_host(const Genome &genome, const WordIndex &index, const uint8_t *read) {
  Bits best = (Bits)READ << 32;
  for (int offset = 0; offset + index.length <= READ; offset += index.length) {
    int word = genome_word(read + offset, index.length);
    for (int i = index.start[word]; i < index.start[word + 1]; i++) {
      int at = index.place[i] - offset, from = std::max(0, at - SLACK);
      int to = std::min((int)genome.bases.size(), at + READ + SLACK);
      int distance = distance_on_host(read, &genome.bases[from], to - from);
      best = std::min(best, (Bits)distance << 32 | (Bits)from);
    }
  }
  return best;
}

// ---- input

// Whether a read from here has a base of the repeated element.
static bool touches_repeat(const Genome &genome, int at) {
  auto after = std::upper_bound(genome.repeats.begin(), genome.repeats.end(), at + READ);
  return after != genome.repeats.begin() && after[-1] + ELEMENT > at;
}

static int read_place(const Genome &genome, bool is_repetitive, Random *random) {
  if (is_repetitive)
    return genome.repeats[random->below((uint32_t)genome.repeats.size())] +
           (int)random->below(ELEMENT - READ);
  int at, last = (int)genome.bases.size() - READ;
  do at = (int)random->below((uint32_t)last);
  while (touches_repeat(genome, at));
  return at;
}

// The first of them from the repeated element, the others from elsewhere in the genome;
// with a wrong base in every fifty.
static Bases make_reads(const Genome &genome, int count, int repetitive, Random *random) {
  Bases reads;
  for (int r = 0; r < count; r++) {
    int at = read_place(genome, r < repetitive && !genome.repeats.empty(), random);
    Bases read(genome.bases.begin() + at, genome.bases.begin() + at + READ);
    for (uint8_t &base : read)
      if (base == GENOME_UNKNOWN) base = 0;
    genome_mutate(&read, 50, random);
    reads.insert(reads.end(), read.begin(), read.end());
  }
  return reads;
}

int main(int argc, char **argv) {
  enum { MOST_ERRORS = 4 };
  Arguments arguments(argc, argv, "alignment of reads with dynamic parallelism");
  int size =
      (int)arguments.number("bases", {1500, 100000, 2000000}, 1000, 1 << 28, "of the genome");
  int copies = (int)arguments.number("copies", {3, 60, 160}, 0, 1 << 20,
                                     "of the repeated element of 192 bases");
  int count = (int)arguments.number("reads", {32, 32, 1024}, 1, 1 << 22, "of 64 bases");
  int repetitive = (int)arguments.number("repetitive", {3, 8, 22}, 0, 1 << 22,
                                         "reads from the repeated element");
  int word = (int)arguments.number("word", {6, 8, 10}, 2, 12, "bases of a word of the index");
  const char *path = arguments.file("genome", "FASTA file, in place of a generated genome");
  Dynamic dynamic =
      dynamic_options(&arguments, {16, 160, 256}, "places of a read that its own thread verifies");
  arguments.done();

  if (copies && size / copies < ELEMENT + 4 * READ)
    fail(EXIT_INPUT, "--copies %d: too many for %d bases", copies, size);
  Genome genome = path ? genome_read(path) : genome_make(size, copies, ELEMENT, arguments.seed());
  if (genome.bases.size() <= READ) fail(EXIT_INPUT, "the genome is shorter than a read");
  WordIndex index = genome_index(genome.bases, word);
  Random random(arguments.seed() + 1);
  Bases reads = make_reads(genome, count, repetitive, &random);
  dynamic_make_room(dynamic, count);

  DeviceArray<uint8_t> device_genome(genome.bases), device_reads(reads);
  DeviceArray<int> start(index.start), place(index.place), found(1);
  DeviceArray<Bits> best(std::vector<Bits>((size_t)count, (Bits)READ << 32));
  Alignment all = {device_genome, device_reads, start, place, (int)genome.bases.size(),
                   count,         word,         best};
  Timer timer;
  align<<<ctas_for(count, THREADS), THREADS>>>(all, dynamic);
  ::count<<<ctas_for(count, THREADS), THREADS>>>(best, count, MOST_ERRORS, found);
  timer.stop("alignment");

  std::vector<Bits> wanted;
  int wanted_found = 0;
  for (int r = 0; r < count; r++) {
    wanted.push_back(align_on_host(genome, index, &reads[(size_t)r * READ]));
    wanted_found += (int)(wanted.back() >> 32) <= MOST_ERRORS;
  }
  printf("%d of %d reads found in %zu bases\n", wanted_found, count, genome.bases.size());
  Comparison comparison;
  comparison.exact("places", best.get(), wanted);
  comparison.exact("found", found.get(), std::vector<int>(1, wanted_found));
  return comparison.verdict();
}
