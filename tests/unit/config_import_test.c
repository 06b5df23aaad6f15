// SPDX-License-Identifier: MIT
// Option files as a whole: words, defaults, notes, mistakes. What each option
// becomes is in import_options_test.c.
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "unit/import_support.h"

// What GPGPU-Sim 4 says of a GTX 480.
static const char gtx480_options[] =
    "# the chip\n"
    "-gpgpu_n_clusters 15\n-gpgpu_n_cores_per_cluster 1\n"
    "-gpgpu_compute_capability_major 2 -gpgpu_compute_capability_minor 0\n"
    "-gpgpu_max_concurrent_kernel 16\n"
    "-gpgpu_n_mem 6 -gpgpu_n_sub_partition_per_mchannel 2\n"
    "-gpgpu_clock_domains 700.0:700.0:700.0:924.0\n"
    "-gpgpu_shader_registers 32768 -gpgpu_shader_core_pipeline 1536:32 -gpgpu_shader_cta 8\n"
    "-gpgpu_shmem_size 49152 -gpgpu_flush_l1_cache 1\n"
    "-gpgpu_num_sched_per_core 2 -gpgpu_scheduler gto -gpgpu_max_insn_issue_per_warp 1\n"
    "-gpgpu_pipeline_widths 2,0,0,1,1,2,0,0,1,1,2\n"
    "-gpgpu_num_sp_units 2 -gpgpu_num_sfu_units 1 -gpgpu_num_dp_units 0\n"
    "-gpgpu_operand_collector_num_units_sp 6 -gpgpu_operand_collector_num_units_sfu 8\n"
    "-gpgpu_operand_collector_num_in_ports_sp 2 -gpgpu_operand_collector_num_out_ports_sp 2\n"
    "-gpgpu_num_reg_banks 16 -gpgpu_shmem_num_banks 32 -gpgpu_coalesce_arch 20\n"
    "-gpgpu_shmem_limited_broadcast 0 -gpgpu_shmem_warp_parts 1\n"
    "-ptx_opcode_latency_int 4,13,4,5,145,32 -ptx_opcode_initiation_int 1,2,2,1,8,4\n"
    "-ptx_opcode_latency_fp 4,13,4,5,39 -ptx_opcode_initiation_fp 1,2,1,1,4\n"
    "-ptx_opcode_latency_dp 8,19,8,8,330 -ptx_opcode_initiation_dp 8,16,8,8,130\n"
    "-gpgpu_cache:dl1 N:32:128:4,L:L:m:N:H,S:64:8,8\n"
    "-gpgpu_cache:il1 N:4:128:4,L:R:f:N:L,S:2:32,4\n"
    "-gpgpu_const_cache:l1 N:64:64:2,L:R:f:N:L,S:2:32,4\n"
    "-gpgpu_tex_cache:l1 N:4:128:24,L:R:m:N:L,T:128:4,128:2\n"
    "-gpgpu_l1_latency 35 -gpgpu_smem_latency 26 -gpgpu_gmem_skip_L1D 0\n"
    "-gpgpu_n_cluster_ejection_buffer_size 32\n"
    "-gpgpu_cache:dl2 S:64:128:8,L:B:m:L:L,A:256:4,4:0,32 -gpgpu_cache:dl2_texture_only 0\n"
    "-gpgpu_dram_partition_queues 64:64:64:64 -gpgpu_l2_rop_latency 120 -dram_latency 100\n"
    "-gpgpu_perf_sim_memcpy 0 -gpgpu_dram_scheduler 1\n"
    "-gpgpu_frfcfs_dram_sched_queue_size 64 -gpgpu_dram_return_queue_size 116\n"
    "-gpgpu_n_mem_per_ctrlr 2 -gpgpu_dram_buswidth 4 -gpgpu_dram_burst_length 8\n"
    "-dram_data_command_freq_ratio 4  # quad data rate\n"
    "-gpgpu_mem_addr_mapping dramid@8;0000.0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS\n"
    "-gpgpu_dram_timing_opt \"nbk=16:CCD=2:RRD=6:RCD=12:RAS=28:RP=12:RC=40:  # rows\n"
    "      CL=12:WL=4:CDLR=5:WR=12:nbkgrp=4:CCDL=3:RTPL=2\"\n"
    "-dram_bnkgrp_indexing_policy 1 -power_simulation_enabled 1 -visualizer_enabled 0\n";

