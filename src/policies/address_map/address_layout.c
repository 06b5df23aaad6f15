// SPDX-License-Identifier: MIT
// Common part of the address maps: blocks of addresses are interleaved over the channels, and the
// remaining bits select slice, bank, row and column.
#include "policies/address_map/address_layout.h"

#include <assert.h>
#ifdef __BMI2__
#include <immintrin.h>
#endif
#include <string.h>

enum { MAX_ROW_BITS = 31 };  // so that a row is never DRAM_NO_ROW

static bool is_power_of_two(uint32_t n) {
  return n && !(n & (n - 1));
}
static uint32_t log2_of(uint32_t n) {
  return (uint32_t)__builtin_ctz(n);
}

// Fields.

// Appends bit `from` above the existing bits of the field.
// Adjacent bits form one run: most fields take one or two shifts and masks per address.
static void field_add(BitField *field, uint32_t from) {
  uint32_t to = field->width++;
  field->bits |= UINT64_C(1) << from;
  BitRun *last = field->run_count ? &field->runs[field->run_count - 1] : NULL;
  if (last && from - last->from == to - last->to) {
    last->mask = last->mask << 1 | 1;
    return;
  }
  assert(field->run_count < LAYOUT_MAX_RUNS);
  field->runs[field->run_count++] = (BitRun){1, from, to};
}

// Every access is located: one instruction per field where the host has it.
static uint64_t field_of(const BitField *field, uint64_t number) {
#ifdef __BMI2__
  return _pext_u64(number, field->bits);
#else
  uint64_t value = 0;
  for (uint32_t i = 0; i < field->run_count; i++) {
    const BitRun *run = &field->runs[i];
    value |= (number >> run->from & run->mask) << run->to;
  }
  return value;
#endif
}

// Layouts.

static Status parse_layout(AddressLayout *layout, Error *err) {
  uint32_t bit = 0;
  for (size_t i = strlen(layout->layout); i-- > 0;) {
    char letter = layout->layout[i];
    if (strchr(".| ", letter)) continue;
    if (bit == 64) return error_set(err, ERR_CONFIG, "layout: more than 64 bits");
    switch (letter) {
      case 'R':
      case 'r': field_add(&layout->row, bit++); break;
      case 'B':
      case 'b': field_add(&layout->bank, bit++); break;
      case 'C':
      case 'c':
      case 'S':
      case 's': field_add(&layout->column, bit++); break;
      case '0': bit++; break;
      default:
        return error_set(err, ERR_CONFIG,
                         "layout: invalid character '%c'; expected R, B, C, S or 0", letter);
    }
  }
  return OK;
}

// From the lowest bit up: column bits below the channel, the banks that select a slice, the
// rest of the column, the other banks, the row. Streams thus change slices before they change
// rows.
static void make_layout(AddressLayout *layout, const AddressMapView *view) {
  uint32_t bit = 0, banks = log2_of(view->banks), columns = log2_of(view->row_bytes);
  uint32_t slices = log2_of(view->slices_per_channel);
  while (layout->column.width < columns && bit < layout->channel_shift)
    field_add(&layout->column, bit++);
  while (layout->bank.width < slices) field_add(&layout->bank, bit++);
  while (layout->column.width < columns) field_add(&layout->column, bit++);
  while (layout->bank.width < banks) field_add(&layout->bank, bit++);
  while (layout->row.width < MAX_ROW_BITS && bit < 64) field_add(&layout->row, bit++);
}

static uint64_t slice_bits(const AddressLayout *layout, const AddressMapView *view) {
  uint64_t bits = 0;
  for (uint32_t i = 0; i < layout->bank.run_count; i++) {
    const BitRun *run = &layout->bank.runs[i];
    for (uint32_t j = run->to; run->mask >> (j - run->to) & 1; j++)
      if (j < log2_of(view->slices_per_channel)) bits |= 1ull << (run->from + j - run->to);
  }
  return bits;
}

static void remove_slice_bits(AddressLayout *layout, const AddressMapView *view) {
  uint64_t bits = slice_bits(layout, view);
  for (uint32_t bit = 0; bit < 64; bit++)
    if (!(bits >> bit & 1)) field_add(&layout->rest, bit);
}

