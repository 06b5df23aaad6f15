// SPDX-License-Identifier: MIT
// Forms transactions from lane addresses, and counts bank conflicts.
#include "sm/lsu/coalescer.h"

#include <string.h>

#include "base/memory.h"
#include "exec/async.h"
#include "sm/lsu/shared_atomic.h"

// A segment of memory and which of its bytes are touched.
typedef struct Segment {
  uint64_t base;
  uint32_t bytes[4];  // bit b of word s: byte b of its sector s
} Segment;

enum { SECTOR = 32, LINE = 128, FIRST_ACCESSES = 4 };

static void touch(Segment *segment, uint64_t address, uint32_t size) {
  uint32_t offset = (uint32_t)(address - segment->base);
  uint32_t bits = size >= 32 ? FULL_MASK : (1u << size) - 1;
  segment->bytes[offset / SECTOR] |= bits << offset % SECTOR;
}

// The segment that begins at base, added where it belongs in descending order.
// Descending, because GPGPU-Sim sends the transactions of an instruction from the highest
// address to the lowest: the order decides which line takes a way first.
static Segment *find_segment(Segment *segments, uint32_t *count, uint64_t base) {
  // Lanes come with falling addresses, mostly: behind all others.
  uint32_t i = *count && segments[*count - 1].base > base ? *count : 0;
  while (i < *count && segments[i].base > base) i++;
  if (i < *count && segments[i].base == base) return &segments[i];
  memmove(&segments[i + 1], &segments[i], sizeof *segments * (*count - i));
  (*count)++;
  segments[i] = (Segment){.base = base};
  return &segments[i];
}

// Whether all lanes access an element each of one array, in order.
static bool is_run(const MemoryAccess *access, uint32_t mask) {
  uint64_t first = access->address[0], bytes = access->bytes, difference = 0;
  if (mask != FULL_MASK || bytes > SECTOR || (bytes & (bytes - 1)) || first % bytes) return false;
  for (uint64_t i = 0; i < WARP_LANES; i++)
    difference |= (access->address[i] - first) ^ (i * bytes);
  return difference == 0;
}

// The segments of all bytes from `first` to before `end`.
static uint32_t collect_run(Segment *segments, uint64_t first, uint64_t end,
                            uint32_t segment_bytes) {
  uint64_t base = (end - 1) & ~(uint64_t)(segment_bytes - 1);
  uint32_t count = 0;
  for (bool is_first = false; !is_first; base -= segment_bytes) {
    Segment *segment = &segments[count++];
    *segment = (Segment){.base = base};
    for (uint32_t s = 0; s < segment_bytes / SECTOR; s++) {
      uint64_t begins = base + (uint64_t)s * SECTOR, ends = begins + SECTOR;
      if (begins < first) begins = first;
      if (ends > end) ends = end;
      if (begins < ends) touch(segment, begins, (uint32_t)(ends - begins));
    }
    is_first = base <= first;
  }
  return count;
}

// From the highest lane to the lowest: find_segment.
static uint32_t collect(Segment *segments, const MemoryAccess *access, uint32_t mask,
                        uint32_t segment_bytes) {
  uint32_t count = 0;
  if (is_run(access, mask))
    return collect_run(segments, access->address[0],
                       access->address[0] + (uint64_t)WARP_LANES * access->bytes, segment_bytes);
  Segment *last = NULL;
  for (uint32_t left = mask; left;) {
    uint32_t lane = 31 - (uint32_t)__builtin_clz(left);
    left ^= 1u << lane;
    uint64_t address = access->address[lane];
    uint64_t base = address & ~(uint64_t)(segment_bytes - 1);
    if (!last || last->base != base) last = find_segment(segments, &count, base);
    touch(last, address, access->bytes);
  }
  return count;
}