// Where the same machine is spelt in another way.
static bool may_differ(const char *section, const char *key) {
  static const char *const names[] = {
      "gpu.name",     "gpu.noc_clock_mhz",   "gpu.l2_clock_mhz",     "gpu.address_map",
      "l1t.allocate", "latency.lane",        "latency.lane_interval",
      // GPGPU-Sim 4.0 has fma among the moves, and the shipped gtx480 with it.
      "latency.fp_fma", "latency.dp_fma",    "latency.dp_fma_interval",
      // There is no mma on a gtx480.
      "latency.tensor", "latency.tensor_interval"};
  char name[128];
  snprintf(name, sizeof name, "%s.%s", section, key);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(names[i], name) == 0) return true;
  return false;
}

static void the_options_of_a_gtx480_make_the_shipped_gtx480(void **state) {
  (void)state;
  Imported imported;
  GpuConfig shipped;
  ParamSection sections[GPU_SECTION_COUNT + 1];
  // GPGPU-Sim's defaults first, so that nothing is right by chance.
  import_text(&imported, "");
  assert_int_equal(imported.config.sm.register_banks, 8);
  assert_int_equal(take(&imported, gtx480_options), OK);
  assert_int_equal(gpu_config_load(&shipped, "gtx480", &imported.err), OK);
  gpu_config_sections(&shipped, sections);
  for (size_t s = 0; s < GPU_SECTION_COUNT; s++)
    for (const Param *param = sections[s].params; param->name; param++) {
      char found[PARAM_VALUE_BYTES], expected[PARAM_VALUE_BYTES];
      if (may_differ(sections[s].name, param->name)) continue;
      param_value_text(param, imported.sections[s].values, found);
      param_value_text(param, sections[s].values, expected);
      if (strcmp(found, expected) != 0)
        print_error("%s.%s is %s, not %s\n", sections[s].name, param->name, found, expected);
      assert_string_equal(found, expected);
    }
  assert_string_equal(imported.config.gpu.address_map,
                      "interleave:channel_shift=8,layout=RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS");
  assert_int_equal(imported.config.gpu.noc_clock_mhz, 700);
  assert_int_equal(imported.config.latency.fp_fma, 5);
  assert_int_equal(imported.config.latency.dp_fma_interval, 8);
  assert_int_equal(imported.import.note_count, count_kind(&imported, IMPORT_UNUSED));
  assert_int_equal(imported.import.note_count, 2);  // power, the visualizer
  config_import_clear(&imported.import);
}

static void options_that_are_left_out_have_the_defaults_of_gpgpusim(void **state) {
  (void)state;
  Imported imported;
  import_text(&imported, "-gpgpu_n_clusters 4\n");
  assert_int_equal(imported.config.gpu.sm_count, 12);  // three cores a cluster
  assert_int_equal(imported.config.gpu.sms_per_cluster, 3);
  assert_int_equal(imported.config.gpu.core_clock_mhz, 500);
  assert_int_equal(imported.config.sm.max_warps, 32);
  assert_int_equal(imported.config.sm.registers, 8192);
  assert_int_equal(imported.config.sm.shared_kb, 16);
  assert_false(imported.config.l1d.enabled);
  assert_int_equal(imported.config.partition.rop_latency_cycles, 85);
  assert_int_equal(imported.config.dram.banks, 4);
  assert_int_equal(imported.config.dram.command_bytes, 16);
  assert_int_equal(imported.import.note_count, 0);  // nobody asked for what is lost there
  config_import_clear(&imported.import);
}

static void widths_of_all_versions_are_known(void **state) {
  (void)state;
  static const char *const texts[] = {"2,1,1,2,1,1,5", "2,0,1,1,2,0,1,1,5", "2,0,0,1,1,2,0,0,1,1,5",
                                      "4,4,4,4,4,4,4,4,4,4,5,4,4"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    Imported imported;
    char text[128];
    snprintf(text, sizeof text, "-gpgpu_pipeline_widths %s", texts[i]);
    import_text(&imported, text);
    assert_int_equal(imported.config.sm.result_buses, 5);
    config_import_clear(&imported.import);
  }
}

static void later_options_and_files_win(void **state) {
  (void)state;
  Imported imported;
  imported_init(&imported);
  const char *first = "-gpgpu_shader_cta 3 -gpgpu_shader_cta 5 -gpgpu_l1_latency 9";
  assert_int_equal(config_import_text(&imported.import, "a", first, strlen(first), NULL), OK);
  assert_int_equal(take(&imported, "-l1_latency 10"), OK);  // an older spelling
  assert_int_equal(imported.config.sm.max_ctas, 5);
  assert_int_equal(imported.config.sm.l1_latency_cycles, 10);
  config_import_clear(&imported.import);
}

