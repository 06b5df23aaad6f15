// SPDX-License-Identifier: MIT
// Prints a run with the names of GPGPU-Sim's output.
#include "report/gpgpusim_text.h"

#include <string.h>

// Their name for a sum of ours. An indented one has a tab before it there.
typedef struct Line {
  const char *name;
  const char *counters;  // with blanks between them
} Line;

static const Line before_rates[] = {{"gpgpu_n_tot_w_icount", "warp_instructions"},
                                    {"gpgpu_n_shmem_insn", "lsu.shared_accesses"},
                                    {0}};
static const Line l1d[] = {{"\tL1D_total_cache_accesses", "l1d.accesses"},
                           {"\tL1D_total_cache_misses", "l1d.misses"},
                           {"\tL1D_total_cache_pending_hits", "l1d.merges"},
                           {"\tL1D_total_cache_reservation_fails",
                            "l1d.fail_line l1d.fail_mshr l1d.fail_merge l1d.fail_queue"},
                           {0}};
// There, fetches that merged with one in flight are misses.
static const Line l1i[] = {{"\tL1I_total_cache_accesses", "l1i.accesses"},
                           {"\tL1I_total_cache_misses", "l1i.misses l1i.merges"},
                           {0}};
static const Line l1c[] = {{"\tL1C_total_cache_accesses", "l1c.accesses"},
                           {"\tL1C_total_cache_misses", "l1c.misses l1c.merges"},
                           {0}};
static const Line l1t[] = {{"\tL1T_total_cache_accesses", "l1t.accesses"},
                           {"\tL1T_total_cache_misses", "l1t.misses"},
                           {"\tL1T_total_cache_pending_hits", "l1t.merges"},
                           {0}};
static const Line l2[] = {
    {"L2_total_cache_accesses", "l2.accesses"},
    {"L2_total_cache_misses", "l2.misses"},
    {"L2_total_cache_pending_hits", "l2.merges"},
    {"L2_total_cache_reservation_fails", "l2.fail_line l2.fail_mshr l2.fail_merge l2.fail_queue"},
    {0}};
static const Line memory[] = {{"total dram reads", "dram.reads"},
                              {"total dram writes", "dram.writes"},
                              {"icnt_total_pkts_simt_to_mem", "noc.request_packets"},
                              {"icnt_total_pkts_mem_to_simt", "noc.reply_packets"},
                              {0}};

// A kernel, and all up to it together.
typedef struct Sums {
  const json_t *kernel;
  json_t *all;  // by name
  size_t number;
} Sums;

static double counter(const json_t *object, const char *name) {
  return json_number_value(json_object_get(object, name));
}

static void add_kernel(Sums *sums, const json_t *kernel) {
  const char *name;
  json_t *value;
  sums->kernel = kernel;
  sums->number++;
  json_object_foreach((json_t *)(size_t)kernel, name, value) {
    if (!json_is_number(value)) continue;
    double before = counter(sums->all, name);
    json_object_set_new(sums->all, name, json_real(before + json_number_value(value)));
  }
}

static double sum(const Sums *sums, const char *name) {
  return counter(sums->all, name);
}

static double sum_list(const Sums *sums, const char *names) {
  char name[64];
  double all = 0;
  while (*names) {
    size_t length = strcspn(names, " ");
    snprintf(name, sizeof name, "%.*s", (int)length, names);
    all += sum(sums, name);
    names += length + (names[length] == ' ');
  }
  return all;
}

static void print_lines(const Sums *sums, const Line *lines, FILE *file) {
  for (; lines->name; lines++)
    fprintf(file, "%s = %.0f\n", lines->name, sum_list(sums, lines->counters));
}

// The first two lines, the rate that follows from them, the others.
static void print_cache(const Sums *sums, const Line *lines, FILE *file) {
  double accesses = sum(sums, lines[0].counters), misses = sum_list(sums, lines[1].counters);
  const Line first[] = {lines[0], lines[1], {0}};
  print_lines(sums, first, file);
  int length = (int)(strlen(lines[0].name) - strlen("accesses"));
  if (accesses > 0)
    fprintf(file, "%.*smiss_rate = %.4f\n", length, lines[0].name, misses / accesses);
  print_lines(sums, lines + 2, file);
}

static void print_kernel(const Sums *sums, FILE *file) {
  const json_t *kernel = sums->kernel;
  double cycles = counter(kernel, "cycles"), instructions = counter(kernel, "thread_instructions");
  double all_cycles = sum(sums, "cycles"), all = sum(sums, "thread_instructions");
  fprintf(file, "kernel_name = %s\n", json_string_value(json_object_get(kernel, "name")));
  fprintf(file, "kernel_launch_uid = %zu\n", sums->number);
  fprintf(file, "gpu_sim_cycle = %.0f\ngpu_sim_insn = %.0f\n", cycles, instructions);
  fprintf(file, "gpu_ipc = %12.4f\n", cycles > 0 ? instructions / cycles : 0);
  fprintf(file, "gpu_tot_sim_cycle = %.0f\ngpu_tot_sim_insn = %.0f\n", all_cycles, all);
  fprintf(file, "gpu_tot_ipc = %12.4f\n", all_cycles > 0 ? all / all_cycles : 0);
  fprintf(file, "gpu_tot_issued_cta = %.0f\n", sum(sums, "ctas"));
  fprintf(file, "gpu_occupancy = %.4f%%\n", counter(kernel, "achieved_occupancy") * 100);
  print_lines(sums, before_rates, file);
  print_cache(sums, l1i, file);
  print_cache(sums, l1d, file);
  print_cache(sums, l1c, file);
  print_cache(sums, l1t, file);
  print_cache(sums, l2, file);
  print_lines(sums, memory, file);
  fputc('\n', file);
}

static Status print_all(Sums *sums, const json_t *result, JsonRecords *kernels, FILE *file,
                        Error *err) {
  json_t *list = json_object_get(result, "kernels");
  uint64_t end = kernels ? json_records_end(kernels) : json_array_size(list);
  for (uint64_t i = 0; i < end; i++) {
    json_t *kernel = NULL;
    if (kernels)
      TRY(json_records_get(kernels, i, &kernel, err));
    else
      kernel = json_incref(json_array_get(list, i));
    if (!kernel) continue;
    add_kernel(sums, kernel);
    print_kernel(sums, file);
    json_decref(kernel);
  }
  return OK;
}

Status gpgpusim_text(const json_t *result, JsonRecords *kernels, FILE *file, Error *err) {
  Sums sums = {.all = json_object()};
  Status status = print_all(&sums, result, kernels, file, err);
  json_decref(sums.all);
  return status;
}
