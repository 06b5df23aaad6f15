// SPDX-License-Identifier: MIT
// A stand-in for NVIDIA's fatbinary, for clang and `heddle cc` to call: puts PTX files into the
// container that programs register with the runtime.
//
//   fatbinary [options] --create OUT --image=profile=compute_70,file=IN ...
//
// A header of 16 bytes, then for each image an entry of 64 bytes and its text,
// not compressed, with a NUL behind it, padded to 8 bytes. Images of machine code
// (profile=sm_*) are copies of the same PTX and left out.
//
// In relocatable code clang 14 renames a static variable to NAME__static__HASH when it
// finds that the host uses it, too. Code emitted before that refers to NAME, as an
// external variable that no module defines. Such references are renamed here.
#define _POSIX_C_SOURCE 200809L  // open_memstream
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRY_BYTES = 64, MAX_IMAGES = 64, MAX_TEXT_BYTES = 1 << 30 };

typedef struct Image {
  const char *path;
  char *text;
  uint64_t size_bytes;  // with the NUL and the padding
  uint32_t sm;
} Image;

static int fail(const char *what, const char *path) {
  fprintf(stderr, "fatbinary (heddle): %s %s: %s\n", what, path,
          errno ? strerror(errno) : "nothing in it");
  return 1;
}

static void put(unsigned char *at, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; i++) at[i] = (unsigned char)(value >> 8 * i);
}

// With the NUL and the padding.
static uint64_t image_size(uint64_t length) {
  return (length + 1 + 7) / 8 * 8;
}

// ---- static variables

static int is_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static size_t word_length(const char *at) {
  size_t length = 0;
  while (is_word(at[length])) length++;
  return length;
}

// Where NAME__static__HASH stands in a text.
typedef struct Static {
  const char *name, *ending;  // the ending is "__static__HASH"
} Static;

typedef struct Statics {
  Static *items;
  size_t count;
} Statics;

// The ending of a variable's full name; NULL: not a static variable.
static const char *static_ending(const Statics *statics, const char *name, size_t length) {
  for (size_t i = 0; i < statics->count; i++) {
    const Static *it = &statics->items[i];
    if ((size_t)(it->ending - it->name) == length && memcmp(it->name, name, length) == 0)
      return it->ending;
  }
  return NULL;
}

static void find_statics(Statics *statics, const char *text) {
  for (const char *at = text; (at = strstr(at, "__static__")); at++) {
    const char *name = at;
    while (name > text && is_word(name[-1])) name--;
    if (static_ending(statics, name, (size_t)(at - name))) continue;
    Static *more = realloc(statics->items, sizeof *more * (statics->count + 1));
    if (!more) return;
    statics->items = more;
    statics->items[statics->count++] = (Static){name, at};
  }
}

// Copies a line, with full names.
static void copy_line(const Statics *statics, const char *line, size_t bytes, FILE *to) {
  for (const char *at = line; at < line + bytes;) {
    size_t length = word_length(at);
    const char *ending = length ? static_ending(statics, at, length) : NULL;
    fwrite(at, 1, length ? length : 1, to);
    if (ending) fwrite(ending, 1, word_length(ending), to);
    at += length ? length : 1;
  }
}

// Whether a line declares a variable that is defined under its full name.
static int is_needless(const Statics *statics, const char *line, size_t bytes) {
  static const char keyword[] = ".extern ";
  if (strncmp(line, keyword, sizeof keyword - 1) != 0) return 0;
  for (const char *at = line; at < line + bytes; at++) {
    size_t length = word_length(at);
    if (length && static_ending(statics, at, length)) return 1;
    at += length;
  }
  return 0;
}