static void every_letter_of_a_cache_has_its_word(void **state) {
  (void)state;
  Imported imported;
  import_text(&imported,
              "-gpgpu_cache:dl1 S:4:128:32,F:T:s:N:X,A:256:8,16:0,32\n"
              "-gpgpu_cache:dl2 S:32:128:24,L:B:m:L:P,A:192:4,32:0,64\n"
              "-gpgpu_cache:il1 4:256:4,L:R:f:N,A:2:32,4\n");
  const CacheConfig *l1d = &imported.config.l1d, *l2 = &imported.config.l2;
  assert_true(l1d->enabled && l1d->sectored);
  assert_int_equal(l1d->sets, 4);
  assert_int_equal(l1d->ways, 32);
  assert_int_equal(l1d->size_kb, 0);
  assert_string_equal(l1d->replacement, "fifo");
  assert_int_equal(l1d->write_policy, WRITE_THROUGH);
  assert_int_equal(l1d->allocate, ALLOCATE_STREAMING);
  assert_int_equal(l1d->write_allocate, WRITE_NO_ALLOCATE);
  assert_int_equal(l1d->index_hash, INDEX_XOR);
  assert_int_equal(l1d->mshrs, 256);
  assert_int_equal(l1d->mshr_merges, 8);
  assert_int_equal(l1d->miss_queue, 16);
  assert_int_equal(l2->ways, 24);
  assert_int_equal(l2->write_policy, WRITE_BACK);
  assert_int_equal(l2->write_allocate, WRITE_ALLOCATE_LAZY);
  assert_int_equal(l2->index_hash, INDEX_IPOLY);
  assert_int_equal(imported.config.partition.l2_port_bytes, 64);
  assert_false(imported.config.l1i.sectored);  // the form of GPGPU-Sim 3
  assert_int_equal(imported.config.l1i.line_bytes, 256);
  assert_int_equal(imported.config.l1i.index_hash, INDEX_LINEAR);
  config_import_clear(&imported.import);
}

static void more_ways_than_a_set_can_have_become_sets(void **state) {
  (void)state;
  Imported imported;
  import_text(&imported, "-gpgpu_cache:dl1 S:1:128:256,L:L:s:N:L,A:256:8,16\n");
  assert_int_equal(imported.config.l1d.sets, 4);
  assert_int_equal(imported.config.l1d.ways, 64);
  assert_true(has_note(&imported, IMPORT_CHANGED, "-gpgpu_cache:dl1", "at most 64 ways"));
  config_import_clear(&imported.import);
}

static void schedulers_and_maps_are_named_as_ours(void **state) {
  (void)state;
  Imported imported;
  import_text(&imported,
              "-gpgpu_scheduler two_level_active:6:0:1 -gpgpu_dram_scheduler 0\n"
              "-gpgpu_memory_partition_indexing 2 -gpgpu_dram_timing_opt nbk=16\n"
              "-gpgpu_mem_addr_mapping dramid@8;00000000.0000RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS\n"
              "-gpgpu_coalesce_arch 60 -gpgpu_num_dp_units 4 -gpgpu_gmem_skip_L1D 1\n"
              "-gpgpu_dram_buswidth 16 -gpgpu_dram_burst_length 2\n");
  assert_string_equal(imported.config.policy.warp_scheduler, "two_level:active_warps=6");
  assert_string_equal(imported.config.dram.scheduler, "fifo");
  assert_string_equal(imported.config.gpu.address_map,
                      "ipoly:channel_shift=8,layout=RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS");
  assert_int_equal(imported.config.dram.row_bytes, 2048);  // 3 + 3 columns, 5 bits of a burst
  assert_int_equal(imported.config.dram.command_bytes, 32);
  assert_int_equal(imported.config.dram.burst_ticks, 1);
  assert_int_equal(imported.config.sm.coalesce, COALESCE_SECTOR);
  assert_false(imported.config.sm.l1_caches_global);
  assert_false(imported.config.latency.dp_on_sfu);
  config_import_clear(&imported.import);
}

