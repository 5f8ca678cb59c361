#!/bin/sh
# The C files keep to the house style, and tools/check-style notices when not. Usage: style.sh SOURCE_ROOT
# shellcheck disable=SC2317 # check calls by name
set -eu
root=$1
. "$root/tests/harness/tap.sh"

planted_is_refused() { # LINE
    rm -rf "${scratch:?}/tree"
    mkdir "$scratch/tree"
    (cd "$scratch/tree" && mkdir include src cli examples bench tests tools)
    printf '%s\n' "$1" >"$scratch/tree/src/planted.c"
    exits 1 "$root/tools/check-style" "$scratch/tree" 2>"$scratch/said" && grep -F src/planted.c "$scratch/said"
}
formatted() { find include src cli examples bench tests tools -name '*.[ch]' -exec clang-format --dry-run -Werror {} +; }
columns() { printf "%0$1d" 0; }
lines() { awk -v count="$1" 'BEGIN { for (i = 1; i < count; i++) print "x"; printf "x" }' </dev/null; }

cd "$root"
check "the tree keeps to the limits" tools/check-style
check "a line of 101 columns is refused" planted_is_refused "$(columns 101)"
check "a file of 601 lines is refused" planted_is_refused "$(lines 601)"
check "strcpy is refused" planted_is_refused '    strcpy(to, from);'
if command -v clang-format >/dev/null; then check "every C file is formatted" formatted
else skip "every C file is formatted" "no clang-format here"; fi
tap_end
