#!/bin/sh
# Who only waits hears of a fail-over from a Sentinel, and a job that comes then is done within the servers' own time to fail over
# and a generous bound: the primary stands still, so that no connection to it ever fails. Who holds a lease renews it at once at the
# server that follows, not when it is due.
. "$(dirname "$0")/groups.sh"
bound_s=20 # beside the servers' own time
note_handler

listens() { # a worker, to one of the Sentinels
    for sentinel in 4 5 6; do
        ask_one $sentinel client list 2>/dev/null | grep -q 'name=reeve .* sub=1 ' && return 0
    done
    return 1
}
sentinels_know() { # of both replicas, and of each other
    ask_one 4 sentinel master jobs >"$scratch/master" && [ "$(grep -A1 num-slaves "$scratch/master" | tail -n 1)" = 2 ] &&
        [ "$(grep -A1 num-other-sentinels "$scratch/master" | tail -n 1)" = 2 ]
}
# The deadline of the one claim of queue `held`, as server NUMBER has it.
deadline() { ask_one "$1" zrange 'rv:{reeve/held#0}:lease' 0 0 withscores | tail -n 1; }
is_held() { [ -n "$(deadline "$1")" ]; }
is_renewed() { now_home=$(home_of held) && [ "$(deadline "$now_home")" -gt "$held_until" ]; }
tells() { grep -q 'store.failover' "$scratch/worker.err"; }

start_group sentinel
export REEVE_STORE
check "the Sentinels know of all" until_true 60 sentinels_know
home=$(home_of q)
check "replicas are in step" until_true 60 in_step "$home" 2
start_worker worker q --lease 5s -- "$scratch/note"
check "a worker that waits listens to a Sentinel" until_true 60 listens
gate_handler
start_worker holder held --lease 3h -- "$scratch/gate"
"$REEVE" push held x --id held >/dev/null
check "another holds a lease that is not to be renewed soon" until_true 60 is_held "$home"
held_until=$(deadline "$home")
check "... and the replicas know" until_true 60 in_step "$home" 2
kill -STOP "$(pid_of "$home")"
check "another is the primary" until_true 60 not_home q "$home"
switched_ms=$(date +%s%3N)
check "the worker has heard of it" until_true $bound_s tells
echo "# the worker heard of it $(($(date +%s%3N) - switched_ms)) ms after the first Sentinel said so"
check "a job that comes now is done" "$REEVE" push q x --wait --wait-timeout ${bound_s}s
check "the lease was renewed at the new primary" until_true 60 is_renewed
: >"$scratch/held.go"
check "the workers end well" end_workers
tap_end
