#!/bin/sh
# The README's first job runs as it stands there. Usage: readme.sh SOURCE_ROOT BUILD
# shellcheck disable=SC2317 # check calls by name
set -eu
root=$1 build=$2
. "$root/tests/harness/tap.sh"

# The first block of the section, but for `make` (done) and the paths of the tree.
first_block() {
    awk '/^## A first job/ { inside = 1 } inside && /^```/ { if (block++) exit; next } inside && block' \
        "$root/README.md" | grep -v '^make$' | sed "s|\$PWD/build|$build|"
}
runs_as_written() { first_block >first.sh && grep -q 'reeve work' first.sh && sh -eu first.sh >first.out; }
tells_of_the_job() { grep -qE "^mail/[A-Za-z0-9_-]{22} queued$" first.out && grep -qE '^mail .* done ' first.out; }
result() { "$build/reeve" --store "sqlite:$PWD/first.db" wait "$(sed -n 's| queued$||p' first.out)"; }

cd "$scratch"
check "the commands of the first job succeed" runs_as_written
check "they show a job that was queued, then done" tells_of_the_job
check "its result is what the handler printed" prints 'HELLO WORLD' result
tap_end
