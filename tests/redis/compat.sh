#!/bin/sh
# Programs of ours and a member that knows nothing but the published layout share a group: streams go both ways, and
# each takes over what the other leaves behind when it dies (A160, A168, A172, A174).
. "$(dirname "$0")/lib.sh"
start_server

stranger() { "$here/compat-client.sh" "$server_port" "$@"; }
stream() { "$REEVE" stream "$@" --compat; }
own() { # NAME OPTIONS... : a member of ours, its output in $scratch/NAME.out
    own_name=$1
    shift
    # shellcheck disable=SC2016 # for the program
    "$REEVE" stream own feeds --compat --lease 1s --min-idle 1s --scan 500ms "$@" -- \
        sh -c 'echo "$REEVE_STREAM $(cat)"; exec sleep 1000' >"$scratch/$own_name.out" 2>"$scratch/$own_name.err" &
    owner=$!
    started="$started $owner"
}
has() { grep -qxF "$2" "$scratch/$1.out"; } # MEMBER LINE
took() { stranger take feeds him >"$scratch/took" && test -s "$scratch/took"; }
took_is() { [ "$(cut -d ' ' -f 1 "$scratch/took")" = "$1" ]; }
id_taken() { cut -d ' ' -f 2 "$scratch/took"; }
recovered() { stranger recover feeds 0 9 >"$scratch/recovered" && grep -q '^again' "$scratch/recovered"; }
owned_by() { stream show feeds "$1" --json | grep -q "\"member\":\"$2\""; }
entries() { [ "$(ask XLEN feeds-input)" = "$1" ]; }

own first
first=$owner
stranger offer feeds theirs '{"n":1}' >/dev/null
check "what a stranger offers is ours, with its info" until_true 20 has first 'theirs {"n":1}'
check "he sees that its owner lives" sh -c "$here/compat-client.sh $server_port recover feeds 0 9 | grep -q ^alive"
check "and cannot take it" sh -c "test -z \"\$($here/compat-client.sh $server_port take feeds him)\""
kill -KILL "$first"
check "once ours is dead he recovers it" until_true 20 recovered
check "and takes it" until_true 20 took
check "that one" took_is theirs
check "with a lock" stranger lock theirs "$(id_taken)" him 600000
own second
check "ours see that he lives" until_true 20 owned_by theirs him
check "what we offer goes to ours, too" stream offer feeds ours --info '{"n":2}'
check "and is owned" until_true 20 has second 'ours {"n":2}'
check "what he has is still his" owned_by theirs him
stranger unlock theirs "$(id_taken)" >/dev/null
check "once he is dead, ours recover it" until_true 20 has second 'theirs {"n":1}'
ask XADD feeds-input '*' lbs-input 'no json' >/dev/null
check "garbage becomes a dead letter" until_true 20 sh -c "\"$REEVE\" stream failed list feeds --compat | grep -q unparseable"
check "by hand streams are ended" stream end feeds ours
check "all of them" stream end feeds theirs
check "and gone" until_true 20 entries 0
kill -TERM "$owner"
check "the member ends well" wait "$owner"
tap_end
