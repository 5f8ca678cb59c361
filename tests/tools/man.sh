#!/bin/sh
# The man pages are well-formed mdoc, reeve(1) names every command and reeve(7) every id that the library logs.
# Usage: man.sh SOURCE_ROOT REEVE
# shellcheck disable=SC2317 # check calls by name
set -eu
root=$1 reeve=$2
. "$root/tests/harness/tap.sh"

logged() { grep -rhoE --include='*.c' '"[a-z]+\.[a-z_]+"' "$root/src" | tr -d '"' | sort -u; }
lists_every_id() {
    logged >"$scratch/ids"
    [ -s "$scratch/ids" ] && while read -r id; do
        grep -qwF "$id" "$root/man/reeve.7" || { echo "$id is not listed"; return 1; }
    done <"$scratch/ids"
}
commands() { "$reeve" help | sed -nE 's/^  ([a-z]+( [a-z]+)?)  +.*/\1/p'; }
names_every_command() { # as "job show", or as "queue show | pause"
    commands >"$scratch/commands"
    [ -s "$scratch/commands" ] && while read -r noun verb; do
        grep -E "^[.]It Ic $noun( |$)" "$root/man/reeve.1" | grep -qwE "${verb:-$noun}" ||
            { echo "$noun $verb is not described"; return 1; }
    done <"$scratch/commands"
}
lints() { [ -z "$(mandoc -T lint -W warning "$1" | tee /dev/stderr)" ]; }

for page in "$root"/man/*.[1-9]; do
    if command -v mandoc >/dev/null; then check "$(basename "$page") is well-formed" lints "$page"
    else skip "$(basename "$page") is well-formed" "no mandoc here"; fi
done
check "reeve.1 names every command" names_every_command
check "reeve.7 lists every id that is logged" lists_every_id
tap_end
