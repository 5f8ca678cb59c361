#!/bin/sh
# Lines that are pushed in bulk while a primary stands still and another follows: all are pushed, each counted as queued once,
# and the command ends well. If nobody follows, it says so when its patience is over, and what it counted is there.
# SHAPES: which groups.
. "$(dirname "$0")/groups.sh"
# Also the one server that stays away.
trap '"$servers" stop "$server"; clean_up_group' EXIT
lines=${BULK_LINES:-32}

feed() { # FROM TO: a line each fifth of a second
    for feed_number in $(seq "$1" "$2"); do
        echo "{\"id\":\"job-$feed_number\"}"
        echo '{"body":"no id of its own"}'
        sleep 0.2
    done
}
has_begun() { [ "$(total q pushed_total)" -ge 6 ]; }
ends_with() { # EXITS
    ends_status=0
    wait "$bulk" || ends_status=$?
    cat "$scratch/bulk.out" "$scratch/bulk.err"
    case " $1 " in *" $ends_status "*) ;; *) echo "exit $ends_status"; return 1 ;; esac
}
says() { grep -q -e "$2" "$scratch/bulk.$1"; }
is_there() { [ "$(list_all q | wc -l)" -eq "$1" ]; }

follow() { # SHAPE
    start_group "$1"
    export REEVE_STORE
    home=$(home_of q)
    check "$1: replicas are in step" until_true 60 in_step "$home"
    feed 1 "$lines" | "$REEVE" push q --bulk >"$scratch/bulk.out" 2>"$scratch/bulk.err" &
    bulk=$!
    check "lines are pushed" until_true 20 has_begun
    kill -STOP "$(pid_of "$home")"
    check "another is the primary" until_true 60 not_home q "$home"
    check "all lines are taken" ends_with 0
    check "... each of them queued, once" says out "^$((2 * lines)) queued, 0 duplicate, 0 refused$"
    check "... and there" is_there $((2 * lines))
    kill -CONT "$(pid_of "$home")"
    "$groups" stop "$server"
    rm -rf "${server:?}"/*
}

stay_away() {
    start_server aof
    feed 1 "$lines" | "$REEVE" push q --bulk >"$scratch/bulk.out" 2>"$scratch/bulk.err" &
    bulk=$!
    check "alone: lines are pushed" until_true 20 has_begun
    kill_server
    check "a store that stays away is told as such" ends_with "69 75"
    check "... and that it was looked for" says err 'trying again'
    check "... from which line on" says err 'line [0-9]* and those after it'
    start_again
    counted=$(sed -n 's/^\([0-9]*\) queued, 0 duplicate, 0 refused$/\1/p' "$scratch/bulk.out")
    check "what was counted is there" is_there "${counted:-none}"
}

for shape in ${SHAPES:-sentinel cluster}; do follow "$shape"; done
stay_away
tap_end
