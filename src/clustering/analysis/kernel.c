// SPDX-License-Identifier: MIT
// Analysis of a kernel: the CTA coordinates that it needs, the separation of CTAs executed by
// one thread, and reasons not to rewrite it.
#include "clustering/analysis/kernel.h"

#include <assert.h>
#include <string.h>

#include "clustering/analysis/declaration.h"
#include "clustering/text.h"
#include "clustering/analysis/waiting.h"

typedef struct Examination {
  Kernel *kernel;
  Program *program;
  const RewriteRequest *request;
  Body *body;  // current body
} Examination;

// Keeps the first reason.
static void refuse(const Examination *examination, const Node *node, const char *reason) {
  if (examination->kernel->refusal) return;
  examination->kernel->refusal = arena_printf(&examination->program->arena, "%s: %s",
                                              program_where(examination->program, node), reason);
}

// ---- what cannot be rewritten

static bool is_one_of(const char *name, const char *const *names) {
  for (; *names; names++)
    if (strcmp(name, *names) == 0) return true;
  return false;
}

// The node in the kernel that leads to one in a function it calls, if that
// function is not the user's.
static const Node *place_of(const Reached *reached, const Node *node) {
  return node->file == NO_FILE && reached->call ? reached->call : node;
}

static void check_names(const Examination *examination, const Reached *reached, const Node *node) {
  static const char *const groups[] = {"this_grid",    "grid_group",    "this_multi_grid",
                                       "this_cluster", "cluster_group", NULL};
  static const char *const places[] = {"group_index", "dim_blocks", "block_index", NULL};
  const char *name = node_name(reached->body->tree->arena, node);
  const Node *place = place_of(reached, node);
  if (is_one_of(name, groups))
    refuse(examination, place,
           "cooperative groups over the grid: all its CTAs must run at the same time");
  else if (is_one_of(name, places) && reached->body->node->file != NO_FILE)
    refuse(examination, place,
           "a cooperative group's place in the grid cannot be redirected; use blockIdx");
  else if (strstr(name, "sreg_ctaid") || strstr(name, "sreg_nctaid"))
    refuse(examination, place, "reads %ctaid without blockIdx");
}

// The text of an asm statement; of the macro that has it, where it comes from one.
static const char *asm_text(const Examination *examination, const Body *body, const Node *node) {
  Program *program = examination->program;
  if (node->file == NO_FILE) return "";
  const SourceFile *file = &program->sources.files[node->file];
  if (!node->is_from_macro) return text_piece(file, &program->arena, node->begin, node->end);
  const Tree *tree = body->tree;
  const char *name =
      text_piece(file, &program->arena, node->begin, text_skip_token(file, node->begin));
  for (int i = 0; i < tree->macro_count; i++)
    if (strcmp(tree->macros[i].name, name) == 0)
      return text_piece(&program->sources.files[tree->macros[i].file], &program->arena,
                        tree->macros[i].begin, tree->macros[i].end);
  return "";
}

static void check_asm(const Examination *examination, const Reached *reached, const Node *node) {
  const char *text = asm_text(examination, reached->body, node);
  const Node *place = place_of(reached, node);
  if (strstr(text, "ctaid"))
    refuse(examination, place, "inline PTX reads %ctaid or %nctaid; use blockIdx and gridDim");
  else if (strstr(text, "exit;"))
    refuse(examination, place, "inline PTX ends threads, which may have other CTAs to work on");
}

// A variable of the kernel's that a lambda without a default captures.
static bool captures_by_default(const SourceFile *file, const Node *lambda) {
  uint32_t at = text_skip_space(file, lambda->begin + 1);
  char first = file->text[at], second = file->text[text_skip_space(file, at + 1)];
  return first == '=' || (first == '&' && (second == ']' || second == ','));
}

// Whether it names blockIdx or gridDim, or calls what gets them as parameters.
static bool needs_place(const Examination *examination, const Tree *tree, const Node *lambda) {
  FOR_EACH_NODE(node, (Node *)lambda) {
    if (node_uses(tree, node)) return true;
    if (node->kind != CXCursor_DeclRefExpr && node->kind != CXCursor_MemberRefExpr) continue;
    Function *function =
        program_function(examination->program, clang_getCursorReferenced(node->cursor));
    if (function && function_needs(examination->program, function)) return true;
  }
  return false;
}

static void check_lambda(const Examination *examination, const Reached *reached, const Node *node) {
  if (node->file == NO_FILE || !needs_place(examination, reached->body->tree, node)) return;
  if (node->is_from_macro)
    refuse(examination, node, "blockIdx or gridDim in a lambda of a macro");
  else if (!captures_by_default(&examination->program->sources.files[node->file], node))
    refuse(examination, node,
           "a lambda that names blockIdx or gridDim, or calls what does, must capture them: write "
           "[&] or [=]");
}

