// SPDX-License-Identifier: MIT
// The file is mapped and used in place, so every index in it is checked once when it is opened;
// nothing is checked afterwards. Files may come from anywhere.
#include "policies/reuse_profile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/murmur_hash.h"

static Status refuse(const char *path, const char *why, Error *err) {
  return error_set(err, ERR_CONFIG, "%s: %s; record one with --observe reuse_profile:file=PATH",
                   path, why);
}

static Status map_file(ReuseProfile *profile, const char *path, Error *err) {
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return error_set(err, ERR_IO, "cannot open %s: %s", path, strerror(errno));
  struct stat status;
  bool is_file = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  if (is_file && (size_t)status.st_size >= sizeof(ReuseProfileHeader)) {
    void *mapping = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (mapping != MAP_FAILED) {
      profile->mapping = mapping;
      profile->mapping_bytes = (size_t)status.st_size;
    }
  }
  close(file);
  return profile->mapping ? OK : refuse(path, "not a reuse profile", err);
}

// The next array of the file; NULL: it is not there. No product may wrap.
static const void *take(uint64_t *left, const char **at, uint64_t count, size_t size) {
  if (count > *left / size) return NULL;
  const void *start = *at;
  *at += count * size;
  *left -= count * size;
  return start;
}

// The index of kernels has an odd number of entries at times: what follows is aligned.
static uint64_t padded(uint64_t count) {
  return count + count % 2;
}

static bool find_arrays(ReuseProfile *profile, const ReuseProfileHeader *header) {
  const char *at = (const char *)(header + 1);
  uint64_t left = profile->mapping_bytes - sizeof *header;
  profile->kernels = take(&left, &at, header->kernel_count, sizeof(ProfiledKernel));
  if (!profile->kernels || header->kernel_count >= PROFILE_NONE) return false;
  profile->by_place = take(&left, &at, padded(header->kernel_count), sizeof(uint32_t));
  if (!profile->by_place) return false;
  profile->pairs = take(&left, &at, header->pair_count, sizeof(ProfiledPair));
  if (!profile->pairs) return false;
  profile->ctas = take(&left, &at, header->cta_count, sizeof(ProfiledCta));
  profile->kernel_count = header->kernel_count;
  profile->pair_count = header->pair_count;
  profile->cta_count = header->cta_count;
  profile->chain_count = header->chain_count;
  profile->sample = header->sample;
  return profile->ctas && !left && header->chain_count <= header->cta_count;
}

static bool is_part(uint64_t first, uint64_t count, uint64_t all) {
  return first <= all && count <= all - first;
}

// A parent precedes its children, and pairs are sorted: the binary searches below rely on both.
static bool has_good_kernels(const ReuseProfile *profile) {
  for (uint64_t k = 0; k < profile->kernel_count; k++) {
    const ProfiledKernel *kernel = &profile->kernels[k];
    bool has_parent = kernel->place.parent != PROFILE_NONE;
    if ((has_parent && kernel->place.parent >= k) ||
        !is_part(kernel->first_pair, kernel->pair_count, profile->pair_count) ||
        !is_part(kernel->first_cta, kernel->cta_count, profile->cta_count))
      return false;
    for (uint64_t p = 1; p < kernel->pair_count; p++)
      if (profile->pairs[kernel->first_pair + p - 1].other >=
          profile->pairs[kernel->first_pair + p].other)
        return false;
  }
  return true;
}

static bool has_good_places(const ReuseProfile *profile) {
  for (uint64_t i = 0; i < profile->kernel_count; i++) {
    if (profile->by_place[i] >= profile->kernel_count) return false;
    if (i && launch_place_compare(&profile->kernels[profile->by_place[i - 1]].place,
                                  &profile->kernels[profile->by_place[i]].place) >= 0)
      return false;
  }
  return true;
}

static bool has_good_chains(const ReuseProfile *profile) {
  for (uint64_t i = 0; i < profile->cta_count; i++)
    if (profile->ctas[i].chain != PROFILE_NONE && profile->ctas[i].chain >= profile->chain_count)
      return false;
  return true;
}

static Status check(ReuseProfile *profile, const char *path, Error *err) {
  const ReuseProfileHeader *header = profile->mapping;
  if (memcmp(header->magic, REUSE_PROFILE_MAGIC, sizeof header->magic) != 0)
    return refuse(path, "not a reuse profile", err);
  if (header->version != REUSE_PROFILE_VERSION)
    return refuse(path, "reuse profile of another Heddle version", err);
  if (!find_arrays(profile, header)) return refuse(path, "corrupt reuse profile: wrong size", err);
  if (!has_good_kernels(profile) || !has_good_places(profile) || !has_good_chains(profile))
    return refuse(path, "corrupt reuse profile: invalid reference", err);
  return OK;
}

Status reuse_profile_open(ReuseProfile *profile, const char *path, Error *err) {
  *profile = (ReuseProfile){0};
  TRY(map_file(profile, path, err));
  Status status = check(profile, path, err);
  if (status != OK) reuse_profile_close(profile);
  return status;
}

void reuse_profile_close(ReuseProfile *profile) {
  if (profile->mapping) munmap(profile->mapping, profile->mapping_bytes);
  *profile = (ReuseProfile){0};
}

// ---- looking up

int launch_place_compare(const LaunchPlace *a, const LaunchPlace *b) {
  if (a->parent != b->parent) return a->parent < b->parent ? -1 : 1;
  if (a->cta != b->cta) return a->cta < b->cta ? -1 : 1;
  if (a->thread != b->thread) return a->thread < b->thread ? -1 : 1;
  return (a->number > b->number) - (a->number < b->number);
}

uint32_t reuse_profile_find(const ReuseProfile *profile, const LaunchPlace *place) {
  uint64_t low = 0, high = profile->kernel_count;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    int order = launch_place_compare(&profile->kernels[profile->by_place[middle]].place, place);
    if (order == 0) return (uint32_t)middle;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return PROFILE_NONE;
}

uint32_t reuse_profile_ratio(const ReuseProfile *profile, uint32_t kernel, uint32_t other) {
  const ProfiledKernel *of = &profile->kernels[kernel];
  uint64_t low = of->first_pair, high = of->first_pair + of->pair_count;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    const ProfiledPair *pair = &profile->pairs[middle];
    if (pair->other == other) return pair->millionths;
    if (pair->other < other)
      low = middle + 1;
    else
      high = middle;
  }
  return 0;
}

// Name and shape, to notice that a second run launched something else at the same place.
uint64_t launch_signature(const Launch *launch) {
  const char *name = launch->kernel && launch->kernel->name ? launch->kernel->name : "";
  uint32_t shape[6];
  memcpy(shape, launch->grid, sizeof launch->grid);
  memcpy(shape + 3, launch->block, sizeof launch->block);
  uint32_t of_shape = murmur_hash2(shape, sizeof shape, 0);
  return (uint64_t)murmur_hash2(name, strlen(name), of_shape) << 32 |
         murmur_hash2(name, strlen(name), ~of_shape);
}
