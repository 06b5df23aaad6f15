// SPDX-License-Identifier: MIT
// One stream over three decompressors. Each takes from the same input buffer and says how far it
// came; concatenated streams, as pigz and pzstd write them, follow one another.
#include "frontends/accelsim/byte_source.h"

#include <errno.h>
#include <lzma.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/memory.h"

// xz -9 needs 65 MB to decompress; what asks for more is hostile.
enum { INPUT_BYTES = 1 << 16, XZ_MEMORY_BYTES = 256 << 20, ZSTD_WINDOW_LOG = 27 };

typedef enum Packing { PACKING_NONE, PACKING_GZIP, PACKING_XZ, PACKING_ZSTD } Packing;

struct ByteSource {
  FILE *file;
  const char *path;  // the caller's
  Packing packing;
  bool is_inside;  // a compressed stream that has not ended
  z_stream gzip;
  lzma_stream xz;
  ZSTD_DStream *zstd;
  size_t at, count;  // of the input
  uint8_t input[INPUT_BYTES];
};

static Status refill(ByteSource *source, Error *err) {
  if (source->at < source->count) return OK;
  source->at = 0;
  source->count = fread(source->input, 1, sizeof source->input, source->file);
  if (ferror(source->file))
    return error_set(err, ERR_IO, "%s: cannot read: %s", source->path, strerror(errno));
  return OK;
}

static Packing packing_of(const uint8_t *bytes, size_t count) {
  static const uint8_t gzip[] = {0x1f, 0x8b}, zstd[] = {0x28, 0xb5, 0x2f, 0xfd},
                       xz[] = {0xfd, '7', 'z', 'X', 'Z', 0};
  if (count >= sizeof gzip && !memcmp(bytes, gzip, sizeof gzip)) return PACKING_GZIP;
  if (count >= sizeof xz && !memcmp(bytes, xz, sizeof xz)) return PACKING_XZ;
  if (count >= sizeof zstd && !memcmp(bytes, zstd, sizeof zstd)) return PACKING_ZSTD;
  return PACKING_NONE;
}

static Status begin(ByteSource *source, Error *err) {
  enum { GZIP_FORMAT = 16 + MAX_WBITS };
  bool is_ready = true;
  switch (source->packing) {
    case PACKING_NONE: break;
    case PACKING_GZIP: is_ready = inflateInit2(&source->gzip, GZIP_FORMAT) == Z_OK; break;
    case PACKING_XZ:
      is_ready = lzma_stream_decoder(&source->xz, XZ_MEMORY_BYTES, LZMA_CONCATENATED) == LZMA_OK;
      break;
    case PACKING_ZSTD:
      source->zstd = ZSTD_createDStream();
      is_ready = source->zstd && !ZSTD_isError(ZSTD_initDStream(source->zstd));
      if (is_ready) ZSTD_DCtx_setParameter(source->zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG);
      break;
  }
  return is_ready ? OK : error_set(err, ERR_IO, "%s: cannot start decompression", source->path);
}

Status byte_source_open(ByteSource **opened, const char *path, Error *err) {
  FILE *file = fopen(path, "rb");
  if (!file) return error_set(err, ERR_IO, "%s: cannot open: %s", path, strerror(errno));
  ByteSource *source = memory_alloc(sizeof *source);
  *source = (ByteSource){.file = file, .path = path, .xz = LZMA_STREAM_INIT};
  Status status = refill(source, err);
  if (status == OK) {
    source->packing = packing_of(source->input, source->count);
    status = begin(source, err);
  }
  if (status != OK) {
    byte_source_close(source);
    return status;
  }
  *opened = source;
  return OK;
}

static Status damaged(const ByteSource *source, const char *why, Error *err) {
  return error_set(err, ERR_SYNTAX, "%s: damaged compressed data: %s", source->path, why);
}

static Status inflate_some(ByteSource *source, uint8_t *to, size_t size, size_t *got, Error *err) {
  z_stream *stream = &source->gzip;
  if (!source->is_inside && inflateReset(stream) != Z_OK) return damaged(source, "gzip", err);
  source->is_inside = true;
  stream->next_in = source->input + source->at;
  stream->avail_in = (uInt)(source->count - source->at);
  stream->next_out = to;
  stream->avail_out = (uInt)size;
  int code = inflate(stream, Z_NO_FLUSH);
  source->at = source->count - stream->avail_in;
  *got = size - stream->avail_out;
  if (code == Z_STREAM_END) source->is_inside = false;
  if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
    return damaged(source, stream->msg ? stream->msg : "gzip", err);
  return OK;
}

// With LZMA_CONCATENATED the decoder must be told of the end of the file.
static Status unxz_some(ByteSource *source, uint8_t *to, size_t size, size_t *got, Error *err) {
  lzma_stream *stream = &source->xz;
  bool is_end = source->at == source->count;
  source->is_inside = true;
  stream->next_in = source->input + source->at;
  stream->avail_in = source->count - source->at;
  stream->next_out = to;
  stream->avail_out = size;
  lzma_ret code = lzma_code(stream, is_end ? LZMA_FINISH : LZMA_RUN);
  source->at = source->count - stream->avail_in;
  *got = size - stream->avail_out;
  if (code == LZMA_STREAM_END) source->is_inside = false;
  if (code == LZMA_MEMLIMIT_ERROR) return damaged(source, "it needs more than 256 MB", err);
  if (code != LZMA_OK && code != LZMA_STREAM_END && code != LZMA_BUF_ERROR)
    return damaged(source, "xz", err);
  return OK;
}

static Status unzstd_some(ByteSource *source, uint8_t *to, size_t size, size_t *got, Error *err) {
  ZSTD_inBuffer input = {source->input, source->count, source->at};
  ZSTD_outBuffer output = {to, size, 0};
  size_t left = ZSTD_decompressStream(source->zstd, &output, &input);
  if (ZSTD_isError(left)) return damaged(source, ZSTD_getErrorName(left), err);
  source->at = input.pos;
  *got = output.pos;
  source->is_inside = left != 0;
  return OK;
}

static Status unpack_some(ByteSource *source, uint8_t *to, size_t size, size_t *got, Error *err) {
  switch (source->packing) {
    case PACKING_GZIP: return inflate_some(source, to, size, got, err);
    case PACKING_XZ: return unxz_some(source, to, size, got, err);
    case PACKING_ZSTD: return unzstd_some(source, to, size, got, err);
    default: break;
  }
  *got = source->count - source->at < size ? source->count - source->at : size;
  memcpy(to, source->input + source->at, *got);
  source->at += *got;
  return OK;
}

Status byte_source_read(ByteSource *source, void *bytes, size_t size_bytes, size_t *got,
                        Error *err) {
  *got = 0;
  while (!*got) {
    TRY(refill(source, err));
    bool is_end = source->at == source->count;
    if (is_end && !source->is_inside) return OK;
    TRY(unpack_some(source, bytes, size_bytes, got, err));
    if (is_end && !*got && source->is_inside)
      return error_set(err, ERR_SYNTAX, "%s: the file is truncated", source->path);
  }
  return OK;
}

void byte_source_close(ByteSource *source) {
  if (!source) return;
  if (source->packing == PACKING_GZIP) inflateEnd(&source->gzip);
  lzma_end(&source->xz);
  ZSTD_freeDStream(source->zstd);
  fclose(source->file);
  memory_free(source);
}
