#!/bin/sh
# Makes the first corpus of every fuzz target from the samples, and from any folders given.
# Small files and beginnings of the large ones: the fuzzer's own pieces must stay short.
set -eu
cd "$(dirname "$0")"
most=24000
for target in eventlog hp hp2ps input chart; do mkdir -p "corpus/$target"; done
for folder in ../samples ../tests/regressions "$@"; do
    [ -d "$folder" ] || continue
    find "$folder" -maxdepth 1 -type f ! -name '*.md' ! -name '*.svg' | while read -r file; do
        name=$(basename "$file")
        head -c $most "$file" > corpus/seed
        case $name in
            *.hp) own=hp ;;
            *) own=eventlog ;;
        esac
        for target in $own hp2ps input chart; do cp corpus/seed "corpus/$target/$name"; done
        gzip -c corpus/seed > "corpus/input/$name.gz"
        if command -v zstd > /dev/null; then zstd -qcf corpus/seed > "corpus/input/$name.zst"; fi
        rm corpus/seed
    done
done