static void what_is_lost_is_said_where_it_stands(void **state) {
  (void)state;
  Imported imported;
  import_text(&imported,
              "-gpgpu_perfect_mem 1\n\n-no_such_option 7 -gpgpu_scheduler old\n"
              "-gpgpu_memory_partition_indexing 3 -gpgpu_shader_cta 1000\n"
              "-gpgpu_clock_domains 700.5:1:1:1 -gpgpu_perf_sim_memcpy 1\n"
              "-visualizer_enabled 1 -gpgpu_n_mem 4\n");
  assert_true(
      has_note(&imported, IMPORT_LOST, "-gpgpu_perfect_mem", "perfect memory: see ideal.l1d"));
  assert_true(has_note(&imported, IMPORT_UNKNOWN, "-no_such_option", ""));
  assert_true(has_note(&imported, IMPORT_LOST, "-gpgpu_scheduler", "unsupported warp scheduler"));
  assert_true(has_note(&imported, IMPORT_LOST, "-gpgpu_memory_partition_indexing", "interleaved"));
  assert_true(has_note(&imported, IMPORT_CHANGED, "-gpgpu_shader_cta",
                       "sm.max_ctas = 64; 1000 is out of range"));
  assert_true(has_note(&imported, IMPORT_CHANGED, "-gpgpu_clock_domains", "rounded"));
  assert_true(has_note(&imported, IMPORT_LOST, "-gpgpu_perf_sim_memcpy", "cold"));
  assert_true(has_note(&imported, IMPORT_UNUSED, "-visualizer_enabled", "statistics"));
  assert_int_equal(imported.import.note_count, 8);
  assert_int_equal(imported.import.given, 9);
  assert_int_equal(imported.config.gpu.core_clock_mhz, 701);
  assert_int_equal(imported.config.sm.max_ctas, 64);
  // By kind, then in the order of the file.
  static const uint32_t lines[] = {4, 5, 1, 3, 4, 5, 6, 3};
  for (size_t i = 0; i < imported.import.note_count; i++) {
    assert_int_equal(imported.import.notes[i].line, lines[i]);
    assert_string_equal(imported.import.notes[i].file, "some.config");
  }
  config_import_clear(&imported.import);
}

static void broken_files_are_refused_with_their_line(void **state) {
  (void)state;
  assert_refused("-gpgpu_n_mem 6\nfoo", "some.config:2: expected an option");
  assert_refused("-gpgpu_n_mem", "-gpgpu_n_mem has no value");
  assert_refused("-gpgpu_n_mem\n-dram_latency 3", "some.config:1: -gpgpu_n_mem has no value");
  assert_refused("\n-gpgpu_dram_timing_opt \"nbk=16:", "some.config:2: unterminated quote");
  assert_refused("-gpgpu_n_mem six", "some.config:1: -gpgpu_n_mem: 'six' is not an integer");
  assert_refused("-gpgpu_n_mem -1", "'-1' is not an integer");
  assert_refused("-gpgpu_n_mem 99999999999", "too large");
  assert_refused("-gpgpu_n_mem 0x", "not an integer");
  assert_refused("-gpgpu_clock_domains 700:700", "expected core:icnt:l2:dram");
  assert_refused("-gpgpu_clock_domains 700:nan:1:1", "'nan' is not a clock");
  assert_refused("-gpgpu_clock_domains 700::1:1", "'' is not a clock");
  assert_refused("-gpgpu_shader_core_pipeline 1536", "threads:warp size");
  assert_refused("-gpgpu_dram_timing_opt nbk=16:CDC=2", "unknown timing 'CDC=2'");
  assert_refused("-gpgpu_dram_timing_opt nbk=16:=2", "unknown timing '=2'");
  assert_refused("-gpgpu_dram_timing_opt 1:2:3:4:5:6:7:8:9:1:2:3:4:5:6", "more than 14");
  assert_refused("-gpgpu_mem_addr_mapping dramid@8;RRQQ", "not a mapping");
  assert_refused("-gpgpu_mem_addr_mapping dramid@;RR", "not an integer");
  assert_refused("-gpgpu_pipeline_widths 1,2,3", "3 widths");
  assert_refused("-gpgpu_compute_capability_major 7 -gpgpu_compute_capability_minor 12",
                 "7.12 is not a compute capability");
  assert_refused("-cdp_latency 1,2,3", "not five latencies");
  assert_refused("-cdp_latency 1,4000000000,3,4000000000,5", "too large");
  assert_refused("-dram_write_queue_size 32:28", "expected entries:high:low");
  assert_refused("-ptx_opcode_latency_fp 1,2,3,4,5,6", "6 parts, expected at most 5");
  assert_refused("-gpgpu_pipeline_widths 1,2,x,1,1,1,1", "'x' is not an integer");
  assert_refused("-dram_data_command_freq_ratio 0", "at 0 times");
  assert_refused("-gpgpu_n_clusters 4000000000 -gpgpu_n_cores_per_cluster 4000000000", "clusters");
}