static int image_name_statics(Image *image) {
  Statics statics = {0};
  find_statics(&statics, image->text);
  if (!statics.count) return 0;
  char *named = NULL;
  size_t length = 0;
  FILE *to = open_memstream(&named, &length);
  for (const char *line = image->text; to && *line;) {
    size_t bytes = strcspn(line, "\n");
    bytes += line[bytes] == '\n';
    if (!is_needless(&statics, line, bytes)) copy_line(&statics, line, bytes, to);
    line += bytes;
  }
  free(statics.items);
  // Padding up to the whole size, a NUL at least.
  for (size_t i = length; to && i < image_size(length); i++) fputc('\0', to);
  if (!to || fclose(to) != 0) return fail("cannot use", image->path);
  free(image->text);
  image->text = named;
  image->size_bytes = image_size(length);
  return 0;
}

// ---- images

static int image_read(Image *image) {
  FILE *file = fopen(image->path, "rb");
  if (!file) return fail("cannot read", image->path);
  long length = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  errno = 0;
  if (length <= 0 || length > MAX_TEXT_BYTES) {
    fclose(file);
    return fail("cannot use", image->path);
  }
  rewind(file);
  image->size_bytes = image_size((size_t)length);
  image->text = calloc(image->size_bytes, 1);
  int complete = image->text && fread(image->text, 1, (size_t)length, file) == (size_t)length;
  fclose(file);
  return complete ? image_name_statics(image) : fail("cannot read", image->path);
}

static void image_write(const Image *image, FILE *file) {
  unsigned char entry[ENTRY_BYTES] = {0};
  put(entry + 0x00, 1, 2);  // PTX
  put(entry + 0x02, 0x101, 2);
  put(entry + 0x04, ENTRY_BYTES, 4);
  put(entry + 0x08, image->size_bytes, 8);
  put(entry + 0x18, 5, 2);  // PTX 7.5
  put(entry + 0x1a, 7, 2);
  put(entry + 0x1c, image->sm, 4);
  put(entry + 0x28, 0x11, 8);
  fwrite(entry, 1, sizeof entry, file);
  fwrite(image->text, 1, image->size_bytes, file);
}

static int container_write(const Image *images, int count, const char *path) {
  unsigned char header[16] = {0};
  uint64_t size = 0;
  for (int i = 0; i < count; i++) size += ENTRY_BYTES + images[i].size_bytes;
  put(header, 0xBA55ED50u, 4);
  put(header + 4, 1, 2);
  put(header + 6, sizeof header, 2);
  put(header + 8, size, 8);
  FILE *file = fopen(path, "wb");
  if (!file) return fail("cannot write", path);
  fwrite(header, 1, sizeof header, file);
  for (int i = 0; i < count; i++) image_write(&images[i], file);
  int failed = ferror(file);
  return fclose(file) != 0 || failed ? fail("cannot write", path) : 0;
}

// "--image=profile=compute_70,file=a.s"; machine code is no image of ours.
static int image_parse(Image *image, const char *word) {
  static const char profile[] = "--image=profile=compute_";
  if (strncmp(word, profile, sizeof profile - 1) != 0) return 0;
  const char *file = strstr(word, ",file=");
  if (!file) return 0;
  *image = (Image){.path = file + 6, .sm = (uint32_t)atoi(word + sizeof profile - 1)};
  return 1;
}

int main(int argc, char **argv) {
  Image images[MAX_IMAGES];
  int count = 0, status = 0;
  const char *output = NULL;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--create") == 0)
      output = i + 1 < argc ? argv[++i] : NULL;
    else if (strncmp(argv[i], "--create=", 9) == 0)
      output = argv[i] + 9;
    else if (count < MAX_IMAGES && image_parse(&images[count], argv[i]))
      count++;
  }
  if (!output || count == 0) {
    fprintf(stderr,
            "fatbinary (heddle): usage: fatbinary --create OUT "
            "--image=profile=compute_70,file=IN ...\n");
    return 2;
  }
  for (int i = 0; i < count && status == 0; i++) status = image_read(&images[i]);
  if (status == 0) status = container_write(images, count, output);
  for (int i = 0; i < count; i++) free(images[i].text);
  return status;
}
