#!/bin/sh
# A primary ends, stands still or is told to go, under Sentinels and in a cluster, while jobs are pushed and run (R5 R7):
# work goes on by itself, no worker gives up, and each job is done under a token that it ran under. No error reaches who pushes
# meanwhile. What was acknowledged and is not there afterwards is counted: replicas hear of it a moment later. With WAIT there is none.
# SHAPES, WAYS: which; CLUSTER_WAYS: more of them, in a cluster; FAILOVERS: how often each; WAIT: how many replicas an answer waits for.
. "$(dirname "$0")/groups.sh"
jobs=${FAILOVER_JOBS:-400} bound_s=${BOUND_S:-60}
note_handler

# ---- ways to lose a primary: NUMBER ----
by_kill() { kill -KILL "$(pid_of "$1")"; }
by_stop() { kill -STOP "$(pid_of "$1")"; }
by_command() {
    if [ "$group" = sentinel ]; then
        until_true 30 ask_sentinel_to_fail_over
    else
        ask_one "$(replica_of "$1")" cluster failover
    fi
}
by_force() { forced=$(replica_of "$1") && until_true 60 forces "$forced"; }
# Nodes do not vote twice within a while on who follows a node, and who was refused does not ask again by himself.
forces() {
    ask_one "$1" role | head -n 1 | grep -qx master && return 0
    ask_one "$1" cluster failover force
    sleep 1
    return 1
}
by_takeover() { ask_one "$(replica_of "$1")" cluster failover takeover; }
ask_sentinel_to_fail_over() { ask_one 4 sentinel failover jobs | grep -q OK; }
replica_of() {
    number_of "$(ask_one "$1" info replication | tr -d '\r' | sed -n 's/^slave0:.*port=\([0-9]*\),.*/\1/p')"
}

restore() { # NUMBER: it is a replica from now on
    kill -CONT "$(pid_of "$1")" 2>/dev/null
    ended "$(pid_of "$1")" || return 0
    if [ "$1" -lt 4 ] || [ "$group" = cluster ]; then
        "${server_kind}-server" "$server/$1/server.conf" >>"$server/$1/log" 2>&1 </dev/null &
        echo $! >"$server/$1/pid"
    fi
}

# ---- somebody who pushes all the time, to where the primary that is lost is: he is not to notice ----
feed() { # until $scratch/steady.go is gone; how many lines to $scratch/steady.count
    feed_number=0
    while [ -e "$scratch/steady.go" ]; do
        feed_number=$((feed_number + 1))
        echo "{\"id\":\"$feed_number\"}"
        echo $feed_number >"$scratch/steady.count"
        sleep 0.1
    done
}
steady_number=0
start_steady() { # HOME: to a queue that was not used before
    while :; do
        steady_number=$((steady_number + 1))
        [ "$(home_of "steady-$steady_number")" != "$1" ] || break
    done
    steady=steady-$steady_number
    : >"$scratch/steady.go"
    feed | "$REEVE" push "$steady" --bulk --store "$REEVE_STORE${WAIT:+?wait=$WAIT}" \
        >"$scratch/steady.out" 2>"$scratch/steady.err" &
    steady_pid=$!
}
is_steady() { [ "$(total "$steady" pushed_total)" -ge 5 ]; }
end_steady() {
    rm -f "$scratch/steady.go"
    steady_status=0
    wait "$steady_pid" || steady_status=$?
    cat "$scratch/steady.out" "$scratch/steady.err"
    [ "$steady_status" -eq 0 ] || { echo "exit $steady_status"; return 1; }
    grep -qx "$(cat "$scratch/steady.count") queued, 0 duplicate, 0 refused" "$scratch/steady.out"
}

one_more() { "$REEVE" push after x --attempts 100 --backoff 1ms --wait --wait-timeout 20s; }
flows() { [ "$(total q finished_total)" -ge "$1" ]; }
told() { grep -hq 'store.failover' "$scratch"/worker.*.err; }
sentinels_know() { [ "$(ask_one 4 sentinel master jobs | grep -A1 num-slaves | tail -n 1)" = 2 ] &&
    [ "$(ask_one 4 sentinel master jobs | grep -A1 num-other-sentinels | tail -n 1)" = 2 ]; }

