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

# Studies take minutes to hours; what they would run is valid.
cut -f 2 all | sed -n 's/^heddle study \([a-z0-9_]*\)\( --\(report\|only\) .*\)\{0,1\}$/\1/p' | sort -u >study_names
[ "$(wc -l <study_names)" -ge 10 ] || fail "few studies in the documents: $(cat study_names)"
while IFS= read -r study; do
  part=()
  case $study in  # builds a rewritten program for each workload and variant
    clustering | clustering_schemes) part=(--only workload=matrixMul --only variant=BSL,CLU) ;;
    clustering_l1) part=(--only workload=syrk --only variant=BSL) ;;
  esac
  "$HEDDLE" study "$study" "${part[@]}" --on commands --db "$study.db" >commands 2>err || fail "heddle study $study: $(cat err)"
  grep -q . commands || fail "heddle study $study would run nothing"
done <study_names
