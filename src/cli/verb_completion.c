// SPDX-License-Identifier: MIT
// heddle completion SHELL: what makes a shell complete heddle's words. The shells
// only hand over what is typed; heddle itself knows what may follow
// (completion_words.h), so that it is always that of the program that is there.
#include <string.h>

#include "cli/completion_words.h"
#include "cli/verb.h"

// bash takes `=` and `:` for ends of words, and wants only what follows them.
static const char bash_script[] =
    "# bash completion for heddle, made by `heddle completion bash`\n"
    "_heddle() {\n"
    "  local line=${COMP_LINE:0:COMP_POINT} breaks= word cut= IFS=$' \\t\\n' words\n"
    "  read -ra words <<<\"$line\"\n"
    "  case $line in *[[:space:]]) words+=('') ;; esac\n"
    "  word=${words[${#words[@]} - 1]}\n"
    "  case $COMP_WORDBREAKS in *=*) breaks+='=' ;; esac\n"
    "  case $COMP_WORDBREAKS in *:*) breaks+=':' ;; esac\n"
    "  [ -z \"$breaks\" ] || cut=${word%\"${word##*[$breaks]}\"}\n"
    "  IFS=$'\\n'\n"
    "  COMPREPLY=($(\"${words[0]/#\\~/$HOME}\" completion words -- \"${words[@]:1}\" 2>/dev/null))\n"
    "  COMPREPLY=(\"${COMPREPLY[@]#\"$cut\"}\")\n"
    "  case ${COMPREPLY[0]-} in *[.=:]) compopt -o nospace 2>/dev/null ;; esac\n"
    "}\n"
    "complete -o default -F _heddle heddle\n";

static const char zsh_script[] =
    "#compdef heddle\n"
    "# zsh completion for heddle, made by `heddle completion zsh`\n"
    "_heddle() {\n"
    "  local -a found\n"
    "  found=(\"${(@f)$(${(Q)words[1]} completion words -- \"${(@Q)words[2,CURRENT-1]}\" \"$PREFIX\" "
    "2>/dev/null)}\")\n"
    "  compadd -S '' -- ${(M)found:#*[.=:]}\n"
    "  compadd -- ${found:#*[.=:]}\n"
    "  (( CURRENT < 3 )) || _files\n"
    "}\n"
    "if [ \"$funcstack[1]\" = _heddle ]; then _heddle \"$@\"; else compdef _heddle heddle; fi\n";

static const char fish_script[] =
    "# fish completion for heddle, made by `heddle completion fish`\n"
    "function __heddle_words\n"
    "  set -l words (commandline -opc)\n"
    "  set -l program $words[1]\n"
    "  set -e words[1]\n"
    "  set -l last (commandline -ct)\n"
    "  set -l found ($program completion words -- $words \"$last\" 2>/dev/null)\n"
    "  if set -q found[1]\n"
    "    printf '%s\\n' $found\n"
    "  else\n"
    "    __fish_complete_path \"$last\"\n"
    "  end\n"
    "end\n"
    "complete -c heddle -f -a '(__heddle_words)'\n";

static Status run_completion(const Arguments *arguments, Error *err) {
  const char *shell = arguments->operands[0];
  if (strcmp(shell, "words") == 0 && arguments->program)
    completion_words(arguments->program, stdout);
  else if (strcmp(shell, "bash") == 0)
    fputs(bash_script, stdout);
  else if (strcmp(shell, "zsh") == 0)
    fputs(zsh_script, stdout);
  else if (strcmp(shell, "fish") == 0)
    fputs(fish_script, stdout);
  else
    return error_set(err, ERR_USAGE, "no completion for '%.40s' (bash, zsh, fish)", shell);
  return OK;
}

const Verb completion_verb = {
    .name = "completion",
    .summary = "prints a shell completion script",
    .operands = "bash|zsh|fish",
    .details =
        "`make install` installs the scripts. To try one in the current shell:\n  source <(heddle "
        "completion bash)\n  source <(heddle completion zsh)\n  heddle completion fish | "
        "source\n`heddle completion words -- WORD...` prints the completions of the last word.\n",
    .options = (const CliOption[]){{0}},
    .takes_program = true,
    .min_operands = 1,
    .max_operands = 1,
    .run = run_completion};
