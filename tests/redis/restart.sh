#!/bin/sh
# The server is killed with -9 under load and started again (R1 R2): nothing acknowledged is lost if it writes always,
# and workers find back by themselves. RESTARTS: so often.
. "$(dirname "$0")/lib.sh"
restarts=${RESTARTS:-3}
jobs=$((restarts * 400))
start_server aof
note_handler

# In small steps, each until it is acknowledged.
push_on() {
    for from in $(seq 1 20 "$jobs"); do push_some "$from" 20 "$REEVE_STORE" || return 1; done
}
ran_more() { [ "$(wc -l <"$RUNS")" -gt "$ran" ]; }
restart() { # FSYNC
    for i in $(seq "$restarts"); do
        ran=$(wc -l <"$RUNS")
        until_true 20 ran_more || return 1
        kill_server
        start_again
        ask config set appendfsync "$1"
    done
}
# What was acknowledged may be gone, if the server did not wait for its disk: a second or two of it.
push_lost() {
    push_some 1 "$jobs" "$REEVE_STORE" && "$REEVE" push q --bulk --file "$scratch/lines.1"
}
all_done() { stat_is q finished_total "$jobs"; }

begin() { # FSYNC
    ask config set appendfsync "$1" >/dev/null
    : >"$RUNS"
    for i in 0 1; do start_worker "worker.$i" q --threads 4 --lease 2s -- "$scratch/note"; done
    push_on >"$scratch/push.out" 2>&1 &
    pusher=$!
}
end() {
    check "they are finished" until_true 60 all_done
    check "each once" accounts_for "$jobs"
    check "the workers end well" end_workers
    check "the doctor finds nothing" "$REEVE" doctor
}

begin always
check "a server that writes always is killed $restarts times" restart always
check "$jobs jobs are acknowledged" wait $pusher
end
ask flushall >/dev/null
begin everysec
check "a server that writes every second is killed $restarts times" restart everysec
check "$jobs jobs are acknowledged by it" wait $pusher
check "those it lost are pushed again" push_lost
end
tap_end
