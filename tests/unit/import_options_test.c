// SPDX-License-Identifier: MIT
// What options become, a few at a time, in files as small as they can be.
#include "unit/import_support.h"

static void compute_capability_comes_from_where_it_is_given(void **state) {
  (void)state;
  static const struct {
    const char *text;
    uint32_t capability, registers;
  } files[] = {
      {"-gpgpu_compute_capability_major 7 -gpgpu_compute_capability_minor 5", 75, 255},
      {"-gpgpu_compute_capability_major 2 -gpgpu_compute_capability_minor 0", 20, 63},
      {"-gpgpu_compute_capability_major 8 -gpgpu_ptx_force_max_capability 60", 80, 255},
      {"-gpgpu_ptx_force_max_capability 35 -gpgpu_occupancy_sm_number 20", 35, 255},
      {"-gpgpu_ptx_force_max_capability 0 -gpgpu_occupancy_sm_number 13", 13, 124},
      {"-gpgpu_ptx_force_max_capability 30", 30, 63},
      {"-gpgpu_n_mem 4", 70, 255},
  };
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    Imported imported;
    import_text(&imported, files[i].text);
    assert_int_equal(imported.config.gpu.compute_capability, files[i].capability);
    assert_int_equal(imported.config.sm.thread_registers, files[i].registers);
    config_import_clear(&imported.import);
  }
}

// So many bits of address in each channel.
static void memory_is_as_large_as_its_mapping_says(void **state) {
  (void)state;
  static const struct {
    const char *text;
    uint32_t mb;
  } files[] = {
      {"-gpgpu_n_mem 32 -gpgpu_dram_timing_opt nbk=16\n"
       "-gpgpu_mem_addr_mapping dramid@8;00000000.0000RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS",
       8192},
      {"-gpgpu_n_mem 6 -gpgpu_dram_timing_opt nbk=16\n"
       "-gpgpu_mem_addr_mapping dramid@8;0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS",
       1536},
      {"-gpgpu_n_mem 2 -gpgpu_dram_timing_opt nbk=4\n"
       "-gpgpu_mem_addr_mapping dramid@8;RRRRRRRR.RRRRRRRR.BBCCCCCC.CCSSSSSS",
       8192},
      {"", 8 * 128},  // addressing mask 0: 27 bits
  };
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    Imported imported;
    import_text(&imported, files[i].text);
    assert_int_equal(imported.config.gpu.memory_mb, files[i].mb);
    assert_runs(&imported);
    config_import_clear(&imported.import);
  }
}

static void an_empty_file_is_gpgpusims_default_machine_and_runs(void **state) {
  (void)state;
  Imported imported;
  import_text(&imported, "");
  assert_int_equal(imported.config.gpu.hardware_queues, 32);
  assert_int_equal(imported.config.sm.max_ctas, 32);
  assert_int_equal(imported.config.dram.bank_group_bits, GROUP_BITS_HIGH);
  assert_false(imported.config.l2.enabled);  // for textures only
  assert_string_equal(imported.config.gpu.address_map,
                      "interleave:channel_shift=10,layout=RRRRRRRRRRRRRRCCCBBCCCCCCCC");
  assert_runs(&imported);
  config_import_clear(&imported.import);
}

static void clusters_and_kernels(void **state) {
  (void)state;
  Imported imported;
  import_text(&imported,
              "-gpgpu_n_clusters 3 -gpgpu_n_cores_per_cluster 2 -gpgpu_simt_core_sim_order 0\n"
              "-gpgpu_max_concurrent_kernel 128 -gpgpu_concurrent_kernel_sm 0\n"
              "-gpgpu_kernel_launch_latency 5000 -gpgpu_TB_launch_latency 2\n"
              "-gpgpu_runtime_pending_launch_count_limit 77 -cdp_latency 1,20,3,400,5\n");
  assert_int_equal(imported.config.gpu.sm_count, 6);
  assert_int_equal(imported.config.gpu.cluster_order, ORDER_FIXED);
  assert_int_equal(imported.config.gpu.hardware_queues, 128);
  assert_int_equal(imported.config.gpu.pending_launches, 77);
  assert_int_equal(imported.config.gpu.launch_base_cycles, 20 + 400 + 5000);
  assert_int_equal(imported.config.gpu.launch_cycles_each, 3 + 5);
  assert_int_equal(imported.config.gpu.host_launch_cycles, 5000);
  assert_true(has_note(&imported, IMPORT_LOST, "-gpgpu_TB_launch_latency", "delays the first CTA"));
  assert_true(has_note(&imported, IMPORT_LOST, "-gpgpu_concurrent_kernel_sm", "share an SM"));
  assert_true(
      has_note(&imported, IMPORT_CHANGED, "-cdp_latency", "launching warp waits for both calls"));
  assert_int_equal(imported.import.note_count, 3);
  config_import_clear(&imported.import);
}