// Functions of other sources are unknown unless these are given, too.
static void check_defined(const Examination *examination, const Reached *reached, const Node *node,
                          CXCursor target) {
  Program *program = examination->program;
  enum CXCursorKind kind = clang_getCursorKind(target);
  if (kind != CXCursor_FunctionDecl && kind != CXCursor_CXXMethod) return;
  const Function *function = program_function(program, target);
  bool is_users = function && function->declarations;
  if (!is_users || !reached->body->tree->is_device || strncmp(function->name, "__nv_", 5) == 0)
    return;
  if (program_body(program, reached->body->tree, target)) return;
  refuse(examination, place_of(reached, node),
         arena_printf(&program->arena,
                      "'%s' is not defined in the given sources and may name blockIdx",
                      function->name));
}

// A lambda created by the host can only use the built-in variables.
static void check_call(const Examination *examination, const Reached *reached, const Node *node) {
  CXCursor target = clang_getCursorReferenced(node->cursor);
  int file;
  uint32_t at;
  check_defined(examination, reached, node, target);
  if (!cursor_is_lambda(target)) return;
  if (!tree_place(reached->body->tree, clang_getCursorLocation(target), &file, &at)) return;
  const ReachedList *all = calls_reached(examination->program, examination->body);
  for (int i = 0; i < all->count; i++) {
    const Node *around = all->items[i].body->node;
    if (around->file == file && around->begin <= at && at < around->end) return;
  }
  if (tree_uses(reached->body->tree, tree_add(reached->body->tree, target)))
    refuse(examination, place_of(reached, node),
           "calls a lambda of the host that names blockIdx or gridDim");
}

// blockIdx becomes a parameter of that name, which a variable would hide and
// ::blockIdx would pass by.
static void check_hidden(const Examination *examination, const Reached *reached, const Node *node) {
  const char *name = node_name(reached->body->tree->arena, node);
  bool is_block_idx = strcmp(name, "blockIdx") == 0, is_grid_dim = strcmp(name, "gridDim") == 0;
  if (node->file == NO_FILE || (!is_block_idx && !is_grid_dim)) return;
  unsigned uses = is_block_idx ? USES_BLOCK_IDX : USES_GRID_DIM;
  const SourceFile *file = &examination->program->sources.files[node->file];
  if (node->kind == CXCursor_VarDecl && body_uses(reached->body) & uses)
    refuse(examination, node, "a variable shadows a built-in variable that is also used");
  if (node->kind == CXCursor_DeclRefExpr && !node->is_from_macro && file->text[node->begin] == ':')
    refuse(examination, node, "::blockIdx and ::gridDim cannot be redirected; leave out the ::");
}

static void check_nodes(const Examination *examination, const Reached *reached) {
  FOR_EACH_NODE(node, reached->body->node) {
    if (examination->kernel->refusal) return;
    switch (node->kind) {
      case CXCursor_DeclRefExpr:
      case CXCursor_VarDecl:
        check_names(examination, reached, node);
        check_hidden(examination, reached, node);
        break;
      case CXCursor_MemberRefExpr:
      case CXCursor_TypeRef: check_names(examination, reached, node); break;
      case CXCursor_GCCAsmStmt:
      case CXCursor_MSAsmStmt: check_asm(examination, reached, node); break;
      case CXCursor_LambdaExpr: check_lambda(examination, reached, node); break;
      case CXCursor_CallExpr: check_call(examination, reached, node); break;
      default: break;
    }
  }
}

static void check_waiting(const Examination *examination, const Reached *reached) {
  const char *reason;
  if (examination->request->is_independent || reached->body->node->file == NO_FILE) return;
  const Node *loop = waiting_loop(examination->program, reached->body, &reason);
  if (loop) refuse(examination, loop, reason);
}

// ---- barriers, shared memory, returns

// Whether a function is a barrier of the CTA.
static bool is_barrier(const char *name) {
  return strncmp(name, "__syncthreads", 13) == 0 || strcmp(name, "__barrier_sync") == 0 ||
         strcmp(name, "__nvvm_barrier_sync") == 0 || strncmp(name, "__nvvm_bar", 10) == 0;
}

static bool is_for_a_warp(const char *name) {
  static const char *const beginnings[] = {
      "__shfl",   "__ballot",          "__any",           "__all", "__match", "__syncwarp",
      "__reduce", "coalesced_threads", "tiled_partition", NULL};
  for (const char *const *beginning = beginnings; *beginning; beginning++)
    if (strncmp(name, *beginning, strlen(*beginning)) == 0) return true;
  return false;
}

