#!/bin/sh
# Fills two sections of src/Measurement_Observation/Heap_Ghc/eventlog.rst. Usage: handbook.sh FILE
set -eu
for heading in 'Building with EventLog support' 'Visualizing EventLog'; do
    grep -qx "$heading" "$1"
done
cat > "$1.building" << 'END'

Link the program with ``-rtsopts`` (GHC before 9.4: ``-rtsopts -eventlog``) and ask for a heap profile and an event log in
one run:

.. code-block:: console

   $ ghc -O1 -rtsopts -eventlog Main.hs
   $ ./Main +RTS -hT -l-agu -i0.1

``-hT`` breaks the heap down by closure type and needs no profiling build. With a profiling build, ``-hc`` (by cost centre)
and ``-hy`` (by type) say more; ``-hi`` with ``-finfo-table-map -fdistinct-constructor-tables`` names lines of source
without one. ``-l-agu`` leaves the scheduler's events out, which are most of a log. ``-i0.1`` is the time between two
samples: a verdict on a leak needs 15 of them, and 30 to be sure.
END
cat > "$1.visualizing" << 'END'

|eventlog2html| makes an interactive page of a log. ``heapviz`` draws logs and ``.hp`` files as SVG, PNG, PDF or as one
offline page, and reports what grows to the end of the run, since when and how fast:

.. code-block:: console

   $ heapviz Main.eventlog -o heap.html
   $ heapviz stats Main.eventlog
   $ heapviz diff before.eventlog after.eventlog
   $ heapviz hunt -- ./Main

``hunt`` runs a profiled program up to three times, each restricted to the suspect of the run before, and prints one
chain: who makes what leaks, what it is, and who holds it, with the lines of source.
END
awk -v building="$1.building" -v visualizing="$1.visualizing" '
    function insert(file,  line) { while ((getline line < file) > 0) print line }
    { print }
    before == "Building with EventLog support" { insert(building) }
    before == "Visualizing EventLog" { insert(visualizing) }
    { before = $0 }' "$1" > "$1.new"
mv "$1.new" "$1"
rm "$1.building" "$1.visualizing"