static Access whole_segment(const Segment *segment, uint32_t segment_bytes) {
  Access out = {.address = segment->base, .bytes = (uint16_t)segment_bytes};
  for (uint32_t s = 0; s < segment_bytes / SECTOR; s++) {
    if (segment->bytes[s]) out.touched |= (uint8_t)(1u << s);
    if (segment->bytes[s] == FULL_MASK) out.full |= (uint8_t)(1u << s);
  }
  return out;
}

// A transaction of which only one half is used is reduced to that half: the rule of compute
// capability 1.2 (CUDA C programming guide), which GPGPU-Sim also applies to later ones. A
// 128-byte transaction of which only sectors 1 and 2 are used straddles the halves and is not
// reduced.
static Access halve(Access access) {
  while (access.bytes > SECTOR) {
    uint32_t sectors = access.bytes / SECTOR / 2;
    uint32_t low = (1u << sectors) - 1;
    bool uses_low = access.touched & low, uses_high = access.touched >> sectors;
    if (uses_low && uses_high) break;
    access.bytes /= 2;
    if (!uses_high) continue;
    access.address += access.bytes;
    access.touched = (uint8_t)(access.touched >> sectors);
    access.full = (uint8_t)(access.full >> sectors);
  }
  return access;
}

// Bytes are coalesced into 32, halfwords into 64, larger elements into 128 bytes, as since
// compute capability 1.2.
static uint32_t segment_size(const Instruction *in, const MemoryAccess *access,
                             const SmConfig *config, bool bypass) {
  // Asynchronous copies ask for lines or halves of them, and get them by sector.
  if (in->form.op == OP_CP && bypass) return LINE;
  if (bypass || config->coalesce == COALESCE_SECTOR) return SECTOR;
  int element = type_bytes(in->form.type);
  if (access->bytes > 2 || element > 2) return LINE;
  return element == 2 ? 64 : SECTOR;
}

// Most instructions have a few; the room for more stays.
static Access *add_access(Inflight *to) {
  if (to->access_count == to->access_capacity) {
    to->access_capacity = to->access_capacity ? to->access_capacity * 2 : FIRST_ACCESSES;
    to->accesses = memory_resize(to->accesses, to->access_capacity * sizeof *to->accesses);
  }
  return &to->accesses[to->access_count++];
}

static void add_segments(Inflight *to, const Segment *segments, uint32_t count,
                         uint32_t segment_bytes) {
  for (uint32_t i = 0; i < count; i++)
    *add_access(to) = halve(whole_segment(&segments[i], segment_bytes));
}

static void coalesce_global(Inflight *to, const Instruction *in, const MemoryAccess *access,
                            uint32_t mask, const SmConfig *config, bool bypass) {
  Segment segments[WARP_LANES + 1];
  uint32_t size = segment_size(in, access, config, bypass);
  uint32_t count = collect(segments, access, mask, size);
  add_segments(to, segments, count, size);
}

static bool overlaps(const Segment *segment, uint64_t address, uint32_t size) {
  Segment probe = {.base = segment->base};
  touch(&probe, address, size);
  return segment->bytes[0] & probe.bytes[0];
}

// The lanes of an atomic that reach memory: one, if it performs it for its warp.
static uint32_t atomic_lanes(const Instruction *in, uint32_t mask) {
  bool is_one =
      in->aggregation == BY_WARP || (in->aggregation == BY_FULL_WARP && mask == UINT32_MAX);
  return is_one ? mask & -mask : mask;
}

// Lanes that modify the same bytes need separate transactions: conflicting lanes are serialised
// at the L2, one transaction per conflict.
static void coalesce_atomic(Inflight *to, const MemoryAccess *access, uint32_t mask) {
  Segment segments[WARP_LANES];
  uint32_t count = 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    uint64_t address = access->address[__builtin_ctz(left)];
    uint64_t base = address & ~(uint64_t)(SECTOR - 1);
    uint32_t i = 0;
    while (i < count && (segments[i].base > base ||
                         (segments[i].base == base && overlaps(&segments[i], address, access->bytes))))
      i++;
    if (i == count || segments[i].base != base) {
      memmove(&segments[i + 1], &segments[i], sizeof *segments * (count - i));
      segments[i] = (Segment){.base = base};
      count++;
    }
    touch(&segments[i], address, access->bytes);
  }
  add_segments(to, segments, count, SECTOR);
}

