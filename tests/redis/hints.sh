#!/bin/sh
# Hints of locks that expire, in a cluster: every primary is listened to, one that refuses does not keep the others from
# it and is counted, and a fail-over is followed (R14 R15 R16 R22 A165 A175). The scan period is an hour: what is
# recovered here was heard of.
. "$(dirname "$0")/groups.sh"
start_group cluster

channel=__keyevent@0__:expired
listened() { [ "$(ask_one "$1" pubsub numsub $channel | tail -n 1)" -ge 1 ] 2>/dev/null; } # NUMBER
all_listened() { for number; do listened "$number" || return 1; done; }
flags_of() { ask_one "$1" config get notify-keyspace-events | tail -n 1; }
has_flags() { flags_of "$1" | grep -q E && flags_of "$1" | grep -q '[xA]'; } # NUMBER
figure() { "$REEVE" stream show feeds --compat --json | sed -E "s/.*\"$1\":([0-9]+).*/\1/"; }
at_least() { [ "$(figure "$1")" -ge "$2" ]; } # FIGURE N
# name_on NUMBER: a stream's name whose locks lie with that primary.
name_on() {
    for name_try in $(seq 100); do
        ask_one "$1" get "{k$name_try}" | grep -q MOVED || { echo "{k$name_try}"; return; }
    done
}
heard_from() { # NUMBER: a lock that expires there is heard of
    before=$(figure hints_total)
    ask_one "$1" set "$(name_on "$1")<MUTEX_KEY_SEP>1-1" x px 100 >/dev/null
    until_true 30 at_least hints_total $((before + 1))
}
promoted() { # another than 3 is the primary of what 3 had; its number in new
    new=$(number_of "$(ask_one 1 cluster nodes | awk '/master/ && !/fail/ { split($2, at, /[:@]/); print at[2] }' |
        while read -r port; do [ "$(number_of "$port")" -le 3 ] || echo "$port"; done)")
    [ -n "$new" ]
}
owned_by() { "$REEVE" stream show feeds "$1" --compat --json 2>/dev/null | grep -q "\"member\":\"[^\"]*:$2\""; } # NAME PID
own() { # OPTIONS...
    "$REEVE" stream own feeds --compat --lease 3s --min-idle 3s --scan 1h "$@" -- sleep 1000 >/dev/null 2>>"$scratch/own.err" &
    member=$!
    started="$started $member"
}

ask_one 1 config set notify-keyspace-events 'K$' >/dev/null
ask_one 2 acl setuser default -config >/dev/null # it cannot be set up, and answers all else
name=$(name_on 1)
check "a stream is offered" until_true 30 "$REEVE" stream offer feeds "$name" --compat
own
victim=$member
check "somebody owns it" until_true 60 owned_by "$name" "$victim"
own --hints
"$REEVE" stream offer feeds kept --compat >/dev/null # who owns something tells its figures soon
check "every primary is listened to" until_true 60 all_listened 1 2 3
check "one that can be set up has its flags" has_flags 1
check "... and those of others" sh -c "redis-cli -p $(group_port 1) config get notify-keyspace-events | grep -q 'K'"
check "another, too" has_flags 3
check "the set-ups are counted" until_true 60 at_least listens_total 2
check "... and the one that failed" until_true 60 at_least listens_failed_total 1
check "... and told" grep -q 'store.deaf.*hints' "$scratch/own.err"
kill -KILL "$victim"
check "the dead owner's lock is heard of, and the stream recovered" until_true 60 owned_by "$name" "$member"
check "a lock of another primary is heard of" heard_from 3

kill -KILL "$(pid_of 3)"
check "a replica takes over" until_true 60 promoted
check "it is listened to" until_true 60 listened "$new"
check "... has its flags" has_flags "$new"
check "... and is heard" heard_from "$new"
kill -TERM "$member"
check "the member ends well" wait "$member"
tap_end
