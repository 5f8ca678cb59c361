#!/bin/sh
# The man pages are well-formed mdoc. Usage: man.sh SOURCE_ROOT
# shellcheck disable=SC2317 # check calls by name
set -eu
root=$1
. "$root/tests/harness/tap.sh"

lints() { [ -z "$(mandoc -T lint -W warning "$1" | tee /dev/stderr)" ]; }

for page in "$root"/man/*.[1-9]; do
    if command -v mandoc >/dev/null; then check "$(basename "$page") is well-formed" lints "$page"
    else skip "$(basename "$page") is well-formed" "no mandoc here"; fi
done
tap_end