static void latencies_of_every_kind(void **state) {
  (void)state;
  Imported imported;
  import_text(&imported,
              "-ptx_opcode_latency_int 2,3,4,5,100,21 -ptx_opcode_initiation_int 2,2,3,4,50,6\n"
              "-ptx_opcode_latency_fp 6,7,8,9,30 -ptx_opcode_initiation_fp 1,2,3,4,5\n"
              "-ptx_opcode_latency_dp 12,13,14,15,300 -ptx_opcode_initiation_dp 6,7,8,9,99\n"
              "-ptx_opcode_latency_sfu 23 -ptx_opcode_initiation_sfu 4\n"
              "-ptx_opcode_latency_tesnor 64 -ptx_opcode_initiation_tensor 32\n");
  const LatencyConfig *latency = &imported.config.latency;
  assert_int_equal(latency->int_mad, 5);
  assert_int_equal(latency->int_div_interval, 50);
  assert_int_equal(latency->lane, 21);
  assert_int_equal(latency->lane_interval, 6);
  assert_int_equal(latency->fp_mad, 9);
  assert_int_equal(latency->fp_fma, 9);
  assert_int_equal(latency->fp_fma_interval, 4);
  assert_int_equal(latency->dp_fma, 15);
  assert_int_equal(latency->dp_fma_interval, 9);
  assert_int_equal(latency->dp_div, 300);
  assert_int_equal(latency->sfu, 23);
  assert_int_equal(latency->sfu_interval, 4);
  // Two pieces: 48 + 16 cycles to the result, 32 between two.
  assert_int_equal(latency->tensor, 48);
  assert_int_equal(latency->tensor_interval, 16);
  assert_int_equal(imported.import.note_count, 0);
  config_import_clear(&imported.import);
}

// An SM of four sub-cores.
static const char volta[] =
    "-gpgpu_num_sched_per_core 4 -gpgpu_sub_core_model 1 -gpgpu_num_reg_banks 16\n"
    "-gpgpu_reg_file_port_throughput 2 -gpgpu_inst_fetch_throughput 4\n"
    "-gpgpu_enable_specialized_operand_collector 0 -gpgpu_operand_collector_num_units_gen 8\n"
    "-gpgpu_pipeline_widths 4,4,4,4,4,4,4,4,4,4,8,4,4\n"
    "-gpgpu_num_sp_units 4 -gpgpu_num_sfu_units 4 -gpgpu_num_dp_units 4 -gpgpu_num_int_units 4\n"
    "-gpgpu_perfect_inst_const_cache 1\n";

static void an_sm_of_sub_cores(void **state) {
  (void)state;
  Imported imported;
  import_text(&imported, volta);
  const SmConfig *sm = &imported.config.sm;
  assert_true(sm->sub_cores && sm->int_takes_simple);
  assert_int_equal(sm->register_ports, 2);
  assert_int_equal(sm->fetches_per_cycle, 4);
  assert_int_equal(sm->general_collectors, 8);
  assert_int_equal(sm->sp_ports, 4);
  assert_int_equal(sm->dp_ports, 4);
  assert_int_equal(sm->int_ports, 4);
  assert_int_equal(sm->sfu_ports, 4);
  assert_int_equal(sm->mem_ports, 4);
  assert_int_equal(sm->result_buses, 8);
  assert_false(imported.config.l1i.enabled || imported.config.l1c.enabled);
  assert_int_equal(imported.import.note_count, 0);
  assert_runs(&imported);
  config_import_clear(&imported.import);
}

