// SPDX-License-Identifier: MIT
// Identifies processes by boot, process id and start time.
#include "store/process.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool read_line(const char *path, char *line, size_t size_bytes) {
  FILE *file = fopen(path, "r");
  bool is_read = file && fgets(line, (int)size_bytes, file);
  if (file) fclose(file);
  if (is_read) line[strcspn(line, "\n")] = '\0';
  return is_read;
}

// The 22nd field of /proc/PID/stat. The second is a name in parentheses, which may contain
// anything, the third the state: Z for a zombie.
static unsigned long long start_of(long pid) {
  char path[64], line[1024];
  snprintf(path, sizeof path, "/proc/%ld/stat", pid);
  if (!read_line(path, line, sizeof line)) return 0;
  char *at = strrchr(line, ')');
  if (at && strncmp(at, ") Z", 3) == 0) return 0;
  for (int field = 2; at && field < 22; field++) at = strchr(at + 1, ' ');
  return at ? strtoull(at, NULL, 10) : 0;
}

static void describe(long pid, char out[PROCESS_TEXT_BYTES]) {
  char boot[64] = "";
  read_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
  snprintf(out, PROCESS_TEXT_BYTES, "%s/%ld/%llu", boot, pid, start_of(pid));
}

const char *process_text(char out[PROCESS_TEXT_BYTES]) {
  describe((long)getpid(), out);
  return out;
}

bool process_is_gone(const char *text) {
  char now[PROCESS_TEXT_BYTES];
  const char *slash = strchr(text, '/');
  if (!slash) return false;
  describe(strtol(slash + 1, NULL, 10), now);
  return strcmp(now, text) != 0;
}

const char *host_name(char out[HOST_BYTES]) {
  memset(out, 0, HOST_BYTES);
  gethostname(out, HOST_BYTES - 1);
  return out;
}