fail_over() { # WAY
    way=$1
    home=$(home_of q)
    check "$group $way: replicas are in step" until_true 60 in_step "$home"
    [ "$group" != sentinel ] || check "... and the Sentinels know of them" until_true 60 sentinels_know
    push_all "$jobs" "$REEVE_STORE${WAIT:+?wait=$WAIT}" >"$scratch/push.out" 2>&1 &
    pusher=$!
    check "jobs run" until_true 60 flows 20
    start_steady "$home"
    check "... and are pushed all the time" until_true 20 is_steady
    began_ms=$(date +%s%3N)
    "$way" "$home" >/dev/null
    check "another is the primary" until_true "$bound_s" not_home q "$home"
    switched_ms=$(date +%s%3N)
    check "a job that is pushed now is done" until_true "$bound_s" one_more
    echo "# $group $way: another primary after $((switched_ms - began_ms)) ms, a job done $(($(date +%s%3N) - switched_ms)) ms later"
    check "who pushed all the time has met no error" end_steady
    check "all jobs are pushed, whatever happened meanwhile" wait $pusher
    restore "$home"
    check "all that is there is finished" until_true "$bound_s" all_ended
    count_lost
    [ -z "${WAIT-}" ] || check "nothing that replicas had is lost" test "$lost" -eq 0
    check "producers ask again, and all jobs are done" push_all "$jobs" "$REEVE_STORE"
    check "... each of them" until_true "$bound_s" all_done
    check "the workers live" kill -0 $started
}

all_ended() { "$REEVE" stats q --json | grep -q '"ready": *0[,}]' && "$REEVE" stats q --json | grep -q '"running": *0[,}]'; }
all_done() { [ "$(total q done)" -eq "$jobs" ]; }
count_lost() {
    list_all q | sed -n 's/.*"id":"\([^"]*\)".*/\1/p' | sort -u >"$scratch/there"
    lost=$((jobs - $(wc -l <"$scratch/there")))
    echo "# $group $way: lost $lost of $jobs acknowledged pushes${WAIT:+ with wait=$WAIT}"
}
# Whatever was lost: what is done was done under a token that it ran under.
tokens_hold() {
    list_all q | sed -n 's/.*"id":"\([^"]*\)".*"state":"done".*"token":\([0-9]*\),"worker".*"result":"\2\\n".*/\1 \2/p' | sort >"$scratch/done"
    [ "$(wc -l <"$scratch/done")" -eq "$jobs" ] || { echo "$(wc -l <"$scratch/done") of $jobs are as they should be"; return 1; }
    sort "$RUNS" | comm -23 "$scratch/done" - >"$scratch/unknown"
    [ ! -s "$scratch/unknown" ] || { cat "$scratch/unknown"; return 1; }
}

campaign() { # SHAPE WAYS...
    start_group "$1"
    export REEVE_STORE
    shift
    for i in 0 1; do start_worker "worker.$i" q after --threads 4 --lease 5s -- "$scratch/note"; done
    for failover_way; do
        for round in $(seq "${FAILOVERS:-1}"); do
            : >"$RUNS"
            fail_over "$failover_way"
            check "tokens hold" tokens_hold
            "$REEVE" queue purge q --state done >/dev/null 2>&1
        done
    done
    check "the workers told of it" told
    check "the workers end well" end_workers
    started=
    check "the doctor finds nothing" "$REEVE" doctor
    "$groups" stop "$server"
    rm -rf "${server:?}"/*
}

for shape in ${SHAPES:-sentinel cluster}; do
    more_ways=
    [ "$shape" = sentinel ] || more_ways=${CLUSTER_WAYS-}
    # shellcheck disable=SC2086 # split on purpose
    campaign "$shape" ${WAYS:-by_kill} $more_ways
done
tap_end