static bool is_barrier_asm(const Examination *examination, const Body *body, const Node *node) {
  if (node->kind != CXCursor_GCCAsmStmt) return false;
  const char *text = asm_text(examination, body, node);
  return strstr(text, "bar.") || strstr(text, "barrier.");
}

// Return statements of the kernel, except for the last statement.
static bool is_early_return(const Body *body, const Node *node) {
  if (node->kind != CXCursor_ReturnStmt) return false;
  for (const Node *above = node->parent; above != body->node; above = above->parent)
    if (above->kind == CXCursor_LambdaExpr || node_is_function(above)) return false;
  return node->parent != body->statements || node->next;
}

// Whether a statement can still be reached when another has been.
static bool comes_after(const Node *later, const Node *earlier, const Body *body) {
  if (later->begin > earlier->begin) return true;
  for (const Node *loop = node_loop(earlier, body->statements); loop;
       loop = node_loop(loop->parent, body->statements))
    if (node_is_in(later, loop)) return true;
  return false;
}

// Calls look(data, node, place) for every node that the kernel may execute, including callees;
// place is the node of the kernel itself that leads to it.
typedef struct Sight {
  const Reached *reached;
  const Node *node, *place;
} Sight;

static bool sees(const Examination *examination, bool (*is_wanted)(const char *name), bool with_asm,
                 const Node *after, Sight *sight) {
  const Body *body = examination->body;
  const ReachedList *reached = calls_reached(examination->program, examination->body);
  for (int i = 0; i < reached->count; i++) {
    const Reached *item = &reached->items[i];
    FOR_EACH_NODE(node, item->body->statements) {
      bool is_it =
          (node->kind == CXCursor_CallExpr && is_wanted(call_name(examination->program, node))) ||
          (with_asm && is_barrier_asm(examination, item->body, node));
      const Node *place = item->call ? item->call : node;
      if (!is_it || (after && !comes_after(place, after, body))) continue;
      *sight = (Sight){.reached = item, .node = node, .place = place};
      return true;
    }
  }
  return false;
}

static bool uses_shared_memory(const Examination *examination) {
  const ReachedList *reached = calls_reached(examination->program, examination->body);
  for (int i = 0; i < reached->count; i++)
    FOR_EACH_NODE(node, reached->items[i].body->statements)
      if (node->kind == CXCursor_DeclRefExpr &&
          cursor_is_shared(clang_getCursorReferenced(node->cursor)))
        return true;
  return false;
}

static bool has_loop(const Examination *examination) {
  const ReachedList *reached = calls_reached(examination->program, examination->body);
  for (int i = 0; i < reached->count; i++)
    FOR_EACH_NODE(node, reached->items[i].body->statements)
      if (node->kind == CXCursor_ForStmt || node->kind == CXCursor_WhileStmt ||
          node->kind == CXCursor_DoStmt)
        return true;
  return false;
}

// Some threads return here while others continue to a barrier or, within a warp, to a
// shuffle.
static void examine_return(const Examination *examination, const Node *node, unsigned depends) {
  Sight sight;
  bool is_in_warps = (depends & (DEPENDS_ON_THREAD | DEPENDS_ON_MEMORY)) != 0;
  if (!is_in_warps && !(depends & DEPENDS_ON_WARP)) return;
  if (is_in_warps && sees(examination, is_for_a_warp, false, node, &sight))
    refuse(examination, node,
           arena_printf(
               &examination->program->arena,
               "some threads return here before the others %s at %s: the threads of an agent must "
               "not exit; skip the rest with a condition instead, or use --method redirection",
               call_name(examination->program, sight.node),
               program_where(examination->program, sight.place)));
  if (sees(examination, is_barrier, true, node, &sight))
    examination->kernel->separation = SEPARATION_RETURNS;
}

// Barriers in the text of the user become ones that threads take part in which
// have returned; others cannot.
static void check_replaceable_barriers(const Examination *examination) {
  const ReachedList *reached = calls_reached(examination->program, examination->body);
  for (int i = 0; i < reached->count; i++) {
    const Reached *item = &reached->items[i];
    FOR_EACH_NODE(node, item->body->statements) {
      const char *name =
          node->kind == CXCursor_CallExpr ? call_name(examination->program, node) : "";
      bool is_plain =
          strcmp(name, "__syncthreads") == 0 && node->file != NO_FILE && !node->is_from_macro;
      if ((is_barrier(name) && !is_plain) || is_barrier_asm(examination, item->body, node))
        refuse(examination, place_of(item, node),
               "a barrier that some threads return before, and that is not a plain "
               "__syncthreads(): use --method redirection");
    }
  }
}