// Local addresses as the memory sees them: word w of thread t lies at
// base + 4 * (w * thread_count + t).
// Interleaved by thread, so that a warp that accesses the same local word in all lanes touches
// one line.
static void spread_local(MemoryAccess *spread, const MemoryAccess *access, uint32_t mask,
                         const LocalLayout *local, uint32_t first_thread) {
  for (uint32_t left = mask; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    uint64_t word = access->address[lane] / 4;
    uint64_t thread = local->thread + first_thread + (uint32_t)lane;
    spread->address[lane] =
        local->base + 4 * (word * local->thread_count + thread) + access->address[lane] % 4;
  }
}

// Wide local accesses access each of their words in a separate row.
static void coalesce_local(Inflight *to, const Instruction *in, const MemoryAccess *access,
                           uint32_t mask, const SmConfig *config, const LocalLayout *local,
                           uint32_t first_thread) {
  MemoryAccess word = *access, spread;
  uint32_t words = access->bytes > 4 ? access->bytes / 4u : 1;
  // From the highest word to the lowest, in keeping with find_segment().
  for (uint32_t w = words; w-- > 0;) {
    for (uint32_t left = mask; left; left &= left - 1) {
      int lane = __builtin_ctz(left);
      word.address[lane] = access->address[lane] + 4u * w;
    }
    spread = word;
    spread.bytes = access->bytes > 4 ? 4 : access->bytes;
    spread_local(&spread, &word, mask, local, first_thread);
    coalesce_global(to, in, &spread, mask, config, false);
  }
}

// Bits in which the addresses differ.
static uint64_t different_bits(const uint64_t *address, uint32_t mask) {
  uint64_t first = address[__builtin_ctz(mask)], bits = 0;
  if (mask == FULL_MASK)
    for (int i = 0; i < WARP_LANES; i++) bits |= address[i] ^ first;
  else
    for (uint32_t left = mask; left; left &= left - 1) bits |= address[__builtin_ctz(left)] ^ first;
  return bits;
}

// Each different word is a lookup of its block.
// The constant cache broadcasts one word per lookup; different words of one block are
// serialised.
static void coalesce_words(Inflight *to, const MemoryAccess *access, uint32_t mask,
                           uint32_t block_bytes) {
  uint32_t seen = 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left);
    uint64_t address = access->address[lane];
    bool is_new = true;
    for (uint32_t before = seen; before && is_new; before &= before - 1)
      is_new = access->address[__builtin_ctz(before)] != address;
    if (!is_new) continue;
    seen |= 1u << lane;
    *add_access(to) =
        (Access){.address = address / block_bytes * block_bytes, .bytes = (uint16_t)block_bytes};
  }
}

static void coalesce_blocks(Inflight *to, const MemoryAccess *access, uint32_t mask,
                            uint32_t block_bytes) {
  if (!different_bits(access->address, mask))
    mask &= 0 - mask;  // as mostly: one lane speaks for all
  for (uint32_t left = mask; left; left &= left - 1) {
    uint64_t block = access->address[__builtin_ctz(left)] / block_bytes * block_bytes;
    uint32_t i = 0;
    while (i < to->access_count && to->accesses[i].address != block) i++;
    if (i < to->access_count) continue;
    *add_access(to) = (Access){.address = block, .bytes = (uint16_t)block_bytes};
  }
}

