// SPDX-License-Identifier: MIT
// Progress of many runs: one updated line on a terminal, otherwise one line per completed run.
#include "study/jobs_progress.h"

#include <time.h>

#include "base/text/terminal.h"

static const double interval_seconds = 0.2;

double jobs_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void jobs_progress_init(JobsProgress *progress, FILE *file, const Job *jobs, size_t count,
                        uint32_t processes) {
  *progress = (JobsProgress){.file = file,
                             .is_terminal = file && terminal_is(file),
                             .processes = processes,
                             .started = jobs_clock()};
  size_t distinct = 0;
  for (size_t i = 0; i < count; i++) {
    distinct += !jobs[i].same_as;
    progress->count += !jobs[i].same_as && !jobs[i].is_done;
  }
  if (file && progress->count < distinct)
    fprintf(file, "%zu of %zu runs already in the store\n", distinct - progress->count, distinct);
}

// Assumes that remaining runs take as long as completed ones.
static double seconds_left(const JobsProgress *progress) {
  double each = progress->seconds / (double)progress->done;
  return each * (double)(progress->count - progress->done) / progress->processes;
}

const char *jobs_duration(char out[DURATION_BYTES], double seconds) {
  if (seconds < 99.5)
    snprintf(out, DURATION_BYTES, "%.0f s", seconds);
  else if (seconds < 5970)
    snprintf(out, DURATION_BYTES, "%.0f min", seconds / 60);
  else
    snprintf(out, DURATION_BYTES, "%.1f h", seconds / 3600);
  return out;
}

static void hide(const JobsProgress *progress) {
  if (progress->is_terminal) fputs("\r\033[K", progress->file);
}

void jobs_progress_ended(JobsProgress *progress, const Job *job) {
  progress->done++;
  progress->seconds += job->seconds;
  progress->failed += job->failure && !job->was_stopped;
  progress->stopped += job->failure && job->was_stopped;
  progress->last = job->label;
  if (!progress->file || (progress->is_terminal && !job->failure)) return;
  hide(progress);
  fprintf(progress->file, "%zu/%zu %s: %s%.1f s\n", progress->done, progress->count, job->label,
          !job->failure      ? ""
          : job->was_stopped ? "stopped after "
                             : "FAILED after ",
          job->seconds);
  if (job->failure) fprintf(progress->file, "  %s\n", job->failure);
}

void jobs_progress_show(JobsProgress *progress, uint32_t busy) {
  double now = jobs_clock();
  char line[256], left[DURATION_BYTES];
  if (!progress->file || !progress->is_terminal || now - progress->shown < interval_seconds) return;
  progress->shown = now;
  int used = snprintf(line, sizeof line, "%zu of %zu runs done, %u running", progress->done,
                      progress->count, busy);
  if (progress->failed)
    used += snprintf(line + used, sizeof line - (size_t)used, ", %zu failed", progress->failed);
  if (progress->stopped)
    used += snprintf(line + used, sizeof line - (size_t)used, ", %zu stopped", progress->stopped);
  if (progress->done) {
    snprintf(line + used, sizeof line - (size_t)used, "; %s left; last: %.80s",
             jobs_duration(left, seconds_left(progress)), progress->last);
  }
  fprintf(progress->file, "\r%.*s\033[K", terminal_width(progress->file) - 1, line);
  fflush(progress->file);
}

void jobs_progress_end(JobsProgress *progress) {
  if (!progress->file) return;
  hide(progress);
  fflush(progress->file);
}