// If the number of channels is not a power of two, the division per request is replaced with a
// multiplication by the inverse.
static void derive_division(AddressLayout *layout, const AddressMapView *view) {
  layout->low_mask = (1ull << layout->channel_shift) - 1;
  if (is_power_of_two(view->channels))
    layout->channel_log2 = log2_of(view->channels);
  else
    layout->channel_magic = UINT64_MAX / view->channels + 1;
}

// Checks.

static Status check_machine(const AddressLayout *layout, const AddressMapView *view, Error *err) {
  if (view->channels < 1 || view->bank_groups < 1)
    return error_set(err, ERR_CONFIG, "channels and bank groups must not be 0");
  if (!is_power_of_two(view->slices_per_channel) || !is_power_of_two(view->banks) ||
      !is_power_of_two(view->row_bytes) || !is_power_of_two(view->line_bytes))
    return error_set(err, ERR_CONFIG,
                     "slices per channel (%u), banks (%u), row size (%u) and line size (%u) must "
                     "be powers of two for this address map",
                     view->slices_per_channel, view->banks, view->row_bytes, view->line_bytes);
  if (view->slices_per_channel > view->banks)
    return error_set(err, ERR_CONFIG, "%u slices cannot share the %u banks of a channel",
                     view->slices_per_channel, view->banks);
  if (layout->channel_shift < log2_of(view->line_bytes) || view->row_bytes < view->line_bytes)
    return error_set(err, ERR_CONFIG,
                     "channel_shift = %u and rows of %u bytes would split lines of %u bytes",
                     layout->channel_shift, view->row_bytes, view->line_bytes);
  return OK;
}

static Status check_fields(const AddressLayout *layout, const AddressMapView *view, Error *err) {
  if (layout->bank.width != log2_of(view->banks))
    return error_set(err, ERR_CONFIG, "layout: %u bank bits for %u banks", layout->bank.width,
                     view->banks);
  if (layout->column.width != log2_of(view->row_bytes))
    return error_set(err, ERR_CONFIG, "layout: %u column bits for rows of %u bytes",
                     layout->column.width, view->row_bytes);
  if (layout->row.width > MAX_ROW_BITS)
    return error_set(err, ERR_CONFIG, "layout: %u row bits, more than %d", layout->row.width,
                     MAX_ROW_BITS);
  if (slice_bits(layout, view) & (view->line_bytes - 1))
    return error_set(err, ERR_CONFIG,
                     "layout: the lowest bank bits, which name the slice, would "
                     "split lines of %u bytes",
                     view->line_bytes);
  return OK;
}

Status address_layout_init(AddressLayout *layout, const AddressMapView *view, Error *err) {
  TRY(check_machine(layout, view, err));
  layout->bank = layout->row = layout->column = layout->rest = (BitField){0};
  layout->channel_magic = 0;
  if (layout->layout[0])
    TRY(parse_layout(layout, err));
  else
    make_layout(layout, view);
  TRY(check_fields(layout, view, err));
  remove_slice_bits(layout, view);
  derive_division(layout, view);
  return OK;
}

// Locating.

__extension__ typedef unsigned __int128 Wide;

// Multiplying by the rounded-up inverse is exact below 2^32, which is where
// the blocks of a real memory are (Lemire, Kaser and Kurz, "Faster remainder by
// direct computation", 2019).
static uint64_t divide_by_channels(const AddressLayout *layout, uint32_t channels, uint64_t block) {
  if (!layout->channel_magic) return block >> layout->channel_log2;
  if (block >> 32) return block / channels;
  return (uint64_t)((Wide)layout->channel_magic * block >> 64);
}

void address_layout_locate(const AddressLayout *layout, const AddressMapView *view,
                           uint64_t address, MemLocation *out) {
  uint64_t block = address >> layout->channel_shift;
  uint64_t round = divide_by_channels(layout, view->channels, block);
  uint64_t local = round << layout->channel_shift | (address & layout->low_mask);
  out->channel = (uint32_t)(block - round * view->channels);
  out->bank = (uint32_t)field_of(&layout->bank, local);
  out->row = (uint32_t)field_of(&layout->row, local);
  out->column = (uint32_t)field_of(&layout->column, local);
  out->slice =
      out->channel * view->slices_per_channel + (out->bank & (view->slices_per_channel - 1));
  if (layout->bank_xor) out->bank ^= out->row & (view->banks - 1);
  out->local = field_of(&layout->rest, local);
}