// Lanes that read the same word are served by one broadcast; only different words of one bank
// conflict. A word is compared with those of its bank, which are linked: mostly there is none.
uint32_t shared_conflict_cycles(const uint64_t *address, uint32_t mask, uint32_t banks,
                                uint32_t bank_bytes) {
  bool is_power = !(banks & (banks - 1));
  // Of a row of words that begins with the first bank, each bank has one.
  if (is_power && different_bits(address, mask) < (uint64_t)banks * bank_bytes) return 1;
  uint64_t word[WARP_LANES + 1], used = 0;              // from 1 on; bit b: bank b has words
  uint8_t before[WARP_LANES + 1], last[64], words[64];  // of the same bank; by bank
  uint32_t count = 0, most = 1, shift = bank_bytes == 8 ? 3 : 2;
  for (uint32_t left = mask; left; left &= left - 1) {
    uint64_t w = address[__builtin_ctz(left)] >> shift;
    uint32_t bank = (uint32_t)(is_power ? w & (banks - 1) : w % banks);
    if (!(used >> bank & 1)) last[bank] = words[bank] = 0;
    used |= UINT64_C(1) << bank;
    uint32_t i = last[bank];
    while (i && word[i] != w) i = before[i];
    if (i) continue;
    word[++count] = w;
    before[count] = last[bank];
    last[bank] = (uint8_t)count;
    if (++words[bank] > most) most = words[bank];
  }
  return most;
}

// Cycles between the lookups of constants, and one.
static uint16_t constant_cycles(const Inflight *to, const SmConfig *config) {
  uint32_t interval = config->constant_interval_cycles;
  return (uint16_t)(interval > 1 ? 1 + to->access_count * (interval - 1) : 1);
}

// A texel has 16 bytes at most, a word of 32 banks 4.
enum { MAX_TEXTURE_WORDS = 4 * WARP_LANES };

// The most different units (lines, words) that one of `parts` (sets, banks) holds.
static uint32_t most_in_a_part(const uint64_t *unit, uint32_t count, uint32_t parts) {
  uint64_t seen[MAX_TEXTURE_WORDS];
  uint32_t in_part[MAX_TEXTURE_SETS] = {0}, seen_count = 0, most = 0;
  for (uint32_t k = 0; k < count; k++) {
    uint32_t i = 0;
    while (i < seen_count && seen[i] != unit[k]) i++;
    if (i < seen_count) continue;
    seen[seen_count++] = unit[k];
    uint32_t units = ++in_part[unit[k] % parts];
    if (units > most) most = units;
  }
  return most;
}

// One tag of each set is compared per cycle: lines of one set cost a cycle each.
static uint32_t set_conflicts(const MemoryAccess *access, uint32_t mask, uint32_t sets) {
  uint64_t lines[WARP_LANES];
  uint32_t count = 0;
  for (uint32_t left = mask; left; left &= left - 1)
    lines[count++] = access->address[__builtin_ctz(left)] / LINE;
  return most_in_a_part(lines, count, sets);
}

// The bytes of a line are spread over banks; a texture unit reads one word per cycle, and a bank
// gives one. Of lines that lie in different places, the same bytes are in the same bank.
static uint32_t bank_conflicts(const MemoryAccess *access, uint32_t mask, uint32_t banks) {
  uint64_t words[MAX_TEXTURE_WORDS];
  uint32_t word_bytes = LINE / banks, texel_words = (access->bytes + word_bytes - 1) / word_bytes;
  uint32_t count = 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    uint64_t first = access->address[__builtin_ctz(left)] / word_bytes;
    for (uint32_t w = 0; w < texel_words; w++) words[count++] = first + w;
  }
  uint32_t most = most_in_a_part(words, count, banks);
  return most > texel_words ? most : texel_words;
}

// Lanes are filtered in groups of neighbours, in graphics the four pixels of a quad. Tags and
// data are stages of one pipeline: the slower one decides.
static uint32_t group_cycles(const MemoryAccess *access, uint32_t mask, const SmConfig *config) {
  uint32_t lanes = config->texture_lanes_per_cycle, cycles = 0;
  uint32_t sets = config->texture_sets, banks = config->texture_banks;
  if (!sets && !banks) return ((uint32_t)__builtin_popcount(mask) + lanes - 1) / lanes;
  uint32_t group = lanes >= WARP_LANES ? FULL_MASK : (1u << lanes) - 1;
  for (uint32_t first = 0; first < WARP_LANES; first += lanes) {
    uint32_t own = mask & group << first;
    if (!own) continue;
    uint32_t tags = sets ? set_conflicts(access, own, sets) : 1;
    uint32_t data = banks ? bank_conflicts(access, own, banks) : 1;
    cycles += tags > data ? tags : data;
  }
  return cycles;
}

