#!/bin/sh
# Streams of a cluster whose primary is killed while two members own them: nobody loses one for good, and none is owned
# by two. STREAMS: how many.
. "$(dirname "$0")/groups.sh"
streams=${STREAMS:-12}
start_group cluster
export RUNS="$scratch/runs"
: >"$RUNS"

own() { # MAX: a member, and its streams' programs are its children
    # shellcheck disable=SC2016 # for the program
    "$REEVE" stream own feeds --max "$1" --lease 4s --scan 1s -- \
        sh -c 'echo "$REEVE_STREAM $REEVE_TOKEN" >>"$RUNS"; exec sleep 1000' >/dev/null 2>>"$scratch/own.err" &
    members="$members $!"
    started="$started $!"
}
running() { # how many programs run
    for member in $members; do pgrep -P "$member" -x sleep; done | wc -l
}
owned() { # under tokens that programs run under, by pairs of name and token
    "$REEVE" stream list feeds --json >"$scratch/list" 2>/dev/null || return 1
    sed -n 's/.*"name":"\([^"]*\)".*"state":"owned".*"token":\([0-9]*\).*/\1 \2/p' "$scratch/list" | sort >"$scratch/owned"
    [ "$(wc -l <"$scratch/owned")" = "$streams" ] && [ "$(running)" = "$streams" ] &&
        [ -z "$(sort "$RUNS" | comm -23 "$scratch/owned" -)" ]
}
offered() { "$REEVE" stream offer feeds "stream-$1" >/dev/null; }
one_more() { "$REEVE" stream offer feeds one-more >/dev/null && "$REEVE" stream end feeds one-more >/dev/null; }
alive() { for member in $members; do kill -0 "$member" || return 1; done; }
fine() { "$REEVE" doctor | grep '  streams ' | grep -q ^fine; }

members=
own $((streams / 2))
own "$streams"
for i in $(seq "$streams"); do check "stream $i is offered" until_true 20 offered "$i"; done
check "all are owned, and run" until_true 60 owned
home=$(home_of '~feeds')
check "the replica is in step" until_true 60 in_step "$home"
kill -KILL "$(pid_of "$home")"
check "another is the primary" until_true 60 not_home '~feeds' "$home"
check "what is offered now is taken in" until_true 60 one_more
check "all are owned, each by one, and run" until_true 60 owned
check "no member gave up" alive
check "the doctor finds nothing wrong with them" until_true 30 fine
for member in $members; do kill -TERM "$member"; done
for member in $members; do check "a member ends well" wait "$member"; done
tap_end
