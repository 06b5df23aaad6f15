// SPDX-License-Identifier: MIT
// Sources are next to heddle: workloads/source in a build tree (a link to the
// repository's folder), ../share/heddle/workloads after installation. A program is
// built under a temporary name and then renamed, so that several processes may build
// it concurrently and none runs an incomplete file.
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/files/own_folder.h"
#include "base/digest.h"
#include "cc/build.h"
#include "clustering/rewriting.h"
#include "runner/program/workload.h"

enum { FOLDER_BYTES = OWN_FOLDER_BYTES + 32 };

static Status find_sources(const char *own, char folder[FOLDER_BYTES], Error *err) {
  snprintf(folder, FOLDER_BYTES, "%s/workloads/source", own);
  if (access(folder, R_OK) == 0) return OK;
  snprintf(folder, FOLDER_BYTES, "%s/../share/heddle/workloads", own);
  if (access(folder, R_OK) == 0) return OK;
  return error_set(err, ERR_IO, "workload sources not found in %s/workloads/source or %s", own,
                   folder);
}

// ---- folder of the programs

static bool may_write(const char *folder) {
  return (mkdir(folder, 0777) == 0 || errno == EEXIST) && access(folder, W_OK | X_OK) == 0;
}

// Creates every folder on the path; its first `made` bytes exist.
static bool make_folders(char *path, size_t made) {
  for (char *at = path + made; (at = strchr(at, '/')); at++) {
    *at = '\0';
    mkdir(path, 0777);
    *at = '/';
  }
  return may_write(path);
}

static Status find_cache(const char *own, char folder[FOLDER_BYTES], Error *err) {
  // In a build tree only: nothing is written next to an installed heddle.
  snprintf(folder, FOLDER_BYTES, "%s/workloads/source", own);
  bool is_build_tree = access(folder, R_OK) == 0;
  snprintf(folder, FOLDER_BYTES, "%s/workloads", own);
  if (is_build_tree && may_write(folder)) return OK;
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  int length = cache && *cache ? snprintf(folder, FOLDER_BYTES, "%s/", cache)
                               : snprintf(folder, FOLDER_BYTES, "%s/.cache/", home ? home : "");
  if (length > 0 && length < FOLDER_BYTES - 32) {
    strcat(folder, "heddle/workloads");
    if (make_folders(folder, 1)) return OK;
  }
  return error_set(
      err, ERR_IO,
      "cannot write the program to %s/workloads or %.200s; set XDG_CACHE_HOME to a writable folder",
      own, folder);
}

// ---- up-to-date check

