// SPDX-License-Identifier: MIT
// Formats and writes the records of a dump, as CSV or binary, compressed or not.
#include "observers/dumps/dump.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zstd.h>

#include "base/files/file.h"
#include "base/memory.h"

enum { BUFFER_BYTES = 1 << 16, LINE_BYTES = 256, COMPRESSION_LEVEL = 3 };

struct DumpOutput {
  FILE *file;
  ZSTD_CCtx *compressor;  // NULL: as it is
  int failure;            // errno of the first write that failed
  bool has_header;
  uint64_t bytes;  // written
  size_t used;
  char buffer[BUFFER_BYTES];
};

// ---- bytes

static void write_out(DumpOutput *output, const void *bytes, size_t count) {
  if (output->failure || !count) return;
  if (fwrite(bytes, 1, count, output->file) != count) output->failure = errno ? errno : EIO;
  output->bytes += count;
}

// end: completes the compressed frame, so that the file can be read; more may follow in another.
static void flush(DumpOutput *output, bool end) {
  if (!output->compressor) {
    write_out(output, output->buffer, output->used);
  } else {
    char packed[BUFFER_BYTES];
    ZSTD_inBuffer in = {output->buffer, output->used, 0};
    for (size_t left = 1; left && !output->failure;) {
      ZSTD_outBuffer out = {packed, sizeof packed, 0};
      left =
          ZSTD_compressStream2(output->compressor, &out, &in, end ? ZSTD_e_end : ZSTD_e_continue);
      if (ZSTD_isError(left)) output->failure = EIO;
      write_out(output, packed, out.pos);
      if (!end && in.pos == in.size) break;
    }
  }
  output->used = 0;
  if (end && fflush(output->file) != 0 && !output->failure) output->failure = errno;
}

static void put(DumpOutput *output, const void *bytes, size_t count) {
  if (output->used + count > sizeof output->buffer) flush(output, false);
  memcpy(output->buffer + output->used, bytes, count);
  output->used += count;
}

// ---- formats

static const char *const access_names[] = {"load", "store", "atomic", "prefetch"};

static const char *const outcome_names[] = {[OUTCOME_HIT] = "hit",
                                            [OUTCOME_MERGE] = "merge",
                                            [OUTCOME_MISS] = "miss",
                                            [OUTCOME_BYPASS] = "bypass"};

static const char *outcome_of(const MemEvent *event) {
  return event->kind == EVENT_ACCESS ? outcome_names[event->outcome] : "";
}

static const char *space_of(const MemEvent *event) {
  return event->space == SPACE_GENERIC ? "instruction" : space_name((Space)event->space);
}

static void put_csv(DumpOutput *output, const MemEvent *event) {
  char line[LINE_BYTES], sm[8] = "", where[16] = ",";
  const Requester *by = &event->requester;
  if (by->sm != UINT16_MAX) snprintf(sm, sizeof sm, "%u", by->sm);
  if (event->kind != EVENT_ACCESS)
    snprintf(where, sizeof where, "%u,%u", event->channel, event->slice);
  int length = snprintf(
      line, sizeof line, "%" PRIu64 ",%s,%s,0x%" PRIx64 ",%u,%s,%u,%" PRIu64 ",%u,%u,%s,%s\n",
      event->cycle, access_names[event->access], space_of(event), event->address, event->bytes, sm,
      by->kernel, by->cta, by->warp_in_cta, by->pc, outcome_of(event), where);
  put(output, line, (size_t)length);
}

static void put_binary(DumpOutput *output, const MemEvent *event) {
  bool is_access = event->kind == EVENT_ACCESS;
  const Requester *by = &event->requester;
  DumpRecord record = {.cycle = event->cycle,
                       .address = event->address,
                       .cta = by->cta,
                       .kernel = by->kernel,
                       .pc = by->pc,
                       .bytes = event->bytes,
                       .sm = by->sm,
                       .warp = by->warp_in_cta,
                       .access = event->access,
                       .space = event->space,
                       .outcome = is_access ? event->outcome : 0,
                       .channel = is_access ? 0 : event->channel,
                       .slice = is_access ? 0 : event->slice};
  put(output, &record, sizeof record);
}

