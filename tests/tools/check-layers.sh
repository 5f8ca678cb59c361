#!/bin/sh
# tools/check-layers passes on this tree, and refuses each kind of include against the arrows. TAP.
# Usage: check-layers.sh SOURCE_ROOT
set -eu
root=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
count=0
failed=0

report() { # ok|not-ok NAME
    count=$((count + 1))
    case $1 in
    ok) echo "ok $count - $2" ;;
    *) echo "not ok $count - $2"; failed=1 ;;
    esac
}

# Plants an include in a copy of the tree: it must be named and refused.
refuses() { # FILE INCLUDE
    rm -rf "${scratch:?}/tree"
    mkdir "$scratch/tree"
    cp -R "$root/src" "$root/cli" "$root/examples" "$scratch/tree"
    mkdir -p "$scratch/tree/$(dirname "$1")"
    printf '#include %s\n' "$2" >>"$scratch/tree/$1"
    if "$root/tools/check-layers" "$scratch/tree" 2>"$scratch/said"; then
        report not-ok "$1 includes $2: not noticed"
    elif ! grep -qF "$1" "$scratch/said"; then
        report not-ok "$1 includes $2: refused without naming the file"
    else
        report ok "$1 may not include $2"
    fi
}

if "$root/tools/check-layers" "$root"; then report ok "the tree keeps to its layers"
else report not-ok "the tree keeps to its layers"; fi
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
echo "1..$count"
exit $failed
