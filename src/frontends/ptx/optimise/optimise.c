// SPDX-License-Identifier: MIT
// The optimising pass: the optimisations of the assembler (ptxas).
#include "frontends/ptx/optimise/optimise.h"

#include "frontends/ptx/optimise/steps.h"

void optimise_function(Lowering *lowering, const CompilerConfig *config) {
  const CompilerRules *rules = compiler_rules(config);
  Graph graph;
  lowering->first_made = lowering->register_count;
  branches_clean(lowering);
  registers_shorten(lowering);
  copies_coalesce(lowering);
  turns_write_out(lowering, rules);
  loops_unroll(lowering, rules);
  graph_build(&graph, lowering);
  unreached_remove(&graph);
  values_number(&graph, rules);
  sums_combine(&graph);
  values_number(&graph, rules);
  dead_code_remove(&graph);
  accesses_merge(&graph);
  if (rules->aggregates_atomics) atomics_aggregate(&graph, rules);
  if (rules->has_triples) triples_join(&graph, rules);
  parameters_preload(&graph);
  graph_clear(&graph);
  branches_clean(lowering);
  copies_coalesce(lowering);
  branches_guard(lowering, rules);
  constants_materialise(lowering);
  instructions_expand(lowering, rules);
  blocks_reorder(lowering, rules);
  if (rules->pipe_cycles > 1) pipes_choose(lowering, rules);
}
