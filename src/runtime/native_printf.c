// SPDX-License-Identifier: MIT
// CUDA's printf: a format and a buffer of arguments, both from the simulated program and
// therefore untrusted.
//
// Every conversion is parsed and rebuilt before the host's printf sees it: only known
// letters, and widths up to WIDEST. As on a GPU, unknown conversions, including %n, are
// printed verbatim and consume no argument.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "exec/memory/memory_access.h"
#include "runtime/native.h"

enum { WIDEST = 1024, FORMAT_BYTES = 1 << 14, STRING_BYTES = 1 << 14 };

// Source and destination of a printf.
typedef struct Printer {
  const ExecContext *context;
  const Warp *warp;
  int lane;
  uint64_t next;  // address of the next argument
  int count;      // arguments so far
  bool is_bad;    // one could not be read
  char *text;
  size_t length, capacity;
} Printer;

// A conversion: %[flags][width][.precision][size]letter
typedef struct Conversion {
  char flags[8];
  int width, precision;  // -1: not given
  bool is_long;          // l ll z j t: 8 bytes
  int halves;            // h 1, hh 2
  char letter;
} Conversion;

static void emit(Printer *printer, const char *from, size_t bytes) {
  size_t room = printer->capacity - 1 - printer->length;
  if (bytes > room) bytes = room;
  memcpy(printer->text + printer->length, from, bytes);
  printer->length += bytes;
}

static uint64_t take(Printer *printer, uint32_t bytes) {
  uint64_t value = 0;
  printer->next = (printer->next + bytes - 1) & ~(uint64_t)(bytes - 1);
  if (!exec_read_generic(printer->context, printer->warp, printer->lane, printer->next, &value,
                         bytes))
    printer->is_bad = true;
  printer->next += bytes;
  printer->count++;
  return value;
}

static int cut_number(int64_t number) {
  return number > WIDEST ? WIDEST : (int)number;
}

// Digits, or * for an argument.
static const char *read_number(Printer *printer, const char *at, int *number) {
  int64_t value = 0;
  if (*at == '*') {
    value = (int32_t)take(printer, 4);
    at++;
  }
  for (; *at >= '0' && *at <= '9'; at++)
    if (value <= WIDEST) value = value * 10 + (*at - '0');
  *number = cut_number(value);
  return at;
}

static const char *read_size(const char *at, Conversion *conversion) {
  for (;; at++) {
    if (*at == 'h')
      conversion->halves++;
    else if (*at == 'l' || *at == 'z' || *at == 'j' || *at == 't' || *at == 'L')
      conversion->is_long = true;
    else
      return at;
  }
}

// at points after the %; returns the position of the letter.
static const char *read_conversion(Printer *printer, const char *at, Conversion *conversion) {
  *conversion = (Conversion){.width = -1, .precision = -1};
  size_t flags = 0;
  for (; *at && strchr("-+ #0", *at); at++)
    if (!strchr(conversion->flags, *at)) conversion->flags[flags++] = *at;
  if (*at == '*' || (*at >= '1' && *at <= '9')) at = read_number(printer, at, &conversion->width);
  if (*at == '.') at = read_number(printer, at + 1, &conversion->precision);
  at = read_size(at, conversion);
  conversion->letter = *at;
  return at;
}

static void emit_formatted(Printer *printer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void emit_formatted(Printer *printer, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n =
      vsnprintf(printer->text + printer->length, printer->capacity - printer->length, format, args);
  va_end(args);
  if (n > 0) printer->length += (size_t)n;
  if (printer->length >= printer->capacity) printer->length = printer->capacity - 1;
}

// The rebuilt format is made of checked parts.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static void build(const Conversion *conversion, const char *size, char format[64]) {
  char width[16] = "", precision[16] = "";
  bool is_left = conversion->width < -1;  // a negative * means left-justified
  int columns =
      conversion->width < -1 ? cut_number(-(int64_t)conversion->width) : conversion->width;
  if (columns >= 0) snprintf(width, sizeof width, "%d", columns);
  if (conversion->precision >= 0)
    snprintf(precision, sizeof precision, ".%d", conversion->precision);
  snprintf(format, 64, "%%%s%s%s%s%s%c", conversion->flags, is_left ? "-" : "", width, precision,
           size, conversion->letter);
}

static void convert_integer(Printer *printer, const Conversion *conversion) {
  uint64_t value = take(printer, conversion->is_long ? 8 : 4);
  bool is_signed = conversion->letter == 'd' || conversion->letter == 'i';
  int bits = conversion->is_long ? 64 : conversion->halves == 1 ? 16 : conversion->halves ? 8 : 32;
  if (bits < 64) value <<= 64 - bits;
  if (bits < 64)
    value = is_signed ? (uint64_t)((int64_t)value >> (64 - bits)) : value >> (64 - bits);
  char format[64];
  build(conversion, "ll", format);
  emit_formatted(printer, format, (long long)value);
}

static void convert_float(Printer *printer, const Conversion *conversion) {
  uint64_t bits = take(printer, 8);
  double value;
  char format[64];
  memcpy(&value, &bits, 8);
  build(conversion, "", format);
  emit_formatted(printer, format, value);
}

static void convert_string(Printer *printer, const Conversion *conversion) {
  char string[STRING_BYTES], format[64];
  uint64_t address = take(printer, 8);
  if (printer->is_bad) return;
  if (!address)
    snprintf(string, sizeof string, "(null)");
  else if (!native_read_string(printer->context, printer->warp, printer->lane, address, string,
                               sizeof string))
    printer->is_bad = true;
  if (printer->is_bad) return;
  build(conversion, "", format);
  emit_formatted(printer, format, string);
}

static void convert_other(Printer *printer, const Conversion *conversion) {
  char format[64];
  build(conversion, "", format);
  if (conversion->letter == 'c')
    emit_formatted(printer, format, (int)(uint8_t)take(printer, 4));
  else
    emit_formatted(printer, format, (void *)(uintptr_t)take(printer, 8));
}

#pragma GCC diagnostic pop

static void convert(Printer *printer, const Conversion *conversion, const char *from,
                    size_t bytes) {
  switch (conversion->letter) {
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X': convert_integer(printer, conversion); break;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A': convert_float(printer, conversion); break;
    case 's': convert_string(printer, conversion); break;
    case 'c':
    case 'p': convert_other(printer, conversion); break;
    case '%': emit(printer, "%", 1); break;
    default: emit(printer, from, bytes); break;
  }
}

int native_format(const ExecContext *context, const Warp *warp, int lane, uint64_t format,
                  uint64_t arguments, char *text, size_t capacity, size_t *length) {
  char pattern[FORMAT_BYTES];
  Printer printer = {.context = context,
                     .warp = warp,
                     .lane = lane,
                     .next = arguments,
                     .text = text,
                     .capacity = capacity};
  if (!native_read_string(context, warp, lane, format, pattern, sizeof pattern)) return -1;
  for (const char *at = pattern; *at && !printer.is_bad;) {
    const char *percent = strchr(at, '%');
    size_t plain = percent ? (size_t)(percent - at) : strlen(at);
    emit(&printer, at, plain);
    at += plain;
    if (!percent) break;
    Conversion conversion;
    at = read_conversion(&printer, percent + 1, &conversion);
    if (*at) at++;
    convert(&printer, &conversion, percent, (size_t)(at - percent));
  }
  *length = printer.length;
  return printer.is_bad ? -1 : printer.count;
}
