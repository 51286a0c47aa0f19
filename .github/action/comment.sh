#!/usr/bin/env bash
# Posts the report as a comment on the pull request, or updates its own earlier one, which begins with the
# same mark: other comments of the same bot are left alone. If there is no pull request, or the token may
# not write (as in a pull request from a fork), a notice points to the summary of the job, which always has
# the report. A missing comment never fails the job.
set -uo pipefail

# The id of the last comment that begins with the mark.
earlier() {
    local mark
    mark=$(head -n 1 "$REPORT")
    MARK=$mark gh api --paginate "repos/$GITHUB_REPOSITORY/issues/$PULL/comments" \
        --jq '.[] | select(.body | startswith(env.MARK)) | .id' | tail -n 1
}

post() {
    local id
    id=$(earlier) || return 1
    if [ -n "$id" ]; then
        gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" -F "body=@$REPORT"
    else
        gh pr comment "$PULL" --repo "$GITHUB_REPOSITORY" --body-file "$REPORT"
    fi
}

if [ -z "${PULL:-}" ]; then
    why='this run belongs to no pull request'
elif post; then
    exit 0
else
    why='the token may not comment'
fi
echo "::notice title=heapviz::The report is in the summary of the job: $why."
