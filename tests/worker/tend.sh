#!/bin/sh
# Upkeep with an election: of three who tend one is elected, a stalled job is recovered once, and whoever follows does
# the rest (P01 P02 P12 P21, I12, A10 A14 A16 A17).
# shellcheck disable=SC2016,SC2317 # check calls by name
. "$(dirname "$0")/lib.sh"

tender() { "$REEVE" leader list --json | sed -nE 's/.*"by": *"[^"]*:([0-9]+)".*"upkeep": *true.*/\1/p'; }
elected() { [ -n "$(tender)" ] && [ "$(tender)" != "${1-}" ]; }
nobody_elected() { [ -z "$(tender)" ]; }
start_tender() {
    start_tender_name=$1
    shift
    start "$start_tender_name" tend "$@"
    until_true 20 grep -qx ready "$scratch/$start_tender_name.err"
}

# stall ID: a job whose worker is killed with it in hand.
gate_handler
stall() {
    "$REEVE" push "q-$1" body --id "$1" --backoff 1ms >/dev/null
    start_worker "stall-$1" "q-$1" --lease 1s -- "$scratch/gate"
    until_true 20 test -s "$scratch/$1.pid"
    kill -KILL "$pid"
}

for i in 1 2 3; do start_tender "tend$i"; done
check "of three one is elected" until_true 20 elected
check "and one only" prints 1 sh -c '"$REEVE" leader list --json | grep -c upkeep'
stall a
check "a stalled job is recovered" until_true 40 has_jobs 1 q-a ready
check "once" stat_is q-a lapsed_total 1
first=$(tender)
kill -TERM "$first"
check "the elected one ends: another follows" until_true 20 elected "$first"
second=$(tender)
kill -KILL "$second"
stall b
check "one that was killed is not waited for" until_true 40 has_jobs 1 q-b ready
check "that, too, once" stat_is q-b lapsed_total 1
"$REEVE" leader list >"$scratch/list"
for one in $started; do if ours "$one"; then kill -TERM "$one"; fi; done
started=

export REEVE_SPACE=other
start_tender alone --no-election
check "without an election nobody is elected" nobody_elected
stall c
check "... and a stalled job is recovered" until_true 40 has_jobs 1 q-c ready
tap_end
