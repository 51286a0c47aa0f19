#!/bin/sh
# Makes the first corpus of every fuzz target: from the samples, the data of the tests, fuzz/seeds, the
# shared folder if it exists (HEAPVIZ_SHARED, or ../shared), and any folders given.
#
# Targets that read plain bytes get the contents of compressed files. Pieces must stay short, so a
# large file gives two seeds: its beginning, and its first bytes (where the header is) with its end.
set -eu

whole=24000
front=4000

folders=
for folder in "$@"; do
    folders="$folders$(cd "$folder" && pwd)
"
done
shared=${HEAPVIZ_SHARED:-$(dirname "$0")/../../shared}
if [ -d "$shared/data" ]; then
    folders="$folders$(cd "$shared/data" && pwd)
"
fi
cd "$(dirname "$0")"
mkdir -p corpus
scratch=$(mktemp -d "${TMPDIR:-/tmp}/heapviz-seed.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

targets=$(for file in fuzz_targets/*.rs; do basename "$file" .rs; done)
for target in $targets; do mkdir -p "corpus/$target"; done

# put FILE NAME TARGET...: copies a seed to the corpus of each target.
put() {
    file=$1 name=$2
    shift 2
    for target in "$@"; do cp "$file" "corpus/$target/$name"; done
}

# unpack FILE: the contents of a file that may be compressed, as far as they can be read.
unpack() {
    case $1 in
        *.gz) gzip -dc "$1" 2> /dev/null || true ;;
        *.zst) zstd -dcq "$1" 2> /dev/null || true ;;
        *) cat "$1" ;;
    esac
}

# plain FILE NAME: gives a short plain file to the targets that can read it, and packs it for `input`.
plain() {
    case $2 in
        *.prof*) put "$1" "$2" prof input ;;
        *.hp*) put "$1" "$2" hp hp2ps watch input chart compare ;;
        *) put "$1" "$2" eventlog hp2ps watch input chart compare ;;
    esac
    gzip -nc "$1" > "corpus/input/$2.gz"
    if command -v zstd > /dev/null; then zstd -qcf "$1" > "corpus/input/$2.zst"; fi
}

profiles() {
    find "$1" -type f | grep -E '\.(eventlog|stream|hp|prof)(\.json)?(\.gz|\.zst)?$' \
        | grep -vE '\.(eventlog|stream|hp)\.json$' | while read -r file; do
        # Files of one name are in several folders.
        name=$(basename "$(dirname "$file")")-$(basename "$file")
        unpack "$file" > "$scratch/all"
        name=${name%.gz} name=${name%.zst}
        # Half a report in JSON is refused.
        case $name in *.prof*) most=64000 ;; *) most=$whole ;; esac
        head -c $most "$scratch/all" > "$scratch/seed"
        if [ -s "$scratch/seed" ]; then plain "$scratch/seed" "$name"; fi
        if [ "$(wc -c < "$scratch/all")" -gt $most ]; then
            { head -c $front "$scratch/all"; tail -c $((most - front)) "$scratch/all"; } > "$scratch/seed"
            plain "$scratch/seed" "$name.end"
        fi
        # A file whose packing is the odd thing about it.
        case $file in
            *.gz | *.zst)
                head -c $whole "$file" > "$scratch/seed"
                put "$scratch/seed" "packed-$(basename "$file")" input watch
                ;;
        esac
    done
}

printf '%s' "../samples
../tests/data
seeds
$folders" | while read -r folder; do profiles "$folder"; done
# These names say what was found, and not always what the file is.
for file in ../tests/regressions/*; do
    put "$file" "$(basename "$file")" eventlog hp hp2ps watch input chart compare prof
done

# What people write beside a profile: the files of seeds/rules, each of their lines, and every value
# that documents and tests give to the flags that take such words.
flags='accept|alert|at|exclude|fail-if|focus|from|group|include|to'
for file in seeds/rules/*; do
    put "$file" "$(basename "$file")" rules
    case $file in *.json) ;; *) cat "$file" ;; esac
done > "$scratch/words"
grep -rhoE -- "--($flags)[ =]'[^']+'" ../README.md ../docs ../action.yml ../samples/README.md \
    | sed "s/^[^']*'//; s/'\$//" >> "$scratch/words"
grep -rhoE -- "\"--($flags)\", r?#?\"([^\"\\]|\\\\.)+\"" ../tests ../src \
    | sed 's/^"[^"]*", r*#*"//; s/"$//; s/\\"/"/g' >> "$scratch/words"
sort -u "$scratch/words" | grep -v '^#' | grep . | while read -r line; do
    count=$((${count:-0} + 1))
    printf '%s\n' "$line" > "corpus/rules/line-$count"
done

for target in $targets; do
    count=$(find "corpus/$target" -type f | wc -l)
    printf '%-10s %5d seeds\n' "$target" "$count"
    if [ "$count" -lt 10 ]; then
        echo "fuzz/seed.sh: too few seeds for the target $target" >&2
        exit 1
    fi
done