// Ramulator: "0x12345680 R"; Ramulator 2, LoadStoreTrace: "LD 0x12345680". Atomics read and write:
// the L2 does both, and its requests to DRAM are told apart.
static void put_ramulator(DumpOutput *output, const MemEvent *event, bool is_second) {
  char line[64];
  bool writes = event->access == ACCESS_STORE || event->access == ACCESS_ATOMIC;
  int length =
      is_second
          ? snprintf(line, sizeof line, "%s 0x%" PRIx64 "\n", writes ? "ST" : "LD", event->address)
          : snprintf(line, sizeof line, "0x%" PRIx64 " %s\n", event->address, writes ? "W" : "R");
  put(output, line, (size_t)length);
}

static void put_header(Dump *dump, EventKind kind) {
  static const char line[] =
      "cycle,access,space,address,bytes,sm,kernel,cta,warp,pc,outcome,channel,slice\n";
  DumpHeader header = {.version = 1,
                       .record_bytes = sizeof(DumpRecord),
                       .level = kind == EVENT_ACCESS ? 0
                                : kind == EVENT_L2   ? 1
                                                     : 2};
  memcpy(header.magic, "HEDDLEmd", sizeof header.magic);
  dump->output->has_header = true;
  if (dump->format == DUMP_CSV) put(dump->output, line, sizeof line - 1);
  if (dump->format == DUMP_BINARY) put(dump->output, &header, sizeof header);
}

static void put_event(Dump *dump, const MemEvent *event) {
  switch ((DumpFormat)dump->format) {
    case DUMP_CSV: put_csv(dump->output, event); break;
    case DUMP_BINARY: put_binary(dump->output, event); break;
    case DUMP_RAMULATOR: put_ramulator(dump->output, event, false); break;
    case DUMP_RAMULATOR2: put_ramulator(dump->output, event, true); break;
  }
}

// ---- the observers

Status dump_init(void *state, const PolicySetup *setup, Error *err) {
  Dump *dump = state;
  (void)setup;
  if (!*dump->file) return OK;
  FILE *file = fopen(dump->file, "wbe");
  if (!file) return error_set(err, ERR_IO, "cannot write %s: %s", dump->file, strerror(errno));
  dump->output = memory_alloc(sizeof *dump->output);
  dump->output->file = file;
  if (!path_ends_with(dump->file, ".zst")) return OK;
  dump->output->compressor = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(dump->output->compressor, ZSTD_c_compressionLevel, COMPRESSION_LEVEL);
  ZSTD_CCtx_setParameter(dump->output->compressor, ZSTD_c_checksumFlag, 1);
  return OK;
}

void dump_events(Dump *dump, EventKind kind, const MemEvent *events, uint32_t count) {
  if (!dump->output) return;
  for (uint32_t i = 0; i < count; i++) {
    if (events[i].kind != kind) continue;
    if (!dump->output->has_header) put_header(dump, kind);
    put_event(dump, &events[i]);
    dump->records++;
  }
}

const RowLabel dump_labels[] = {ROW_LABEL(DumpRow, file, "dump file"),
                                ROW_LABEL(DumpRow, problem, "reason if incomplete"),
                                {0}};
const Stat dump_columns[] = {STAT_COUNT(DumpRow, records, "requests written"),
                             STAT_COUNT(DumpRow, bytes, "size of the file"),
                             {0}};

void dump_report(Dump *dump, const ResultTableType *type, ResultTables *tables) {
  if (!dump->output) return;
  flush(dump->output, true);
  DumpRow row = {.file = dump->file,
                 .problem = dump->output->failure ? strerror(dump->output->failure) : "",
                 .records = dump->records,
                 .bytes = dump->output->bytes};
  result_tables_add(tables, type, &row, 1);
}

void dump_clear(void *state) {
  Dump *dump = state;
  if (!dump->output) return;
  flush(dump->output, true);
  ZSTD_freeCCtx(dump->output->compressor);
  fclose(dump->output->file);
  memory_free(dump->output);
}

static const char *const formats[] = {"csv", "binary", "ramulator", "ramulator2", NULL};

const Param dump_params[] = {
    PARAM_TEXT(Dump, file, "",
               "output file, compressed if it ends with .zst; without it, nothing is written"),
    PARAM_CHOICE(Dump, format, DUMP_CSV, formats, "format of the file"),
    {0}};
