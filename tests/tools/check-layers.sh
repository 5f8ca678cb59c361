#!/bin/sh
# tools/check-layers passes on this tree, and refuses each kind of include against the arrows.
# Usage: check-layers.sh SOURCE_ROOT
# shellcheck disable=SC2317 # check calls by name
set -eu
root=$1
. "$root/tests/harness/tap.sh"
cp -R "$root/src" "$root/cli" "$root/examples" "$scratch"

# Plants one file in a copy of the tree: it must be refused, and by its name.
planted_is_refused() { # FOLDER INCLUDE
    mkdir -p "$scratch/$1"
    printf '#include %s\n' "$2" >"$scratch/$1/planted.c"
    exits 1 "$root/tools/check-layers" "$scratch" 2>"$scratch/said" || return 1
    rm "$scratch/$1/planted.c"
    prints "$1/planted.c" sed 's/[: ].*//' "$scratch/said"
}

refuses() { check "$1 may not include $2" planted_is_refused "$1" "$2"; }

check "the tree keeps to its layers" "$root/tools/check-layers" "$root"
refuses src/base '"core/limits.h"'
refuses src/core '"store/store.h"'
refuses src/core '"../store/store.h"'
refuses src/store/memory '"store/sqlite/sqlite.h"'
refuses src/store/sqlite '"service/service.h"'
refuses src/store '"store/sqlite/sqlite.h"'
refuses src/service '"store/ops.h"'
refuses src/service '"work/worker.h"'
refuses src/service '<sqlite3.h>'
refuses src/store/sqlite '<hiredis/hiredis.h>'
refuses src/api '<openssl/ssl.h>'
refuses src/work '"api/handle.h"'
refuses src/work '<store/ops.h>'
refuses src/api '"store/ops.h"'
refuses cli '"base/buf.h"'
refuses examples '<base/buf.h>'
refuses src/elsewhere '"base/buf.h"'
tap_end
