#!/usr/bin/env bash
# The work of the action: writes a report to the summary of the job, and a chart and a page into a folder, and
# fails if a budget is exceeded. Its inputs are in HEAPVIZ_* variables.
set -uo pipefail

heapviz=${HEAPVIZ:-heapviz}
out=${HEAPVIZ_OUT:-heap}
# The name of the chart and the page, and so of the artifacts, which must differ within a workflow.
name=${HEAPVIZ_NAME:-heap}
summary=${GITHUB_STEP_SUMMARY:-/dev/stdout}
outputs=${GITHUB_OUTPUT:-/dev/null}
report=$out/report.markdown

# A file whose name begins with a dash is no flag.
file() {
    case "$1" in
        -*) printf './%s' "$1" ;;
        *) printf '%s' "$1" ;;
    esac
}
log=$(file "${HEAPVIZ_LOG:?no profile was named}")
before=$(file "${HEAPVIZ_BEFORE:-}")
baseline=$(file "${HEAPVIZ_BASELINE:-}")

case "$name" in
    # Neither a line of its own nor the end of a comment: it stands in the first line of the report and in outputs.
    */* | -* | .* | '' | *--* | *[[:cntrl:]]*)
        # shellcheck disable=SC2016 # The backticks are Markdown.
        echo '::error title=heapviz::`name` is the name of a file, without a slash, `--` or control characters'
        exit 1
        ;;
esac
# What is not understood must not publish anything.
case "${HEAPVIZ_REDACT:-true}" in
    true) redact=(--redact) ;;
    false) redact=() ;;
    *)
        # shellcheck disable=SC2016 # The backticks are Markdown.
        echo '::error title=heapviz::`redact` is true or false'
        exit 1
        ;;
esac
case "$out" in *[[:cntrl:]]*) echo '::error title=heapviz::HEAPVIZ_OUT is one line'; exit 1 ;; esac
mkdir -p "$out" || exit 1
# An earlier use in this job may have left its own.
rm -f "$out/$name.svg" "$out/$name.html"
# comment.sh finds its comment by this line.
echo "<!-- heapviz $name -->" > "$report"

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
if [ -n "$before" ]; then
    section "Against the version before" "$heapviz" diff "${redact[@]}" -f md "$before" "$log"
fi

check=()
while IFS= read -r budget; do
    [ -n "${budget//[[:space:]]/}" ] && check+=(--fail-if "$budget")
done <<< "${HEAPVIZ_FAIL_IF:-}"
[ -n "$baseline" ] && check+=(--baseline "$baseline")
if [ ${#check[@]} -gt 0 ]; then
    # A check that cannot tell must not be green.
    section "Budgets" "$heapviz" check "${redact[@]}" "${check[@]}" --fail-if-unknown --annotate github -f md "$log"
fi

for ending in svg html; do
    "$heapviz" -q "${redact[@]}" "$log" -o "$out/$name.$ending"
    note_status $?
done

cat "$report" >> "$summary"
{
    echo "report=$report"
    [ -f "$out/$name.svg" ] && echo "chart=$out/$name.svg"
    [ -f "$out/$name.html" ] && echo "page=$out/$name.html"
} >> "$outputs"
exit "$worst"