static void what_cannot_be_shared_out_is_shared(void **state) {
  (void)state;
  Imported imported;
  char text[1024];
  snprintf(text, sizeof text, "%s-gpgpu_num_reg_banks 15\n", volta);
  import_text(&imported, text);
  assert_false(imported.config.sm.sub_cores);
  assert_true(has_note(&imported, IMPORT_LOST, "-gpgpu_sub_core_model", "sm.register_banks = 15"));
  assert_runs(&imported);
  config_import_clear(&imported.import);
}

static void ports_and_latches_that_differ_are_told(void **state) {
  (void)state;
  Imported imported;
  import_text(&imported,
              "-gpgpu_pipeline_widths 6,4,0,2,1,6,4,0,2,1,12\n"
              "-gpgpu_operand_collector_num_in_ports_sp 4 -gpgpu_operand_collector_num_out_ports_sp 3\n"
              "-gpgpu_operand_collector_num_in_ports_sfu 2\n"
              "-gpgpu_operand_collector_num_out_ports_sfu 2\n"
              "-gpgpu_num_sfu_units 32\n");
  assert_int_equal(imported.config.sm.sp_ports, 4);
  assert_int_equal(imported.config.sm.sfu_ports, 2);
  assert_int_equal(imported.config.sm.sfu_units, 16);
  assert_true(has_note(&imported, IMPORT_CHANGED, "-gpgpu_operand_collector_num_in_ports_sp",
                       "3 output ports of the collectors; as many as input ports, 4"));
  assert_true(has_note(&imported, IMPORT_CHANGED, "-gpgpu_pipeline_widths", "latches of sp"));
  assert_true(has_note(&imported, IMPORT_CHANGED, "-gpgpu_num_sfu_units", "sm.sfu_units = 16"));
  assert_int_equal(imported.import.note_count, 3);
  config_import_clear(&imported.import);
}

// 32 KB grow to 128: four sets of 256 ways are 16 of 64.
static void an_l1d_that_adapts(void **state) {
  (void)state;
  static const char *const files[] = {
      "-gpgpu_shmem_size 98304 -gpgpu_cache:dl1 S:4:128:64,L:T:m:L:L,A:512:8,16:0,32\n"
      "-gpgpu_adaptive_cache_config 1 -gpgpu_unified_l1d_size 128\n"
      "-gpgpu_shmem_option 0,8,16,32,64,96\n",
      // As release 4.0 has it: four times the L1D, Volta's carve-outs.
      "-gpgpu_shmem_size 98304 -gpgpu_cache:dl1 S:4:128:64,L:T:m:L:L,A:512:8,16:0,32\n"
      "-gpgpu_adaptive_cache_config 1\n",
  };
  for (size_t i = 0; i < 2; i++) {
    Imported imported;
    import_text(&imported, files[i]);
    assert_int_equal(imported.config.sm.unified_kb, 128);
    assert_string_equal(imported.config.sm.shared_options_kb, "0,8,16,32,64,96");
    assert_int_equal(imported.config.l1d.sets, 16);
    assert_int_equal(imported.config.l1d.ways, 64);
    assert_int_equal(imported.import.note_count, 0);
    assert_runs(&imported);
    config_import_clear(&imported.import);
  }
  Imported imported;
  import_text(&imported,
              "-gpgpu_shmem_size 65536 -gpgpu_cache:dl1 S:4:128:64,L:T:m:L:L,A:256:32,16\n"
              "-gpgpu_adaptive_cache_config 1 -gpgpu_unified_l1d_size 96\n"
              "-gpgpu_shmem_option 32,64\n");
  assert_int_equal(imported.config.sm.unified_kb, 96);
  assert_int_equal(imported.config.l1d.sets * imported.config.l1d.ways, 768);
  assert_runs(&imported);
  config_import_clear(&imported.import);
  // Shared memory that no carve-out has room for: the L1D stays as it is.
  import_text(&imported,
              "-gpgpu_shmem_size 98304 -gpgpu_cache:dl1 S:4:128:64,L:T:m:L:L,A:256:32,16\n"
              "-gpgpu_adaptive_cache_config 1 -gpgpu_unified_l1d_size 128\n"
              "-gpgpu_shmem_option 0,64\n");
  assert_int_equal(imported.config.sm.unified_kb, 0);
  assert_true(has_note(&imported, IMPORT_LOST, "-gpgpu_adaptive_cache_config", "sm.shared_kb = 96"));
  assert_runs(&imported);
  config_import_clear(&imported.import);
}

