#!/bin/sh
# Makes the first corpus of every fuzz target from the samples, and from any folders given.
# Small files and beginnings of the large ones: the fuzzer's own pieces must stay short.
set -eu
cd "$(dirname "$0")"
most=24000
for target in eventlog hp hp2ps input chart compare prof rules watch; do mkdir -p "corpus/$target"; done
# What people write beside a profile.
printf '%s\n' 'peak > 800MiB' 'mean > 110% of baseline' 'growth{^Map} > 1MiB/s' 'Data\.Map => maps' \
    '# a comment' '^THUNK(_|$) => thunks' '12.5s' 'last' 'phase 2' > corpus/rules/words
for folder in ../samples ../tests/regressions "$@"; do
    [ -d "$folder" ] || continue
    find "$folder" -maxdepth 1 -type f ! -name '*.md' ! -name '*.svg' | while read -r file; do
        name=$(basename "$file")
        head -c $most "$file" > corpus/seed
        case $name in
            *.hp) own='hp hp2ps watch' ;;
            *.prof | *.prof.json) own=prof ;;
            *.baseline.json | *.rules) own=rules ;;
            *) own='eventlog hp2ps watch' ;;
        esac
        for target in $own input chart compare; do cp corpus/seed "corpus/$target/$name"; done
        gzip -c corpus/seed > "corpus/input/$name.gz"
        if command -v zstd > /dev/null; then zstd -qcf corpus/seed > "corpus/input/$name.zst"; fi
        rm corpus/seed
    done
done
