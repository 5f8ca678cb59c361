#!/bin/sh
# The server throws its clients out, all of them or those that only listen, again and again (R15): nothing is lost, and
# who waits hears of it all the same.
. "$(dirname "$0")/lib.sh"
jobs=${KICKED_JOBS:-800}
start_server
note_handler

all_done() { stat_is q finished_total "$jobs"; }
kick() { # SECONDS TYPE
    while :; do
        ask client kill type "$2" >/dev/null
        sleep "$1"
    done
}
start_kicking() { # SECONDS TYPE
    kick "$@" &
    kicker=$!
    started="$started $kicker"
}
# connections: the numbers of those that take part in the work, but for the one that asks.
connections() { ask client list type normal | grep -v 'cmd=client' | sed -n 's/^id=\([0-9]*\) .*/\1/p'; }
thrown_out() { # NUMBER...: none of them is there any more
    connections >"$scratch/now"
    for number; do ! grep -qx "$number" "$scratch/now" || { echo "$number is there"; return 1; }; done
}
wait_often() {
    for i in $(seq 20); do
        "$REEVE" push w x --wait --wait-timeout 20s --id "wait-$i" || return 1
    done
}

for i in 0 1; do start_worker "worker.$i" q w --threads 4 --lease 2s -- "$scratch/note"; done
before=$(connections)
check "the workers are connected" test -n "$before"
start_kicking 0.1 normal
check "$jobs jobs are pushed" push_all "$jobs" "$REEVE_STORE"
check "they are finished" until_true 60 all_done
kill "$kicker"
check "each once" accounts_for "$jobs"
# shellcheck disable=SC2086 # split on purpose
check "the workers were thrown out" thrown_out $before

start_kicking 0.05 pubsub
check "who waits hears, though listeners are thrown out" wait_often
kill "$kicker"
ask config set client-output-buffer-limit 'pubsub 1 1 1' >/dev/null
check "so when nothing may be told to them" wait_often
check "the workers end well" end_workers
check "the doctor finds nothing" "$REEVE" doctor
tap_end
