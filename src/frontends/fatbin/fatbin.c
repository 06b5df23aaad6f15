// SPDX-License-Identifier: MIT
// Fat binaries: the container in which nvcc and clang embed device code, PTX and machine code for
// several GPUs.
#include "frontends/fatbin/fatbin.h"

#include <inttypes.h>
#include <lz4.h>
#include <string.h>
#include <zstd.h>

#include "base/memory.h"

#define FATBIN_MAGIC 0xba55ed50u
enum { HEADER_BYTES = 16, ENTRY_BYTES = 64 };
// Larger entries are rejected unread: no program contains this much PTX.
#define MAX_TEXT_BYTES (UINT64_C(1) << 28)
enum { FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000 };

static uint16_t get_16(const uint8_t *at) {
  uint16_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

static uint32_t get_32(const uint8_t *at) {
  uint32_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

static uint64_t get_64(const uint8_t *at) {
  uint64_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

uint64_t fatbin_length(const void *bytes) {
  if (get_32(bytes) != FATBIN_MAGIC) return 0;
  uint64_t header = get_16((const uint8_t *)bytes + 6), body = get_64((const uint8_t *)bytes + 8);
  return body < UINT64_MAX - header ? header + body : 0;
}

Status fatbin_open(Fatbin *fatbin, const void *bytes, uint64_t length, Error *err) {
  if (length < HEADER_BYTES || get_32(bytes) != FATBIN_MAGIC)
    return error_set(err, ERR_SYNTAX, "not a fat binary");
  uint32_t version = get_16((const uint8_t *)bytes + 4),
           header = get_16((const uint8_t *)bytes + 6);
  if (version != 1 || header < HEADER_BYTES)
    return error_set(err, ERR_UNSUPPORTED, "fat binary of version %u with a header of %u bytes",
                     version, header);
  uint64_t whole = fatbin_length(bytes);
  if (!whole || whole > length)
    return error_set(err, ERR_SYNTAX, "truncated fat binary: %" PRIu64 " of %" PRIu64 " bytes",
                     length, whole);
  *fatbin = (Fatbin){.bytes = bytes, .length = whole, .next = header};
  return OK;
}

static Status read_entry(const uint8_t *at, uint64_t left, FatbinEntry *entry, uint64_t *size,
                         Error *err) {
  uint64_t header = get_32(at + 0x04), payload = get_64(at + 0x08), flags = get_64(at + 0x28);
  if (header < ENTRY_BYTES || header > left || payload > left - header)
    return error_set(err, ERR_SYNTAX,
                     "fat binary entry of %" PRIu64 " + %" PRIu64 " bytes where %" PRIu64
                     " are left",
                     header, payload, left);
  *entry = (FatbinEntry){.kind = (FatbinKind)get_16(at),
                         .architecture = get_32(at + 0x1c),
                         .payload = at + header,
                         .payload_bytes = payload,
                         .compressed_bytes = get_32(at + 0x10),
                         .text_bytes = get_64(at + 0x38),
                         .is_lz4 = flags & FLAG_LZ4,
                         .is_zstd = flags & FLAG_ZSTD};
  *size = header + payload;
  return OK;
}

Status fatbin_next(Fatbin *fatbin, FatbinEntry *entry, bool *found, Error *err) {
  uint64_t size = 0, left = fatbin->length - fatbin->next;
  *found = left >= ENTRY_BYTES;
  if (!*found) return OK;
  TRY(read_entry(fatbin->bytes + fatbin->next, left, entry, &size, err));
  fatbin->next += size;
  return OK;
}

// Whether architecture `a` is preferable to `b` for a GPU.
static bool suits_better(uint32_t a, uint32_t b, uint32_t capability) {
  if ((a <= capability) != (b <= capability)) return a <= capability;
  return a <= capability ? a > b : a < b;
}

Status fatbin_choose_ptx(const void *bytes, uint64_t length, uint32_t capability,
                         FatbinEntry *chosen, bool *found, uint32_t *elf_architecture, Error *err) {
  Fatbin fatbin;
  TRY(fatbin_open(&fatbin, bytes, length, err));
  *found = false;
  *elf_architecture = 0;
  for (;;) {
    FatbinEntry entry;
    bool more;
    TRY(fatbin_next(&fatbin, &entry, &more, err));
    if (!more) return OK;
    if (entry.kind == FATBIN_ELF) *elf_architecture = entry.architecture;
    if (entry.kind != FATBIN_PTX) continue;
    if (*found && !suits_better(entry.architecture, chosen->architecture, capability)) continue;
    *chosen = entry;
    *found = true;
  }
}

// Damaged from some entry on: as if that were the end.
uint32_t fatbin_code_architecture(const void *bytes, uint64_t length, uint32_t capability) {
  enum { OF_MAJOR = 10 };
  uint32_t chosen = 0;
  Fatbin fatbin;
  FatbinEntry entry;
  bool more = true;
  Error err;
  if (fatbin_open(&fatbin, bytes, length, &err) != OK) return 0;
  while (fatbin_next(&fatbin, &entry, &more, &err) == OK && more) {
    if (entry.kind != FATBIN_ELF || entry.architecture / OF_MAJOR != capability / OF_MAJOR)
      continue;
    if (!chosen || suits_better(entry.architecture, chosen, capability))
      chosen = entry.architecture;
  }
  return chosen;
}

static Status unpack_lz4(const FatbinEntry *entry, char *text, Error *err) {
  int got = LZ4_decompress_safe((const char *)entry->payload, text, (int)entry->compressed_bytes,
                                (int)entry->text_bytes);
  if (got < 0 || (uint64_t)got != entry->text_bytes)
    return error_set(err, ERR_SYNTAX, "corrupt LZ4 data in a fat binary entry");
  return OK;
}

static Status unpack_zstd(const FatbinEntry *entry, char *text, Error *err) {
  size_t got = ZSTD_decompress(text, entry->text_bytes, entry->payload, entry->compressed_bytes);
  if (ZSTD_isError(got))
    return error_set(err, ERR_SYNTAX, "corrupt ZSTD data in a fat binary entry: %s",
                     ZSTD_getErrorName(got));
  if (got != entry->text_bytes)
    return error_set(err, ERR_SYNTAX, "a fat binary entry has %zu bytes instead of %" PRIu64, got,
                     entry->text_bytes);
  return OK;
}

static Status check_sizes(const FatbinEntry *entry, Error *err) {
  if (entry->compressed_bytes > entry->payload_bytes)
    return error_set(err, ERR_SYNTAX,
                     "a fat binary entry of %" PRIu64 " bytes claims to hold %" PRIu64,
                     entry->payload_bytes, entry->compressed_bytes);
  uint64_t bytes = entry->compressed_bytes ? entry->text_bytes : entry->payload_bytes;
  if (bytes > MAX_TEXT_BYTES)
    return error_set(err, ERR_LIMIT, "a fat binary entry of %" PRIu64 " bytes", bytes);
  if (entry->compressed_bytes && !entry->is_lz4 && !entry->is_zstd)
    return error_set(err, ERR_UNSUPPORTED, "fat binary entry with unknown compression");
  return OK;
}

Status fatbin_unpack_bytes(const FatbinEntry *entry, char **unpacked, size_t *length, Error *err) {
  TRY(check_sizes(entry, err));
  uint64_t bytes = entry->compressed_bytes ? entry->text_bytes : entry->payload_bytes;
  char *out = memory_alloc(bytes + 1);
  Status status = OK;
  if (!entry->compressed_bytes)
    memcpy(out, entry->payload, bytes);
  else
    status = entry->is_lz4 ? unpack_lz4(entry, out, err) : unpack_zstd(entry, out, err);
  if (status != OK) {
    memory_free(out);
    return status;
  }
  *length = bytes;
  *unpacked = out;
  return OK;
}

Status fatbin_unpack(const FatbinEntry *entry, char **text, size_t *length, Error *err) {
  TRY(fatbin_unpack_bytes(entry, text, length, err));
  // Padding may follow.
  *length = strnlen(*text, *length);
  return OK;
}
