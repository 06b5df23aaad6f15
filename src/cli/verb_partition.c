// SPDX-License-Identifier: MIT
// heddle partition: the share of data that each order of CTAs keeps within an SM, and
// the best partition found, as a map.
#include "cli/arguments.h"
#include "sharing/partition_table.h"

static Status partition(const Arguments *arguments, const SharingGraphs *graphs, Error *err) {
  PartitionRequest request = {.kernel = arguments_value(arguments, "--kernel", NULL),
                              .output = arguments_value(arguments, "-o", NULL),
                              .clusters = graphs->sm_count};
  TRY(arguments_number(arguments, "--clusters", 1, 65536, &request.clusters, err));
  if (!request.clusters)
    return error_set(err, ERR_USAGE, "%s: number of SMs not recorded; use --clusters N",
                     arguments->operands[0]);
  return partition_all(graphs, &request, err);
}

static Status run_partition(const Arguments *arguments, Error *err) {
  SharingGraphs graphs;
  TRY(sharing_graphs_read(&graphs, arguments->operands[0], err));
  Status status = partition(arguments, &graphs, err);
  sharing_graphs_clear(&graphs);
  return status;
}

static const CliOption partition_options[] = {
    {"-o", "FILE", "write the best partition as a map of CTAs"},
    {"--kernel", "NAME", "partition this kernel only"},
    {"--clusters", "N", "number of clusters; default: the SMs of the GPU that ran it"},
    {0}};

const Verb partition_verb = {
    .name = "partition",
    .summary = "partitions the measured sharing graph of a kernel's CTAs",
    .operands = "RESULT.json",
    .details =
        "Compares the orders of CTA clustering with METIS; see docs/cluster.md.\n"
        "  heddle run matrixMul --observe sharing:graph=true --json shared.json\n"
        "  heddle partition shared.json -o map.txt\n"
        "  heddle run matrixMul --set policy.cta_dispatch=clustered:order=map,map=map.txt\n"
        "  heddle cluster prog.cu --order table=map.txt -o prog.clustered.cu\n",
    .options = partition_options,
    .min_operands = 1,
    .max_operands = 1,
    .run = run_partition};
