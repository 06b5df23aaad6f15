// SPDX-License-Identifier: MIT
// A stand-in for NVIDIA's assembler, for clang to call. The simulator runs PTX,
// so what would become machine code stays as it is: the input is copied.
//
//   ptxas [options] --output-file OUT IN
#include <errno.h>
#include <stdio.h>
#include <string.h>

static int fail(const char *what, const char *path) {
  fprintf(stderr, "ptxas (heddle): %s %s: %s\n", what, path, strerror(errno));
  return 1;
}

static int copy(const char *from, const char *to) {
  char block[65536];
  size_t length;
  FILE *in = fopen(from, "rb");
  if (!in) return fail("cannot read", from);
  FILE *out = fopen(to, "wb");
  if (!out) {
    fclose(in);
    return fail("cannot write", to);
  }
  while ((length = fread(block, 1, sizeof block, in)) > 0) fwrite(block, 1, length, out);
  int failed = ferror(in) || ferror(out);
  fclose(in);
  return fclose(out) != 0 || failed ? fail("cannot write", to) : 0;
}

// Options that take the next word; the only word left over is the input.
int main(int argc, char **argv) {
  const char *output = NULL, *input = NULL;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--output-file") == 0 || strcmp(argv[i], "-o") == 0)
      output = i + 1 < argc ? argv[++i] : NULL;
    else if (strcmp(argv[i], "--gpu-name") == 0)
      i++;
    else if (argv[i][0] != '-')
      input = argv[i];
  }
  if (!input || !output) {
    fprintf(stderr, "ptxas (heddle): usage: ptxas --output-file OUT IN\n");
    return 2;
  }
  return copy(input, output);
}