static void sizes_that_programs_choose_are_told_where_they_differ(void **state) {
  (void)state;
  Imported imported;
  import_text(&imported,
              "-gpgpu_shmem_size 49152 -gpgpu_shmem_size_PrefL1 16384\n"
              "-gpgpu_shmem_sizeDefault 49152 -gpgpu_shmem_size_PrefShared 49152\n"
              "-gpgpu_cache:dl1 N:32:128:4,L:L:m:N:H,S:64:8,8\n"
              "-gpgpu_cache:dl1PrefShared N:32:128:4,L:L:m:N:H,S:64:8,8\n"
              "-gpgpu_cache:dl1PrefL1 N:64:128:6,L:L:m:N:H,S:64:8,8\n");
  assert_true(has_note(&imported, IMPORT_LOST, "-gpgpu_shmem_size_PrefL1", "cannot choose"));
  assert_true(has_note(&imported, IMPORT_LOST, "-gpgpu_cache:dl1PrefL1", "cannot choose"));
  assert_int_equal(imported.import.note_count, 2);
  config_import_clear(&imported.import);
}

static void caches_that_are_too_much_become_what_is_possible(void **state) {
  (void)state;
  Imported imported;
  import_text(&imported,
              "-gpgpu_cache:dl2 N:64:128:16,L:B:m:W:L,A:1024:1024,4:0,32\n"
              "-gpgpu_cache:dl2_texture_only 0\n");
  assert_int_equal(imported.config.l2.mshrs, 1024);
  assert_int_equal(imported.config.l2.mshr_merges, 128);
  assert_true(has_note(&imported, IMPORT_CHANGED, "-gpgpu_cache:dl2", "merges 128 requests"));
  assert_runs(&imported);
  config_import_clear(&imported.import);
}

static void any_number_of_slices_can_be_indexed_as_there(void **state) {
  (void)state;
  static const struct {
    const char *indexing, *map;
    uint32_t channels;
  } maps[] = {
      {"0", "interleave", 24}, {"1", "xor", 16},        {"2", "ipoly", 24},
      {"4", "random", 12},     {"1", "interleave", 12}, {"3", "interleave", 32},
  };
  for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
    Imported imported;
    char text[512], prefix[64];
    snprintf(text, sizeof text,
             "-gpgpu_n_mem %u -gpgpu_n_sub_partition_per_mchannel 2\n"
             "-gpgpu_memory_partition_indexing %s -gpgpu_dram_timing_opt nbk=16:nbkgrp=4\n"
             "-dram_bnk_indexing_policy %u\n"
             "-gpgpu_mem_addr_mapping dramid@8;RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS\n",
             maps[i].channels, maps[i].indexing, (unsigned)i % 2);
    import_text(&imported, text);
    snprintf(prefix, sizeof prefix, "%s:channel_shift=8%s,layout=R", maps[i].map,
             i % 2 ? ",bank_xor=true" : "");
    if (strncmp(imported.config.gpu.address_map, prefix, strlen(prefix)) != 0)
      fail_msg("%s", imported.config.gpu.address_map);
    assert_int_equal(imported.import.note_count, i >= 4);
    assert_runs(&imported);
    config_import_clear(&imported.import);
  }
}

