#!/usr/bin/env bash
# Posts the report as a comment on the pull request, or updates the last one. If there is no pull request, or
# the token may not write (as in a pull request from a fork), a notice points to the summary of the job,
# which always has the report. A missing comment never fails the job.
set -uo pipefail

comment() {
    gh pr comment "$PULL" --repo "$GITHUB_REPOSITORY" --body-file "$REPORT" "$@"
}

if [ -z "${PULL:-}" ]; then
    why='this run belongs to no pull request'
elif comment --edit-last --create-if-none; then
    exit 0
else
    why='the token may not comment'
fi
echo "::notice title=heapviz::The report is in the summary of the job: $why."