// Cycles that the texture units need beyond those of the lookups, and one.
static uint16_t filter_cycles(const Inflight *to, const MemoryAccess *access, uint32_t mask,
                              const SmConfig *config) {
  uint32_t lookups = config->texture_accesses_per_cycle;
  if (!config->texture_lanes_per_cycle) return 1;
  uint32_t filter = group_cycles(access, mask, config);
  uint32_t look_up = (to->access_count + lookups - 1) / lookups;
  return (uint16_t)(filter > look_up ? filter - look_up + 1 : 1);
}

// .cg, .cs and .cv, and volatile accesses, are served by the L2. Atomics always are: L1Ds are
// not coherent.
static bool goes_past_l1(const Instruction *in, const SmConfig *config) {
  if (in->form.op == OP_ATOM || in->form.op == OP_RED) return true;
  if (in->form.op == OP_ST || in->form.op == OP_SUST) return false;  // stores pass the L1D in any case
  CacheOperator cache = in->form.cache;
  bool asks_to = cache == CACHE_GLOBAL || cache == CACHE_STREAMING || cache == CACHE_VOLATILE;
  if (asks_to || in->form.volatile_) return true;
  return !config->l1_caches_global;
}

// The lowest lane of lanes that change the same bytes is in the first of their
// transactions.
static void find_lowest(Inflight *to, uint64_t lane_address) {
  to->lane_address = lane_address;
  to->lowest_access = 0;
  for (uint16_t i = 0; i < to->access_count; i++) {
    if (lane_address - to->accesses[i].address >= to->accesses[i].bytes) continue;
    to->lowest_access = i;
    return;
  }
}

// Stride prefetchers compare the lowest active lane's address between warps (APRES, section
// IV-B).
static uint64_t lowest_address(const MemoryAccess *access, uint32_t mask, uint32_t in_local,
                               const LocalLayout *local, uint32_t first_thread) {
  if (!in_local) return access->address[__builtin_ctz(mask)];
  MemoryAccess spread;
  uint32_t lane = in_local & (0 - in_local);
  spread_local(&spread, access, lane, local, first_thread);
  return spread.address[__builtin_ctz(lane)];
}

// Passes that the lanes' bytes need anyway take a cycle each; those that conflicts add take longer.
static void add_replays(Inflight *to, const MemoryAccess *access, uint32_t mask,
                        const SmConfig *config) {
  uint32_t row = config->shared_banks * config->shared_bank_bytes;
  uint32_t bytes = (uint32_t)__builtin_popcount(mask) * access->bytes;
  uint32_t least = (bytes + row - 1) / row, cycles = least;
  if (to->passes <= least) return;
  if (cycles < config->lsu_interval_cycles) cycles = config->lsu_interval_cycles;
  to->conflict_cycles = (uint16_t)(cycles + (to->passes - least) * config->shared_replay_cycles);
}

// A generic access whose lanes are in several spaces is charged for one.
static void coalesce_shared(Inflight *to, const Instruction *in, const MemoryAccess *access,
                            uint32_t mask, const SmConfig *config) {
  to->path = PATH_SHARED;
  to->is_remote = mask & access->remote;
  to->remote_bytes =
      (uint16_t)((uint32_t)__builtin_popcount(mask & access->remote) * access->bytes);
  if (config->ideal.no_bank_conflicts && !access->atomic) {
    to->conflict_cycles = to->bank_cycles = to->passes = 1;
    return;
  }
  if (access->atomic) {
    shared_atomic_describe(to, in, access, mask, config);
    return;
  }
  to->conflict_cycles = (uint16_t)shared_conflict_cycles(
      access->address, mask, config->shared_banks, config->shared_bank_bytes);
  to->bank_cycles = to->passes = to->conflict_cycles;
  if (config->shared_replay_cycles > 1) add_replays(to, access, mask, config);
}

