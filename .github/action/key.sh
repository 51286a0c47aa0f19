#!/usr/bin/env bash
# The key of the cache for the action's binary: what it was built from, and for which machine. The runner's own
# hashFiles sees only files of the workspace, and an action may be elsewhere.
set -euo pipefail
cd "${GITHUB_ACTION_PATH:?}"
sum() {
    if command -v sha256sum > /dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi
}
of=$(find Cargo.toml Cargo.lock build.rs src templates -type f -print0 | LC_ALL=C sort -z |
    while IFS= read -r -d '' file; do sum "$file"; done | sum | cut -d' ' -f1)
echo "key=heapviz-$(uname -s)-$(uname -m)-$of" >> "${GITHUB_OUTPUT:-/dev/stdout}"
