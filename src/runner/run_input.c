// SPDX-License-Identifier: MIT
// Detects inputs of `heddle run` that it cannot run as they are, such as sources, PTX and object
// files, and says by which commands they can be run.
#include "runner/run_input.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/files/file.h"
#include "runner/case/ptx_case.h"
#include "frontends/casefile/case.h"
#include "frontends/fatbin/cubin.h"

static int stem_length(const char *path) {
  const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
  return (int)(dot ? (size_t)(dot - path) : strlen(path));
}

// A program is searched for in PATH unless its name has a slash.
static const char *here(const char *path) {
  return strchr(path, '/') ? "" : "./";
}

static Status refuse_source(const char *path, const char *kind, Error *err) {
  int stem = stem_length(path);
  return error_set(err, ERR_USAGE,
                   "%s is %s; build a program from it, and run that:\n"
                   "  heddle cc %s -o %.*s\n  heddle run -- %s%.*s",
                   path, kind, path, stem, path, here(path), stem, path);
}

static Status refuse_ptx(const char *path, Error *err) {
  Arena arena = {0};
  const char *text;
  Status status = ptx_case_text(path, &arena, &text, err);
  int stem = stem_length(path);
  if (status == OK && text)
    status = error_set(err, ERR_USAGE,
                       "%s is PTX, without a launch configuration; write a case file, such as "
                       "%.*s.case (tests/reference/README.md describes the format):\n%s"
                       "and run it:\n  heddle run %.*s.case",
                       path, stem, path, text, stem, path);
  else if (status == OK)
    status = error_set(err, ERR_USAGE,
                       "%s is PTX without a kernel that a case file can launch (all have structs "
                       "as parameters); run a program that launches it: heddle run -- PROGRAM",
                       path);
  arena_clear(&arena);
  return status;
}

static Status refuse_gpu_code(const char *path, const char *kind, Error *err) {
  return error_set(err, ERR_USAGE,
                   "%s is %s, without a host program; Heddle runs PTX: run the program that loads "
                   "it (heddle run -- PROGRAM), or compile the source to PTX and write a case file "
                   "(tests/reference/README.md)",
                   path, kind);
}

static Status check_elf(const char *path, const Elf64_Ehdr *header, bool is_program, Error *err) {
  if (header->e_machine == CUBIN_MACHINE)
    return refuse_gpu_code(path, "machine code of a GPU (a cubin)", err);
  if (header->e_type == ET_REL) return refuse_source(path, "an object file", err);
  if (is_program) return OK;
  return error_set(err, ERR_USAGE, "%s is a program; use heddle run -- %s%s", path, here(path),
                   path);
}

static Status check_content(const char *path, bool is_program, Error *err) {
  static const char fatbin[] = "\x50\xed\x55\xba";
  Elf64_Ehdr start = {0};
  size_t got;
  TRY(file_read_prefix(path, &start, sizeof start, &got, err));
  if (memcmp(&start, ELFMAG, SELFMAG) == 0) return check_elf(path, &start, is_program, err);
  if (memcmp(&start, fatbin, strlen(fatbin)) == 0)
    return refuse_gpu_code(path, "a fat binary", err);
  if (is_program || memcmp(&start, "#!", 2) != 0) return OK;
  return error_set(err, ERR_USAGE, "%s is a script; use heddle run -- %s%s", path, here(path),
                   path);
}

static bool is_source(const char *path) {
  static const char *const endings[] = {".cu", ".c", ".cc", ".cpp", ".cxx"};
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (path_ends_with(path, endings[i])) return true;
  return false;
}

static Status check_file(const char *path, bool is_program, Error *err) {
  if (is_source(path)) return refuse_source(path, "a source file", err);
  if (path_ends_with(path, ".ptx")) return refuse_ptx(path, err);
  return path_ends_with(path, CASE_ENDING) ? OK : check_content(path, is_program, err);
}

Status run_input_check(const char *path, bool is_program, Error *err) {
  struct stat about;
  if (stat(path, &about) != 0) {
    bool is_file = is_source(path) || path_ends_with(path, ".ptx");
    return is_file ? error_set(err, ERR_IO, "cannot open %s: %s", path, strerror(errno)) : OK;
  }
  if (S_ISDIR(about.st_mode))
    return error_set(err, ERR_USAGE,
                     "%s is a directory; run a case file (heddle run FILE.case), a workload "
                     "(`heddle list workloads`) or a program (heddle run -- PROGRAM)",
                     path);
  // Pipes and devices would block.
  return S_ISREG(about.st_mode) ? check_file(path, is_program, err) : OK;
}