void coalesce(Inflight *to, const Instruction *in, const MemoryAccess *access,
              const SmConfig *config, const LocalLayout *local, uint32_t first_thread,
              const AccessUnits *units) {
  uint32_t mask = access->mask;
  to->path = PATH_NONE;
  to->access_count = to->access_next = 0;
  to->conflict_cycles = 1;
  to->loop_cycles = 0;
  to->is_local = false;
  if (!mask) return;
  uint32_t shared = access->space == SPACE_SHARED ? mask : access->generic_shared & mask;
  uint32_t in_local = access->space == SPACE_LOCAL ? mask : access->generic_local & mask;
  if (shared) {
    coalesce_shared(to, in, access, shared, config);
  } else if (in_local) {
    to->path = PATH_L1D;
    to->is_local = true;
    coalesce_local(to, in, access, in_local, config, local, first_thread);
  } else if (access->space == SPACE_CONST || access->space == SPACE_PARAM) {
    to->path = PATH_CONSTANT;
    if (config->constant_by_word)
      coalesce_words(to, access, mask, units->constant);
    else
      coalesce_blocks(to, access, mask, units->constant);
    to->conflict_cycles = constant_cycles(to, config);
  } else if (access->space == SPACE_TEXTURE) {
    to->path = PATH_TEXTURE;
    coalesce_blocks(to, access, mask, units->texture);
    to->conflict_cycles = filter_cycles(to, access, mask, config);
  } else if (access->atomic) {
    to->path = PATH_BYPASS;
    coalesce_atomic(to, access, atomic_lanes(in, mask));
  } else {
    bool bypass = goes_past_l1(in, config);
    to->path = bypass ? PATH_BYPASS : PATH_L1D;
    coalesce_global(to, in, access, mask, config, bypass);
  }
  if (to->access_count)
    find_lowest(to, lowest_address(access, mask, in_local, local, first_thread));
}

// Ranges are aligned to 16 bytes.
void coalesce_bulk(Inflight *to, const BulkRanges *ranges) {
  to->path = PATH_BULK;
  to->access_count = to->access_next = 0;
  for (uint32_t i = 0; i < ranges->count; i++) {
    const BulkRange *range = &ranges->ranges[i];
    uint64_t first = range->address / SECTOR * SECTOR, end = range->address + range->bytes;
    for (uint64_t at = first; at < end && to->access_count < UINT16_MAX;) {
      bool is_line = at % LINE == 0 && at + LINE <= end && at >= range->address;
      bool is_whole = is_line || (at >= range->address && at + SECTOR <= end);
      uint16_t bytes = is_line ? LINE : SECTOR;
      uint8_t sectors = is_line ? 15 : 1;
      *add_access(to) = (Access){
          .address = at, .bytes = bytes, .touched = sectors, .full = is_whole ? sectors : 0};
      at += bytes;
    }
  }
  to->lane_address = to->access_count ? to->accesses[0].address : 0;
  to->lowest_access = 0;
}

uint32_t ideal_transactions(const Inflight *done, const Instruction *in, const MemoryAccess *access,
                            const SmConfig *config, const AccessUnits *units) {
  uint32_t unit;
  switch (done->path) {
    case PATH_SHARED: return 1;
    case PATH_CONSTANT: unit = units->constant; break;
    case PATH_TEXTURE: unit = units->texture; break;
    default:
      unit = access->atomic ? SECTOR : segment_size(in, access, config, done->path == PATH_BYPASS);
  }
  uint32_t bytes = (uint32_t)__builtin_popcount(access->mask) * access->bytes;
  uint32_t needed = (bytes + unit - 1) / unit;
  return needed < done->access_count ? needed : done->access_count;
}
