// SPDX-License-Identifier: MIT
// Progress line of a run, on terminals only.
#include "device/process/progress.h"

#include "base/text/terminal.h"
#include "base/text/text_table.h"
#include "report/run_result.h"

enum { LINE_BYTES = 256, SHORT_BYTES = 24 };
static const double interval_seconds = 0.2;

void progress_init(Progress *progress, FILE *file) {
  *progress = (Progress){0};
  if (!terminal_is(file)) return;
  progress->file = file;
  progress->started = progress->shown = seconds_now().wall;
}

// "850", "12.3 k", "4.56 M": three digits.
static const char *short_number(char out[SHORT_BYTES], double number) {
  static const char units[] = " kMGT";
  int unit = 0;
  for (; number >= 999.5 && units[unit + 1]; unit++) number /= 1000;
  int decimals = unit == 0 || number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2;
  snprintf(out, SHORT_BYTES, unit ? "%.*f %c" : "%.*f", decimals, number, units[unit]);
  return out;
}

static const char *short_time(char out[SHORT_BYTES], double seconds) {
  unsigned whole = seconds < 1e9 ? (unsigned)(seconds + 0.5) : 999999999u;
  if (whole < 100)
    snprintf(out, SHORT_BYTES, "%u s", whole);
  else if (whole < 5970)
    snprintf(out, SHORT_BYTES, "%u min", (whole + 30) / 60);
  else
    snprintf(out, SHORT_BYTES, "%u h", (whole + 1800) / 3600);
  return out;
}

// Estimate for this kernel, assuming that remaining CTAs take as long as completed ones.
static void add_time_left(char *line, size_t used, const GpuProgress *now, double seconds) {
  char text[SHORT_BYTES];
  if (!now->ctas_done || now->ctas_done > now->cta_count) return;
  double share = (double)now->ctas_done / (double)now->cta_count;
  snprintf(line + used, LINE_BYTES - used, "; %s left",
           short_time(text, seconds * (1 - share) / share));
}

// Nothing of a run without time.
static void add_cycles(char *line, const Progress *progress, const GpuProgress *now, double since) {
  char cycles[GROUPED_BYTES], number[SHORT_BYTES];
  double rate = (double)(now->cycle - progress->last_cycle) / since;
  if (now->cycle)
    snprintf(line, LINE_BYTES, " %s cycles, %s/s;", text_grouped(cycles, now->cycle),
             short_number(number, rate));
}

static void show(Progress *progress, const GpuProgress *now, double seconds) {
  char line[LINE_BYTES], cycles[LINE_BYTES] = "", done[LINE_BYTES] = "", numbers[2][SHORT_BYTES];
  double since = seconds - progress->shown;
  double rate = (double)(now->warp_instructions - progress->last_instructions) / since;
  add_cycles(cycles, progress, now, since);
  if (progress->kernels)
    snprintf(done, sizeof done, "%llu done, ", (unsigned long long)progress->kernels);
  int used = snprintf(line, sizeof line, "%.32s%.24s:%.80s %s instr., %s/s; %llu/%llu CTAs", done,
                      now->kernel, cycles, short_number(numbers[0], (double)now->warp_instructions),
                      short_number(numbers[1], rate), (unsigned long long)now->ctas_done,
                      (unsigned long long)now->cta_count);
  add_time_left(line, (size_t)used, now, seconds - progress->kernel_started);
  fprintf(progress->file, "\r%.*s\033[K", terminal_width(progress->file) - 1, line);
  fflush(progress->file);
  progress->is_visible = true;
}

void progress_update(void *self, const GpuProgress *now) {
  Progress *progress = self;
  if (!progress->file) return;
  double seconds = seconds_now().wall;
  if (progress->kernel != now->kernel_index + 1) {
    progress->kernel = now->kernel_index + 1;
    progress->kernel_started = seconds;
  }
  if (seconds - progress->shown < interval_seconds) return;
  show(progress, now, seconds);
  progress->shown = seconds;
  progress->last_cycle = now->cycle;
  progress->last_instructions = now->warp_instructions;
}

void progress_hide(Progress *progress) {
  if (!progress->is_visible) return;
  fputs("\r\033[K", progress->file);
  fflush(progress->file);
  progress->is_visible = false;
}
