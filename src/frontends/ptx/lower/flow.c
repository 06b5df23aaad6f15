// SPDX-License-Identifier: MIT
// Basic blocks, and reconvergence of diverged lanes at the immediate post-dominator of the branch
// (Fung et al., "Dynamic Warp Formation", MICRO 2007), as in GPGPU-Sim.
#include "frontends/ptx/lower/flow.h"

#include <string.h>

#include "base/memory.h"

// Calls do not end a block: they return to the next instruction with the same lanes.
static bool ends_block(const Instruction *in) {
  switch (in->form.op) {
    case OP_BRA:
    case OP_BRX:
    case OP_RET:
    case OP_EXIT:
    case OP_TRAP:
    case OP_BRKPT: return true;
    default: return false;
  }
}

static bool falls_through(const Instruction *in) {
  return in->guard != NO_PLACE || !ends_block(in);
}

static void mark_leaders(const Instruction *code, uint32_t count, bool *is_leader) {
  is_leader[0] = true;
  for (uint32_t i = 0; i < count; i++) {
    const Instruction *in = &code[i];
    if (in->form.op == OP_BRA) is_leader[in->target] = true;
    for (int64_t k = 0; in->form.op == OP_BRX && k < in->offset; k++)
      is_leader[in->targets[k]] = true;
    if (ends_block(in) && i + 1 < count) is_leader[i + 1] = true;
  }
}

static void add_edge(Flow *flow, FlowBlock *block, uint32_t to) {
  GROW(flow->edges, flow->edge_count, flow->edge_capacity);
  flow->edges[flow->edge_count++] = to;
  block->successor_count++;
}

// ret, exit and trap lead to the exit node, guarded ones also to the next block.
static void add_edges(Flow *flow, const Instruction *code, uint32_t b) {
  FlowBlock *block = &flow->blocks[b];
  const Instruction *last = &code[block->end - 1];
  block->successors = flow->edge_count;
  if (falls_through(last)) add_edge(flow, block, b + 1);  // the exit, after the last block
  if (last->form.op == OP_BRA)
    add_edge(flow, block, flow->block_of[last->target]);
  else if (last->form.op == OP_BRX)
    for (int64_t k = 0; k < last->offset; k++)
      add_edge(flow, block, flow->block_of[last->targets[k]]);
  else if (ends_block(last))
    add_edge(flow, block, flow->block_count);
}

void flow_build(Flow *flow, const Instruction *code, uint32_t count) {
  *flow = (Flow){.block_of = memory_alloc(sizeof(uint32_t) * (count + 1))};
  bool *is_leader = memory_alloc(count + 1);
  mark_leaders(code, count, is_leader);
  for (uint32_t i = 0; i < count; i++) flow->block_count += is_leader[i];
  flow->blocks = memory_alloc(sizeof(FlowBlock) * flow->block_count);
  uint32_t b = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (is_leader[i]) flow->blocks[b++].first = i;
    flow->block_of[i] = b - 1;
    flow->blocks[b - 1].end = i + 1;
  }
  memory_free(is_leader);
  for (b = 0; b < flow->block_count; b++) add_edges(flow, code, b);
}

// Post-dominators: dominators of the reversed graph, by the iterative algorithm
// of Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
typedef struct PostDominators {
  uint32_t node_count;           // blocks and the exit, which is the last node
  uint32_t *first_pred, *preds;  // CFG predecessors: edges of the reversed graph
  uint32_t *order;               // nodes in post-order of the reversed graph
  uint32_t *number;              // position of a node in that order
  uint32_t order_count;
  uint32_t *immediate;
  bool *escapes;  // part of an infinite loop: has an artificial edge to the exit
} PostDominators;

#define UNKNOWN UINT32_MAX

static void collect_predecessors(PostDominators *post, const Flow *flow) {
  for (uint32_t i = 0; i < flow->edge_count; i++) post->first_pred[flow->edges[i] + 1]++;
  for (uint32_t n = 0; n < post->node_count; n++) post->first_pred[n + 1] += post->first_pred[n];
  uint32_t *next = memory_alloc(sizeof *next * post->node_count);
  memcpy(next, post->first_pred, sizeof *next * post->node_count);
  for (uint32_t b = 0; b < flow->block_count; b++)
    for (uint32_t i = 0; i < flow->blocks[b].successor_count; i++) {
      uint32_t to = flow->edges[flow->blocks[b].successors + i];
      post->preds[next[to]++] = b;
    }
  memory_free(next);
}

