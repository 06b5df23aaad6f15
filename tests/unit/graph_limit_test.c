// SPDX-License-Identifier: MIT
// Nested graphs: a graph that contains the previous one twice grows without bounds in a few
// calls; it is rejected in time, and what is there stays usable.
#include "device/graphs/graphs.h"
#include "unit/cmocka_all.h"

enum { LEVELS = 40 };

static Device *make_device(void) {
  DeviceRun options = {.spec = {.gpu = "tiny", .functional = true}};
  return device_create(&options);
}

static DeviceGraph *graph_of_one(Device *device) {
  DeviceGraph *graph;
  GraphNode *node;
  assert_int_equal(device_graph_create(device, &graph), DEVICE_OK);
  assert_int_equal(
      device_graph_add(device, graph, &(GraphWork){.kind = NODE_EMPTY}, NULL, 0, &node), DEVICE_OK);
  return graph;
}

// A graph that contains another `times` times.
static DeviceError wrap(Device *device, DeviceGraph *inside, int times, DeviceGraph **graph) {
  DeviceError error = device_graph_create(device, graph);
  for (int i = 0; i < times && !error; i++) {
    GraphNode *node;
    GraphWork work = {.kind = NODE_GRAPH, .graph = inside};
    error = device_graph_add(device, *graph, &work, NULL, 0, &node);
  }
  return error;
}

static void graphs_that_double_are_rejected(void **state) {
  (void)state;
  Device *device = make_device();
  DeviceGraph *graph = graph_of_one(device), *previous = graph;
  GraphExecution *execution;
  DeviceError error = DEVICE_OK;
  int levels = 0;
  for (; levels < LEVELS && !error; levels++) {
    previous = graph;
    error = wrap(device, previous, 2, &graph);
  }
  assert_int_equal(error, DEVICE_OUT_OF_MEMORY);
  assert_true(levels >= 16);  // 2 to the power of 16 copies are fine
  assert_true(levels <= 18);
  // The last one that fitted can be used, and the one that did not has what was added before.
  assert_int_equal(device_graph_instantiate(device, previous, 0, &execution), DEVICE_OK);
  assert_int_equal(device_execution_destroy(device, execution), DEVICE_OK);
  size_t count;
  assert_non_null(device_graph_nodes(device, graph, &count));
  assert_int_equal(count, 1);
  device_destroy(device);
}

// A node that has a child graph may be given another one.
static void a_child_cannot_be_replaced_by_one_that_is_too_large(void **state) {
  (void)state;
  Device *device = make_device();
  DeviceGraph *graph = graph_of_one(device), *large;
  GraphNode *const *nodes;
  size_t count;
  DeviceError error = DEVICE_OK;
  assert_int_equal(wrap(device, graph, 1, &large), DEVICE_OK);
  nodes = device_graph_nodes(device, large, &count);
  GraphNode *node = nodes[0], *more;
  // Each round doubles it: the graph becomes a child of itself, next to a copy.
  for (int i = 0; i < LEVELS && !error; i++) {
    GraphWork work = {.kind = NODE_GRAPH, .graph = large};
    error = device_node_set_work(device, node, &work);
    if (!error) error = device_graph_add(device, large, &work, NULL, 0, &more);
  }
  assert_int_equal(error, DEVICE_OUT_OF_MEMORY);
  device_destroy(device);
}

static void graphs_nest_128_deep(void **state) {
  (void)state;
  Device *device = make_device();
  DeviceGraph *graph = graph_of_one(device);
  GraphExecution *execution;
  for (int i = 1; i < 128; i++) assert_int_equal(wrap(device, graph, 1, &graph), DEVICE_OK);
  assert_int_equal(device_graph_instantiate(device, graph, 0, &execution), DEVICE_OK);
  assert_int_equal(device_execution_launch(device, execution, NULL), DEVICE_OK);
  assert_int_equal(wrap(device, graph, 1, &graph), DEVICE_OUT_OF_MEMORY);
  device_destroy(device);
}

// Destroyed nodes make room: what counts is what a graph has.
static void nodes_that_are_gone_do_not_count(void **state) {
  (void)state;
  Device *device = make_device();
  DeviceGraph *inside = graph_of_one(device), *graph;
  for (int i = 0; i < 10; i++) assert_int_equal(wrap(device, inside, 2, &inside), DEVICE_OK);
  assert_int_equal(device_graph_create(device, &graph), DEVICE_OK);
  for (int i = 0; i < 200; i++) {
    GraphNode *node;
    GraphWork work = {.kind = NODE_GRAPH, .graph = inside};
    assert_int_equal(device_graph_add(device, graph, &work, NULL, 0, &node), DEVICE_OK);
    assert_int_equal(device_node_destroy(device, node), DEVICE_OK);
  }
  device_destroy(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(graphs_that_double_are_rejected),
      cmocka_unit_test(a_child_cannot_be_replaced_by_one_that_is_too_large),
      cmocka_unit_test(graphs_nest_128_deep),
      cmocka_unit_test(nodes_that_are_gone_do_not_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
