#!/bin/sh
# The examples do what they say, against a scratch SQLite store.
# Usage: examples.sh SOURCE_ROOT PUSH WORKER RPC
# shellcheck disable=SC2317 # check calls by name
set -eu
root=$1 push=$2 worker=$3 rpc=$4
. "$root/tests/harness/tap.sh"
store=sqlite:$scratch/reeve.db

short() { [ "$(wc -l <"$1")" -lt 60 ]; }
two_jobs() { [ "$("$push" "$store" words alpha beta | grep -c '^words/')" -eq 2 ]; }

# Asks while a worker comes by again and again, until the answer is there.
call_a_worker() {
    rm -f "$scratch/answered"
    (while [ ! -e "$scratch/answered" ]; do "$worker" "$store" calls; done) &
    answer=$("$rpc" "$store" calls abc one)
    touch "$scratch/answered"
    wait $!
    prints cba echo "$answer"
}

for file in "$root"/examples/*.c; do check "$(basename "$file") is under 60 lines" short "$file"; done
check "push says what it did with two jobs" two_jobs
check "worker runs them and ends" "$worker" "$store" words
check "push without arguments is a usage error" exits 2 "$push"
check "push tells of a store that cannot be" exits 1 "$push" "sqlite:$scratch/reeve.db/x.db" words a
check "rpc prints the result" call_a_worker
check "rpc finds the result of a known id, with no worker about" prints cba "$rpc" "$store" calls abc one
check "push takes an empty body" "$push" "$store" calls ''
check "a job that gives up does not stop the worker" "$worker" "$store" calls
tap_end