static void examine_returns(const Examination *examination) {
  Dependence dependence;
  dependence_init(&dependence, examination->program, examination->body);
  FOR_EACH_NODE(node, examination->body->statements)
    if (is_early_return(examination->body, node))
      examine_return(examination, node, dependence_control(&dependence, node));
  dependence_clear(&dependence);
}

// All definitions of a kernel use the same separation: the strongest that one needs.
static void examine_separation(Examination *examination) {
  Kernel *kernel = examination->kernel;
  FOR_EACH_BODY(body, kernel->function) {
    examination->body = body;
    if (kernel->separation == SEPARATION_NONE && uses_shared_memory(examination))
      kernel->separation = SEPARATION_BARRIER;
    kernel->has_loop |= has_loop(examination);
    if (examination->kernel->rewriting->method == METHOD_AGENTS) examine_returns(examination);
  }
  if (kernel->separation != SEPARATION_RETURNS) return;
  FOR_EACH_BODY(body, kernel->function) {
    examination->body = body;
    check_replaceable_barriers(examination);
  }
}

// ---- declarations

static void check_declarations(const Examination *examination) {
  const Function *function = examination->kernel->function;
  for (const Declaration *declaration = function->declarations; declaration;
       declaration = declaration->next) {
    const char *reason = declaration_obstacle(examination->program, function, declaration);
    if (reason) refuse(examination, declaration->node, reason);
  }
}

// A constructor that nobody wrote may run an initialiser, in any function.
static void check_members(const Examination *examination) {
  for (int i = 0; i < examination->program->tree_count; i++) {
    const Tree *tree = examination->program->trees[i];
    FOR_EACH_NODE(node, tree->root)
      if (node->kind == CXCursor_FieldDecl && tree_uses(tree, node))
        refuse(examination, node,
               "the initializer of a member names blockIdx or gridDim and cannot get them as "
               "parameters");
  }
}

static bool is_clustered(const Kernel *kernel) {
  const Node *first = node_child_of_kind(kernel->body->node, CXCursor_ParmDecl);
  if (!first) return false;
  CXString type = clang_getTypeSpelling(clang_getCursorType(first->cursor));
  bool is_plan = strstr(clang_getCString(type), "heddle::cluster::") != NULL;
  clang_disposeString(type);
  return is_plan;
}

// Of the device if there is one. braces: NULL for any definition.
static Body *choose_body(Function *function, const Node *braces) {
  Body *chosen = NULL;
  FOR_EACH_BODY(body, function) {
    bool is_here = !braces || (body->statements->file == braces->file &&
                               body->statements->begin == braces->begin);
    if (!is_here) continue;
    if (!chosen || (body->tree->is_device && !chosen->tree->is_device)) chosen = body;
  }
  return chosen;
}

Body *kernel_body_in(const Kernel *kernel, const Node *braces) {
  Body *body = choose_body(kernel->function, braces);
  assert(body);
  return body;
}

static void examine_uses(Kernel *kernel, Program *program) {
  FOR_EACH_BODY(body, kernel->function) kernel->uses |= body_uses(body);
  kernel->needs = function_needs(program, kernel->function);
}

void kernel_examine(Kernel *kernel, Program *program, const RewriteRequest *request) {
  Examination examination = {.kernel = kernel, .program = program, .request = request};
  const Declaration *declaration = kernel->function->declarations;
  kernel->body = choose_body(kernel->function, NULL);
  if (!kernel->body) {
    refuse(&examination, declaration->node, "declared here but not defined in the given sources");
    return;
  }
  Node *unknown;
  if (is_clustered(kernel)) refuse(&examination, kernel->body->node, "already clustered");
  if (kernel->body->is_dependent && !calls_are_known(program, kernel->body, &unknown))
    refuse(&examination, unknown,
           "what this calls depends on template arguments, and no instance is launched here");
  check_declarations(&examination);
  check_members(&examination);
  examine_uses(kernel, program);
  FOR_EACH_BODY(body, kernel->function) {
    const ReachedList *reached = calls_reached(program, body);
    examination.body = body;
    for (int i = 0; i < reached->count; i++) {
      Body *each = reached->items[i].body;
      if (each->checked_for == kernel->function) continue;
      each->checked_for = kernel->function;
      check_nodes(&examination, &reached->items[i]);
      check_waiting(&examination, &reached->items[i]);
    }
  }
  if (!kernel->refusal) examine_separation(&examination);
}
