#!/bin/sh
# clang-tidy finds nothing. Usage: tidy.sh SOURCE_ROOT BUILD
set -eu
root=$1 build=$2
. "$root/tests/harness/tap.sh"
if command -v clang-tidy >/dev/null; then check "clang-tidy finds nothing" "$root/tools/tidy" "$build"
else skip "clang-tidy finds nothing" "no clang-tidy here"; fi
tap_end
