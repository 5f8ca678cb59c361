#!/bin/sh
# A server that throws keys away when it is full (R11): refused, unless the url allows it. If it is allowed, and jobs
# vanish under real workers: nobody crashes, the doctor tells, and what it mends goes on.
. "$(dirname "$0")/lib.sh"
rounds=${EVICT_ROUNDS:-3}
start_server
note_handler
refused_store=$REEVE_STORE

refused() { # COMMAND...
    exits 2 "$REEVE" "$@" 2>"$scratch/refused" && grep 'allkeys-random.*noeviction' "$scratch/refused"
}
throw_away() { # whole keys, while all work on them
    ask config set maxmemory "$(($(ask info memory | sed -n 's/^used_memory:\([0-9]*\).*/\1/p') + 20000))"
    for i in $(seq 1 100 901); do
        seq "$i" $((i + 99)) | sed "s/.*/{\"id\":\"round-$round-&\",\"body\":\"&\"}/" | "$REEVE" push q --bulk --attempts 1000 --backoff 1ms
    done
    thrown=$(ask info stats | sed -n 's/^evicted_keys:\([0-9]*\).*/\1/p')
    ask config set maxmemory 0
    [ "$thrown" -gt 0 ]
}
mended() { # a push sees to it that the queue's name is known: that, too, may be gone
    "$REEVE" push q x || return 1
    "$REEVE" doctor --repair
    "$REEVE" doctor
}
nothing_left() {
    "$REEVE" stats q --json | grep -q '"ready":0,"delayed":0,"running":0'
}
workers_live() { for worker in $workers; do ended "$worker" && return 1; done; return 0; }

ask config set maxmemory-policy allkeys-random >/dev/null
check "it is refused, and told why" refused push q x
check "a worker is refused, too" refused work q -- true
export REEVE_STORE="$REEVE_STORE?eviction=allow"
workers=
for i in 1 2; do
    start_worker "worker.$i" q --threads 4 --lease 1s -- "$scratch/note"
    workers="$workers $pid"
done
for round in $(seq "$rounds"); do
    check "[$round] keys are thrown away" throw_away
    check "[$round] the workers live" workers_live
    check "[$round] the doctor mends the rest" until_true 20 mended
    check "[$round] all that is left ends" until_true 20 nothing_left
    check "[$round] what is pushed now is done" "$REEVE" push q x --id "after-$round" --wait --wait-timeout 20s
done
ask config set maxmemory-policy noeviction >/dev/null
check "with another policy it is not refused" "$REEVE" --store "$refused_store" doctor
check "the workers end well" end_workers
tap_end