// Depth-first traversal of reversed edges from start, numbering nodes in post-order.
static void visit_from(PostDominators *post, uint32_t start, bool *visited, uint32_t *stack,
                       uint32_t *position) {
  uint32_t depth = 0;
  visited[start] = true;
  stack[depth] = start;
  position[depth++] = post->first_pred[start];
  while (depth) {
    uint32_t node = stack[depth - 1];
    if (position[depth - 1] == post->first_pred[node + 1]) {
      post->number[node] = post->order_count;
      post->order[post->order_count++] = node;
      depth--;
      continue;
    }
    uint32_t pred = post->preds[position[depth - 1]++];
    if (visited[pred]) continue;
    visited[pred] = true;
    stack[depth] = pred;
    position[depth++] = post->first_pred[pred];
  }
}

// Blocks that never reach the exit get an artificial edge to it: any
// reconvergence point is correct for paths that never end. The exit is last in
// the order in any case.
static void order_nodes(PostDominators *post) {
  uint32_t exit = post->node_count - 1;
  bool *visited = memory_alloc(post->node_count);
  bool *reaches = memory_alloc(post->node_count);
  uint32_t *stack = memory_alloc(sizeof *stack * post->node_count);
  uint32_t *position = memory_alloc(sizeof *position * post->node_count);
  visit_from(post, exit, reaches, stack, position);
  post->order_count = 0;
  visited[exit] = true;
  for (uint32_t n = exit; n-- > 0;)
    if (!reaches[n] && !visited[n]) {
      post->escapes[n] = true;
      visit_from(post, n, visited, stack, position);
    }
  visited[exit] = false;
  visit_from(post, exit, visited, stack, position);
  memory_free(visited);
  memory_free(reaches);
  memory_free(stack);
  memory_free(position);
}

// Numbers increase towards the exit: the node with the smaller one moves up.
static uint32_t meet(const PostDominators *post, uint32_t a, uint32_t b) {
  while (a != b) {
    while (post->number[a] < post->number[b]) a = post->immediate[a];
    while (post->number[b] < post->number[a]) b = post->immediate[b];
  }
  return a;
}

static uint32_t meet_of_successors(const PostDominators *post, const Flow *flow, uint32_t node) {
  const FlowBlock *block = &flow->blocks[node];
  uint32_t found = post->escapes[node] ? post->node_count - 1 : UNKNOWN;
  for (uint32_t i = 0; i < block->successor_count; i++) {
    uint32_t successor = flow->edges[block->successors + i];
    if (post->immediate[successor] == UNKNOWN) continue;
    found = found == UNKNOWN ? successor : meet(post, found, successor);
  }
  return found;
}

static void iterate(PostDominators *post, const Flow *flow) {
  uint32_t exit = post->node_count - 1;
  for (uint32_t n = 0; n < exit; n++) post->immediate[n] = UNKNOWN;
  post->immediate[exit] = exit;
  bool changed = true;
  while (changed) {
    changed = false;
    for (uint32_t i = post->order_count; i-- > 0;) {
      uint32_t node = post->order[i];
      if (node == exit) continue;
      uint32_t found = meet_of_successors(post, flow, node);
      if (found != post->immediate[node]) {
        post->immediate[node] = found;
        changed = true;
      }
    }
  }
}

void flow_reconverge(const Flow *flow, Instruction *code) {
  uint32_t nodes = flow->block_count + 1;
  PostDominators post = {
      .node_count = nodes,
      .first_pred = memory_alloc(sizeof(uint32_t) * (nodes + 1)),
      .preds = memory_alloc(sizeof(uint32_t) * (flow->edge_count + 1)),
      .order = memory_alloc(sizeof(uint32_t) * nodes),
      .number = memory_alloc(sizeof(uint32_t) * nodes),
      .immediate = memory_alloc(sizeof(uint32_t) * nodes),
      .escapes = memory_alloc(nodes),
  };
  collect_predecessors(&post, flow);
  order_nodes(&post);
  iterate(&post, flow);
  for (uint32_t b = 0; b < flow->block_count; b++) {
    Instruction *last = &code[flow->blocks[b].end - 1];
    uint32_t meeting = post.immediate[b];
    bool is_branch = last->form.op == OP_BRA || last->form.op == OP_BRX;
    // Lanes that reconverge only at the exit need no reconvergence point.
    if (is_branch && meeting < flow->block_count) last->reconverge = flow->blocks[meeting].first;
  }
  memory_free(post.first_pred);
  memory_free(post.preds);
  memory_free(post.order);
  memory_free(post.number);
  memory_free(post.immediate);
  memory_free(post.escapes);
}

void flow_clear(Flow *flow) {
  memory_free(flow->blocks);
  memory_free(flow->edges);
  memory_free(flow->block_of);
  *flow = (Flow){0};
}
