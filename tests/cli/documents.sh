# SPDX-License-Identifier: MIT
# Every command of every document is run by a test, or samples.tsv says why not.
. "$HEDDLE_SOURCE/tests/cli/samples_common"

documents() {
  (cd "$HEDDLE_SOURCE" && find . \( -name build -o -name 'build-*' -o -name node_modules -o -name '.?*' \) -prune -o -name '*.md' -print) |
    sed 's,^\./,,' | sort
}

# Those of other tests.
others='README.md docs/cc.md docs/studies.md docs/slurm.md docs/tutorials/scheduler.md docs/tutorials/kernel.md'
for document in $others; do
  grep -lqF "$document" "$HEDDLE_SOURCE"/tests/cli/{samples,slurm,tutorials}.sh || fail "no test runs the commands of $document"
done

write_files_of docs/cc.md  # prog.cu
"$HEDDLE" cc prog.cu -o prog
for name in original optimised; do cp prog $name; done
count=0
while IFS= read -r document; do
  case " $others " in *" $document "*) continue ;; esac
  [ -n "$(commands_of "$document")" ] || continue
  run_commands_of "$document"
  count=$((count + 1))
done < <(documents)
[ "$count" -ge 12 ] || fail "commands in $count documents only"
[ "$("$HEDDLE" query compare.db --csv "select count(*) from results where program = 'matrixMul'" | tail -n 1)" = 1 ] ||
  fail "docs/usage.md: heddle merge added no run"

# Every line of the list is needed.
while IFS= read -r document; do
  while IFS= read -r line; do printf '%s\t%s\n' "$document" "$(plain "$line")"; done < <(commands_of "$document")
done < <(documents) >all
while IFS=$'\t' read -r document command reason; do
  [ -n "$reason" ] || fail "samples.tsv: no reason for $document: $command"
  found=
  while IFS=$'\t' read -r in line; do
    # shellcheck disable=SC2053  # both are patterns
    [[ $in == $document && $line == $command ]] && found=1 && break
  done <all
  [ -n "$found" ] || fail "samples.tsv: no document has: $document: $command"
done <"$not_run"

# Studies take minutes to hours; what they would run is valid. One workload is enough to resolve all
# machines of a study; the others would only be built, so their names are compared with the list.
"$HEDDLE" list workloads | awk 'NR > 1 { print tolower($1); print tolower($2) }' >workload_names
workloads_of() {  # STUDY: what its workloads stand for
  awk -F ' *= *' '/^\[/ { section = $0; sub(/^\[workload /, "", section); sub(/\].*/, "", section); named[section] = /^\[workload / }
    $1 == "workloads" { list = $2; next }
    list != "" && !done && /^ / { list = list $0; next }
    list != "" { done = 1 }
    $1 == "is" && named[section] { is[section] = $2 }
    END { n = split(list, names, /[, ]+/)
      for (i = 1; i <= n; i++) if (names[i] != "") print tolower(names[i] in is ? is[names[i]] : "*" in is ? is["*"] : names[i]) }' \
    "$HEDDLE_SOURCE/studies/$1.ini"
}
cut -f 2 all | sed -n 's/^heddle study \([a-z0-9_]*\)\( --\(report\|only\) .*\)\{0,1\}$/\1/p' | sort -u >study_names
[ "$(wc -l <study_names)" -ge 10 ] || fail "few studies in the documents: $(cat study_names)"
while IFS= read -r study; do
  workloads_of "$study" >used
  [ -s used ] && [ -z "$(grep -vxF -f workload_names used)" ] || fail "studies/$study.ini: unknown workloads: $(grep -vxF -f workload_names used)"
  part=(--only "workload=$(sed -n 's/^workloads *= *\([^, ]*\).*/\1/p' "$HEDDLE_SOURCE/studies/$study.ini" | head -n 1)")
  case $study in  # builds a rewritten program for each workload and variant
    clustering | clustering_schemes) part+=(--only variant=BSL,CLU) ;;
  esac
  "$HEDDLE" study "$study" "${part[@]}" --on commands --db "$study.db" >commands 2>err || fail "heddle study $study: $(cat err)"
  grep -q . commands || fail "heddle study $study would run nothing"
done <study_names
