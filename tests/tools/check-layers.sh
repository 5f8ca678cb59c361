#!/bin/sh
# tools/check-layers passes on this tree, and refuses each kind of include against the arrows.
# Usage: check-layers.sh SOURCE_ROOT
# shellcheck disable=SC2317 # check calls by name
set -eu
root=$1
. "$root/tests/harness/tap.sh"

# Plants an include in a copy of the tree: it must be refused, and by the name of the file.
planted_is_refused() { # FILE INCLUDE
    rm -rf "${scratch:?}/tree"
    mkdir "$scratch/tree"
    cp -R "$root/src" "$root/cli" "$root/examples" "$scratch/tree"
    mkdir -p "$scratch/tree/$(dirname "$1")"
    printf '#include %s\n' "$2" >>"$scratch/tree/$1"
    exits 1 "$root/tools/check-layers" "$scratch/tree" 2>"$scratch/said" && grep -F "$1: " "$scratch/said"
}

refuses() { check "$1 may not include $2" planted_is_refused "$1" "$2"; }

check "the tree keeps to its layers" "$root/tools/check-layers" "$root"
refuses src/base/buf.c '"core/limits.h"'
refuses src/core/state.c '"store/store.h"'
refuses src/core/state.c '"../store/store.h"'
refuses src/store/memory/memory.c '"store/sqlite/sqlite.h"'
refuses src/store/sqlite/sqlite.c '"service/service.h"'
refuses src/store/store.c '"store/sqlite/sqlite.h"'
refuses src/service/upkeep.c '"store/ops.h"'
refuses src/service/upkeep.c '"work/worker.h"'
refuses src/service/upkeep.c '<sqlite3.h>'
refuses src/work/worker.c '"api/handle.h"'
refuses src/work/worker.c '<store/ops.h>'
refuses src/api/jobs.c '"store/ops.h"'
refuses cli/main.c '"base/buf.h"'
refuses examples/push.c '<base/buf.h>'
refuses src/elsewhere/new.c '"base/buf.h"'
tap_end
