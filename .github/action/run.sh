#!/usr/bin/env bash
# The work of the action: writes a report to the summary of the job, and a chart and a page into a folder, and
# fails if a budget is exceeded. Its inputs are in HEAPVIZ_* variables.
set -uo pipefail

heapviz=${HEAPVIZ:-heapviz}
log=${HEAPVIZ_LOG:?no profile was named}
out=${HEAPVIZ_OUT:-heap}
summary=${GITHUB_STEP_SUMMARY:-/dev/stdout}
outputs=${GITHUB_OUTPUT:-/dev/null}
report=$out/report.markdown

redact=()
[ "${HEAPVIZ_REDACT:-true}" = true ] && redact=(--redact)
mkdir -p "$out" || exit 1
: > "$report"

# The gravest exit status: 1 (something could not be read) is graver than 3 (a budget is
# exceeded).
worst=0
note_status() {
    case "$1" in
        0) ;;
        3) [ "$worst" = 0 ] && worst=3 ;;
        *) [ "$worst" = 1 ] || worst=$1 ;;
    esac
}

section() {
    local title=$1
    shift
    printf '\n## %s\n\n' "$title" >> "$report"
    "$@" >> "$report"
    note_status $?
}

section "Heap profile" "$heapviz" stats "${redact[@]}" -f md "$log"
if [ -n "${HEAPVIZ_BEFORE:-}" ]; then
    section "Against the version before" "$heapviz" diff "${redact[@]}" -f md "$HEAPVIZ_BEFORE" "$log"
fi

check=()
while IFS= read -r budget; do
    [ -n "${budget//[[:space:]]/}" ] && check+=(--fail-if "$budget")
done <<< "${HEAPVIZ_FAIL_IF:-}"
[ -n "${HEAPVIZ_BASELINE:-}" ] && check+=(--baseline "$HEAPVIZ_BASELINE")
if [ ${#check[@]} -gt 0 ]; then
    section "Budgets" "$heapviz" check "${redact[@]}" "${check[@]}" --annotate github -f md "$log"
fi

for name in heap.svg heap.html; do
    "$heapviz" -q "${redact[@]}" "$log" -o "$out/$name"
    note_status $?
done

cat "$report" >> "$summary"
{
    echo "report=$report"
    [ -f "$out/heap.svg" ] && echo "chart=$out/heap.svg"
    [ -f "$out/heap.html" ] && echo "page=$out/heap.html"
} >> "$outputs"
exit "$worst"