static bool is_later(struct timespec a, struct timespec b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

// Whether a file in the folder was modified after `time`.
static bool has_later(const char *folder, struct timespec time) {
  char path[PATH_MAX];
  struct stat file;
  bool later = false;
  DIR *entries = opendir(folder);
  for (struct dirent *entry; entries && !later && (entry = readdir(entries));) {
    if (entry->d_name[0] == '.') continue;
    int length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    later = length < PATH_MAX && stat(path, &file) == 0 && is_later(file.st_mtim, time);
  }
  if (entries) closedir(entries);
  return later;
}

static bool is_fresh(const char *program, const char *own, const char *sources, const char *name) {
  char folder[PATH_MAX + WORKLOAD_NAME_BYTES];
  struct stat built;
  if (stat(program, &built) != 0) return false;
  snprintf(folder, sizeof folder, "%s/%s", sources, name);
  if (has_later(folder, built.st_mtim)) return false;
  snprintf(folder, sizeof folder, "%s/common", sources);
  if (has_later(folder, built.st_mtim)) return false;
  // What every program includes and links: a change of it may change the kernels.
  static const char *const parts[] = {"include", "include/heddle", "nvvm/libdevice"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    snprintf(folder, sizeof folder, "%s/cuda/%s", own, parts[i]);
    if (has_later(folder, built.st_mtim)) return false;
  }
  return true;
}

// ---- building

// What a build reads and writes.
typedef struct Build {
  const char *name, *rewriting;  // of the workload; NULL: as it is
  char sources[FOLDER_BYTES];    // of all workloads
  char own_sources[PATH_MAX];    // of this one
  char folder[PATH_MAX];         // of the program
  char source[PATH_MAX + 2 * WORKLOAD_NAME_BYTES];
} Build;

static Status compile(const Build *build, const char *program, Error *err) {
  // sm_35, the oldest target of clang: the code uses no feature that an older GPU lacks.
  const char *words[] = {"-O3", "-std=c++14",       "-arch=sm_35", "-I", build->sources,
                         "-I",  build->own_sources, build->source, "-o", program};
  CcRequest request;
  CcToolchain toolchain;
  Status status = cc_request_parse(&request, sizeof words / sizeof *words, words, err);
  if (status == OK) status = cc_toolchain_find(&toolchain, err);
  if (status == OK) status = cc_build(&request, &toolchain, err);
  cc_request_clear(&request);
  return status;
}

// The rewritten source is next to the program, under a name of this process until it is complete.
static Status rewrite(Build *build, Error *err) {
  const char *words[] = {"-I", build->sources, "-std=c++14", build->source};
  const char *path = build->source;
  char output[PATH_MAX + 2 * WORKLOAD_NAME_BYTES];
  RewriteRequest request = {.may_leave_some = true, .paths = &path, .path_count = 1};
  Arena arena = {0};
  snprintf(output, sizeof output, "%s/%s.%ld.cu", build->folder, build->name, (long)getpid());
  request.output = output;
  Status status = rewriting_parse(&request, build->rewriting, &arena, err);
  if (status == OK)
    status = cc_request_parse(&request.flags, sizeof words / sizeof *words, words, err);
  if (status == OK) status = rewriting_run(&request, err);
  cc_request_clear(&request.flags);
  arena_clear(&arena);
  snprintf(build->source, sizeof build->source, "%s", output);
  return status;
}

static Status make(Build *build, const char *program, Error *err) {
  char unfinished[PATH_MAX + 32];
  snprintf(unfinished, sizeof unfinished, "%s.%ld", program, (long)getpid());
  fprintf(stderr, "heddle: building the workload %s%s%s\n", build->name,
          build->rewriting ? ", clustered: " : "", build->rewriting ? build->rewriting : "");
  Status status = build->rewriting ? rewrite(build, err) : OK;
  if (status == OK) status = compile(build, unfinished, err);
  if (build->rewriting) unlink(build->source);
  if (status == OK && rename(unfinished, program) != 0)
    status = error_set(err, ERR_IO, "cannot write %s: %s", program, strerror(errno));
  if (status != OK) {
    unlink(unfinished);
    error_prefix(err, "the workload %s", build->name);
  }
  return status;
}

// Programs that are rewritten in the same way share a folder.
static Status find_folder(Build *build, const char *cache, Error *err) {
  char digest[DIGEST_BYTES];
  int length = snprintf(build->folder, PATH_MAX, "%s", cache);
  if (build->rewriting && length < PATH_MAX) {
    digest_text(build->rewriting, digest);
    length = snprintf(build->folder, PATH_MAX, "%s/rewritten-%s", cache, digest);
    mkdir(build->folder, 0777);
  }
  if (length < PATH_MAX) return OK;
  return error_set(err, ERR_IO, "%.200s...: path too long", build->folder);
}

static bool is_older_than_rewriter(const char *program) {
  char library[REWRITING_PATH_BYTES];
  struct stat built, rewriter;
  Error ignored;
  return rewriting_library(library, &ignored) == OK && stat(program, &built) == 0 &&
         stat(library, &rewriter) == 0 && is_later(rewriter.st_mtim, built.st_mtim);
}

Status workload_build(const Workload *workload, const char *rewriting, char program[PATH_MAX],
                      Error *err) {
  char own[OWN_FOLDER_BYTES], cache[FOLDER_BYTES];
  Build build = {.name = workload->program, .rewriting = rewriting};
  TRY(own_folder(own, err));
  TRY(find_sources(own, build.sources, err));
  TRY(find_cache(own, cache, err));
  TRY(find_folder(&build, cache, err));
  int length = snprintf(program, PATH_MAX, "%s/%s", build.folder, build.name);
  if (length >= PATH_MAX) return error_set(err, ERR_IO, "%.200s...: path too long", program);
  snprintf(build.own_sources, sizeof build.own_sources, "%s/%s", build.sources, build.name);
  snprintf(build.source, sizeof build.source, "%s/%s.cu", build.own_sources, build.name);
  bool is_usable = is_fresh(program, own, build.sources, build.name) &&
                   !(rewriting && is_older_than_rewriter(program));
  return is_usable ? OK : make(&build, program, err);
}