static void dram_that_needs_a_second_look(void **state) {
  (void)state;
  Imported imported;
  import_text(&imported,
              "-gpgpu_dram_timing_opt nbk=8:CCD=1:nbkgrp=3 -gpgpu_dram_burst_length 8\n"
              "-dram_seperate_write_queue_enable 1 -dram_write_queue_size 32:40:36\n"
              "-gpgpu_frfcfs_dram_sched_queue_size 0 -dram_bnkgrp_indexing_policy 0\n"
              "-gpgpu_mem_addr_mapping dramid@8;RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS\n");
  const DramConfig *dram = &imported.config.dram;
  assert_int_equal(dram->ccd, 4);
  assert_int_equal(dram->queue_entries, 4096);
  assert_int_equal(dram->write_queue_entries, 32);
  assert_int_equal(dram->write_high, 32);
  assert_int_equal(dram->write_low, 32);
  assert_int_equal(dram->bank_group_bits, GROUP_BITS_LOW);
  assert_true(
      has_note(&imported, IMPORT_CHANGED, "-gpgpu_dram_timing_opt", "CCD = 4; 1 is less than"));
  assert_true(has_note(&imported, IMPORT_CHANGED, "-dram_write_queue_size", "marks of 32 and 32"));
  assert_true(has_note(&imported, IMPORT_CHANGED, "-gpgpu_frfcfs_dram_sched_queue_size", "4096"));
  assert_true(has_note(&imported, IMPORT_CHANGED, "-dram_bnkgrp_indexing_policy", "low bits"));
  assert_true(has_note(&imported, IMPORT_CHANGED, "-gpgpu_mem_addr_mapping", "4 bank bits for 8"));
  assert_runs(&imported);
  config_import_clear(&imported.import);
  import_text(&imported,
              "-dram_seperate_write_queue_enable 1 -dram_write_queue_size 128:108:32\n"
              "-dram_bnkgrp_indexing_policy 1 -dram_elimnate_rw_turnaround 1\n");
  assert_int_equal(imported.config.dram.write_queue_entries, 128);
  assert_int_equal(imported.config.dram.write_high, 108);
  assert_int_equal(imported.config.dram.write_low, 32);
  assert_int_equal(imported.config.dram.bank_group_bits, GROUP_BITS_LOW);
  assert_true(has_note(&imported, IMPORT_LOST, "-dram_elimnate_rw_turnaround",
                       "turnaround is always modelled"));
  assert_int_equal(imported.import.note_count, 1);
  config_import_clear(&imported.import);
}

static void the_built_in_crossbar_moves_packets_whole(void **state) {
  (void)state;
  Imported imported;
  import_text(&imported,
              "-network_mode 2 -icnt_in_buffer_limit 512 -icnt_out_buffer_limit 300\n"
              "-icnt_flit_size 40 -icnt_arbiter_algo 1 -icnt_subnets 2\n");
  const CrossbarConfig *noc = &imported.config.noc;
  assert_int_equal(crossbar_flits(noc, 136), 1);
  assert_int_equal(noc->input_buffer_flits, 512);
  assert_int_equal(noc->output_buffer_flits, 300);
  assert_int_equal(noc->injection_flits, 255);
  assert_int_equal(noc->ejection_flits, 255);
  assert_true(has_note(&imported, IMPORT_CHANGED, "-network_mode", "4 cycles"));
  assert_int_equal(count_kind(&imported, IMPORT_LOST), 0);
  assert_runs(&imported);
  config_import_clear(&imported.import);
}

static void limits_count_what_is_counted_here(void **state) {
  (void)state;
  Imported imported;
  import_text(&imported, "-gpgpu_max_insn 1000 -gpgpu_max_cycle 77\n");
  assert_int_equal(imported.config.run.max_instructions, 32);  // of warps
  assert_int_equal(imported.config.run.max_cycles, 77);
  assert_true(has_note(&imported, IMPORT_CHANGED, "-gpgpu_max_insn", "32 warps in Heddle"));
  config_import_clear(&imported.import);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(compute_capability_comes_from_where_it_is_given),
      cmocka_unit_test(memory_is_as_large_as_its_mapping_says),
      cmocka_unit_test(an_empty_file_is_gpgpusims_default_machine_and_runs),
      cmocka_unit_test(clusters_and_kernels),
      cmocka_unit_test(latencies_of_every_kind),
      cmocka_unit_test(an_sm_of_sub_cores),
      cmocka_unit_test(what_cannot_be_shared_out_is_shared),
      cmocka_unit_test(ports_and_latches_that_differ_are_told),
      cmocka_unit_test(an_l1d_that_adapts),
      cmocka_unit_test(sizes_that_programs_choose_are_told_where_they_differ),
      cmocka_unit_test(caches_that_are_too_much_become_what_is_possible),
      cmocka_unit_test(any_number_of_slices_can_be_indexed_as_there),
      cmocka_unit_test(dram_that_needs_a_second_look),
      cmocka_unit_test(the_built_in_crossbar_moves_packets_whole),
      cmocka_unit_test(limits_count_what_is_counted_here),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
