#!/bin/sh
# Adds a section to docs/users_guide/profiling.rst of GHC. Usage: ghc.sh FILE
set -eu
grep -q '^\.\. _hp2ps:$' "$1"
cat > "$1.section" << 'END'
.. _heapviz:

Looking at heap profiles with ``heapviz``
-----------------------------------------

.. index::
   single: heapviz
   single: heap profiles; drawing

``heapviz`` is a separate program that draws the heap profiles of this chapter, from ``.hp`` files and from event logs
(``-l`` beside ``-h``), and reports which bands grow to the end of the run:

.. code-block:: none

    heapviz prog.eventlog                    # prog.svg
    heapviz prog.hp -o heap.html             # a page with zoom, all bands, stacks
    heapviz prog.eventlog --from 2s --to 5s  # a part of the run
    heapviz watch -- ./prog                  # while it runs
    heapviz stats prog.eventlog              # what leaks, since when, how fast
    heapviz hunt -- ./prog                   # up to three runs: who makes it, what it is, who holds it

Files that end inside a sample are drawn up to there. Called as ``heapviz hp2ps``, it takes the flags of the next
section and writes the same PostScript.

END
awk -v section="$1.section" '
    $0 == ".. _hp2ps:" { while ((getline line < section) > 0) print line }
    { print }' "$1" > "$1.new"
mv "$1.new" "$1"
rm "$1.section"
