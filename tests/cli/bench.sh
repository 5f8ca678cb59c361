#!/bin/sh
# bench: measures on stores of its own, says what was asked for, and leaves nothing behind.
. "$(dirname "$0")/lib.sh"
export TMPDIR="$scratch/tmp"
mkdir "$TMPDIR" "$scratch/beside"

# phases ARG...: the names of the phases that bench measures, one after the other.
phases() {
    reeve bench -q --json --jobs 50 --threads 4 --time 1s "$@" >"$scratch/lines" || return $?
    sed 's/.*"phase":"\([a-z-]*\)".*/\1/' "$scratch/lines" | tr '\n' ' '
}
measures() { # EXPECTED ARG...
    expected=$1
    shift
    got=$(phases "$@") || return 1
    [ "$got" = "$expected" ] || { echo "$got"; return 1; }
}
is_empty() {
    [ -z "$(ls -A "$1")" ] || { ls -A "$1"; return 1; }
}
all='push push-threads push-bulk drain drain-threads drain-kept drain-kept-threads latency wait wait-threads '

check "every phase on SQLite" measures "$all"
check "it leaves no file" is_empty "$TMPDIR"
check "every phase in memory" measures "$all" --store memory:
check "beside the store that is named" measures "push " --only push --store "sqlite:$scratch/beside/q.db?synchronous=off"
check "and not in it" is_empty "$scratch/beside"
check "the user's own store is not touched" test ! -e "$scratch/q.db"
check "with a backlog" measures "backlog stats list " --time 20s --backlog 2000 --only backlog --only stats --only list
check "all of the backlog is drained" grep -q '"phase":"backlog".*"count":2000,' "$scratch/lines"
check "as many jobs as are asked for" measures "push-bulk " --only push-bulk --jobs 1234
check "and no more" grep -q '"count":1234,' "$scratch/lines"
check "no longer than it may" measures "push " --only push --jobs 10000000 --time 50ms
check "a table for people" sh -c "'$REEVE' bench -q --jobs 10 --only push | grep -q '^push  *1  *10 '"
check "an unknown phase" says 2 "there is no phase 'x'" reeve bench --only x
check "a phase that needs a backlog" says 2 "needs --backlog" reeve bench --only list
check "a store that cannot be made" says 2 "cannot make a folder" reeve bench -q --only push --store sqlite:/proc/x/y.db
check "an option of the URL that does not exist" says 2 "x=1" reeve bench -q --only push --store "sqlite:$scratch/q.db?x=1"

interrupt() { # in the middle of a phase
    "$REEVE" bench -q --only push --jobs 10000000 --time 60s >"$scratch/out" 2>&1 &
    pid=$!
    tries=0
    while is_empty "$TMPDIR" >/dev/null && [ $tries -lt 100 ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
    kill -INT $pid
    status=0
    wait $pid || status=$?
    [ $status -eq 130 ] || { echo "exit $status"; return 1; }
}
check "^C ends it with 130" interrupt
check "and leaves no file" is_empty "$TMPDIR"
tap_end
