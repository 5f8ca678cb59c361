#!/bin/sh
# Streams of a cluster whose slot moves, there and back and half way, and whose primary is killed, while two members own
# them: nobody loses one for good, and none is owned by two. STREAMS: how many. LAYOUT: own, or compat, where the locks
# of the streams lie on all primaries.
. "$(dirname "$0")/groups.sh"
streams=${STREAMS:-12} layout=${LAYOUT:-own} compat=
[ "$layout" = own ] || compat=--compat
start_group cluster
export RUNS="$scratch/runs"
: >"$RUNS"

stream() { # VERB ...
    # shellcheck disable=SC2086 # none, or one
    "$REEVE" stream "$@" $compat
}
own() { # MAX: a member, and its streams' programs are its children
    # shellcheck disable=SC2016,SC2086 # for the program
    "$REEVE" stream own feeds $compat --max "$1" --lease 4s --scan 1s --max-retries none -- \
        sh -c 'echo "$REEVE_STREAM $REEVE_TOKEN" >>"$RUNS"; exec sleep 1000' >/dev/null 2>>"$scratch/own.err" &
    members="$members $!"
    started="$started $!"
}
running() { # how many programs run
    for member in $members; do pgrep -P "$member" -x sleep; done | wc -l
}
owned() { # under tokens that programs run under, by pairs of name and token
    stream list feeds --json >"$scratch/list" 2>/dev/null || return 1
    sed -n 's/.*"name":"\([^"]*\)".*"state":"owned".*"token":\([0-9]*\).*/\1 \2/p' "$scratch/list" | sort >"$scratch/owned"
    [ "$(wc -l <"$scratch/owned")" = "$streams" ] && [ "$(running)" = "$streams" ] &&
        [ -z "$(sort "$RUNS" | comm -23 "$scratch/owned" -)" ]
}
offered() { stream offer feeds "stream-$1" >/dev/null; }
one_more() { stream offer feeds one-more >/dev/null && stream end feeds one-more >/dev/null; }
alive() { for member in $members; do kill -0 "$member" || return 1; done; }
fine() { "$REEVE" doctor | grep '  streams ' | grep -q ^fine; }
home() { node_of_slot "$slot"; }
moved_from() { now_home=$(home) && [ -n "$now_home" ] && [ "$now_home" != "$1" ]; } # NUMBER
moves_keys() { move_slot "$@" && [ "$moved_keys" -gt 0 ]; } # SLOT FROM TO

if [ "$layout" = own ]; then slot=$(slot_of '~feeds' 0); else slot=$(ask_one 1 cluster keyslot feeds-input); fi
members=
own $((streams / 2))
own "$streams"
for i in $(seq "$streams"); do check "stream $i is offered" until_true 20 offered "$i"; done
check "all are owned, and run" until_true 60 owned

from=$(home)
to=$((from % 3 + 1))
check "the group moves to another primary, with its keys" moves_keys "$slot" "$from" "$to"
check "what is offered there is taken in" until_true 60 one_more
check "all are owned, each by one, and run" until_true 60 owned
check "a move back begins" begin_move "$slot" "$to" "$from"
check "... with some of its keys" move_some "$slot" "$to" "$from" 2
check "... and is brought to its end" finish_move "$slot" "$to" "$from"
check "all are owned, each by one, and run" until_true 60 owned

check "the replica is in step" until_true 60 in_step "$from"
kill -KILL "$(pid_of "$from")"
check "another is the primary" until_true 60 moved_from "$from"
check "what is offered now is taken in" until_true 60 one_more
check "all are owned, each by one, and run" until_true 60 owned
check "no member gave up" alive
check "the doctor finds nothing wrong with them" until_true 30 fine
for member in $members; do kill -TERM "$member"; done
for member in $members; do check "a member ends well" wait "$member"; done
tap_end
