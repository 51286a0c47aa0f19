#!/bin/sh
# Draws the heap profiles of shake-bench by heapviz. Usage: hls.sh shake-bench/src/Development/Benchmark/Rules.hs
set -eu
grep -q '"hp2pretty"' "$1"
# The call, and the renaming of its output, which follows it.
awk '
    /"hp2pretty"/ {
        match($0, /^ */)
        indent = substr($0, 1, RLENGTH)
        print indent "let heapviz = \"heapviz\" :: String"
        print indent "    [_, _, _, ver, _] = splitDirectories out"
        print indent "cmd_ heapviz [\"-q\", \"-o\", out, hpFile]"
        print indent "cmd_ heapviz [\"-q\", \"stats\", \"--label\", \"version=\" <> ver, \"-o\", out -<.> \"json\", hpFile]"
        skipped = 1
        next
    }
    skipped && /renameFile/ { skipped = 0; next }
    { skipped = 0; print }' "$1" > "$1.new"
mv "$1.new" "$1"