static void broken_caches_are_refused(void **state) {
  (void)state;
  assert_refused("-gpgpu_cache:dl1 all", "not a cache: 1 groups");
  assert_refused("-gpgpu_cache:dl1 ,,,,,,,,", "not a cache: 9 groups");
  assert_refused("-gpgpu_cache:dl1 ,,,", "has 1 fields, expected 4");
  assert_refused("-gpgpu_cache:dl1 N:32:128,L:L:m:N:H,S:64:8,8", "");
  assert_refused("-gpgpu_cache:dl1 Q:32:128:4,L:L:m:N:H,S:64:8,8", "'Q' is not a valid sectored");
  assert_refused("-gpgpu_cache:dl1 N:32:128:4,L:L:m:N:HH,S:64:8,8", "'HH' is not a valid ");
  assert_refused("-gpgpu_cache:dl1 N:32:128:4,L:L:m:N:H,S:64:-8,8", "'-8' is not an integer");
  assert_refused("-gpgpu_cache:dl1 N:32:128:4,L:L:m:N:H,S:64:8,8:0:0", "3 fields, expected 2");
  assert_refused("-gpgpu_cache:dl1 N:32:128:4,L:L:m:N:H,S:64:8,8:0,x", "'x' is not an integer");
}

static void notes_keep_to_their_line_and_to_letters(void **state) {
  (void)state;
  Imported imported;
  char *text;
  size_t length;
  import_text(&imported, "-odd \"\x1b[2J\x07\n[run]\nmax_loops = 1\" -gpgpu_shader_cta 4");
  FILE *file = open_memstream(&text, &length);
  config_import_print_notes(&imported.import, 1u << IMPORT_UNKNOWN, "# ", file);
  fclose(file);
  assert_non_null(strstr(text, "# Unknown:\n#   some.config:1: -odd ?[2J?[run]max_loops=1: "));
  assert_int_equal(strlen(text), strcspn(text, "\n") + 1 + strcspn(strchr(text, '\n') + 1, "\n") + 1);
  free(text);
  config_import_clear(&imported.import);
}

static void what_is_printed_can_be_read_back(void **state) {
  (void)state;
  Imported imported;
  GpuConfig again;
  char path[] = "/tmp/config_import_XXXXXX.cfg";
  import_text(&imported, gtx480_options);
  int descriptor = mkstemps(path, 4);
  assert_true(descriptor >= 0);
  FILE *file = fdopen(descriptor, "w");
  config_import_print(&imported.import, file);
  fclose(file);
  Status status = gpu_config_load(&again, path, &imported.err);
  unlink(path);
  assert_int_equal(status, OK);
  assert_int_equal(again.gpu.sm_count, 15);
  assert_string_equal(again.gpu.address_map, imported.config.gpu.address_map);
  assert_int_equal(again.l2.mshrs, 256);
  config_import_clear(&imported.import);
}

// Every prefix of a real file, and every file with one byte changed, ends in
// an import or in an error.
static void damaged_files_do_no_harm(void **state) {
  (void)state;
  size_t length = sizeof gtx480_options - 1;
  char *text = memory_alloc(length + 1);
  static const char bytes[] = {'"', ':', ',', ' ', '-', '9', 'x', ';', '=', '\n', '#', (char)0xff};
  for (size_t i = 0; i < length; i++) {
    Imported imported;
    memcpy(text, gtx480_options, length);
    imported_init(&imported);
    if (i % 2) text[i] = bytes[i / 2 % sizeof bytes];
    size_t used = i % 2 ? length : i;
    if (config_import_text(&imported.import, "damaged", text, used, &imported.err) == OK)
      config_import_apply(&imported.import, &imported.err);
    config_import_clear(&imported.import);
  }
  memory_free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_options_of_a_gtx480_make_the_shipped_gtx480),
      cmocka_unit_test(options_that_are_left_out_have_the_defaults_of_gpgpusim),
      cmocka_unit_test(widths_of_all_versions_are_known),
      cmocka_unit_test(later_options_and_files_win),
      cmocka_unit_test(every_letter_of_a_cache_has_its_word),
      cmocka_unit_test(more_ways_than_a_set_can_have_become_sets),
      cmocka_unit_test(schedulers_and_maps_are_named_as_ours),
      cmocka_unit_test(what_is_lost_is_said_where_it_stands),
      cmocka_unit_test(broken_files_are_refused_with_their_line),
      cmocka_unit_test(broken_caches_are_refused),
      cmocka_unit_test(notes_keep_to_their_line_and_to_letters),
      cmocka_unit_test(what_is_printed_can_be_read_back),
      cmocka_unit_test(damaged_files_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
