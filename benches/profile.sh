#!/bin/sh
# Where the recorded paths spend their instructions, by function, as a Markdown table.
# Builds heapviz once more, with its symbols, in target/symbols. Needs valgrind.
set -eu
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

cargo bench --quiet --locked --profile dev --bench instructions -- --inputs "$folder"
CARGO_PROFILE_RELEASE_STRIP=none CARGO_PROFILE_RELEASE_DEBUG=1 \
    cargo build --quiet --locked --release --target-dir target/symbols

echo '| path | share | function, with what is inlined into it |'
echo '|---|---|---|'
for input in "$folder"/*-svg; do
    valgrind --quiet --tool=callgrind --callgrind-out-file="$folder/out" \
        target/symbols/release/heapviz -q --heap-lines all -o "$folder/picture.svg" "$input"
    # One line for each function and the file that it was inlined from, added up by function.
    callgrind_annotate --auto=no --threshold=100 "$folder/out" |
        sed -n 's/^ *\([0-9,]*\) ([^)]*)  [^ ]*\.[A-Za-z]*:\(.*\)$/\1\t\2/p' |
        sed 's/ \[[^]]*\]$//' |
        awk -F'\t' -v path="$(basename "$input")" '
            { gsub(",", "", $1); sum[$2] += $1; all += $1 }
            END { for (name in sum)
                if (sum[name] > all / 25)
                    printf "| %s | %.0f %% | `%s` |\n", path, 100 * sum[name] / all, name }' |
        sort -t'|' -k3 -rn
done
