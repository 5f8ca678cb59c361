#!/bin/sh
# `redis-cli --cluster reshard` of many slots (half of all, in tools/torture) from two nodes to one, while jobs are pushed and
# run by four workers, in a queue of eight shards (R8): no caller sees an error, each job is finished once, and nobody has to
# be told. SLOTS_JOBS, SLOTS: how many jobs, and slots.
. "$(dirname "$0")/groups.sh"
jobs=${SLOTS_JOBS:-2000} slots=${SLOTS:-1024} shards=8
start_group cluster 15000
export REEVE_STORE REEVE_SPACE=moved0 # in which two shards lie in the first slots of nodes, which go first

# The nodes that keep the shards of the queue, one each.
homes() {
    for shard in $(seq 0 $((shards - 1))); do
        node_of_slot "$(slot_of q "$shard")"
    done
}
reshard() { # TO COUNT
    timeout "${SLOTS_PATIENCE_S:-120}" redis-cli --cluster reshard "127.0.0.1:$(group_port 1)" --cluster-from "$others" --cluster-to "$1" \
        --cluster-slots "$2" --cluster-yes --cluster-timeout 60000
}
flows() { [ "$(total q finished_total)" -ge "$1" ]; }
all_done() { stat_is q finished_total "$jobs"; }
finished_once() {
    "$REEVE" stats q --json >"$scratch/stats"
    for field in pushed_total finished_total done; do
        grep -q "\"$field\": *$jobs[,}]" "$scratch/stats" || { echo "not $jobs: $field"; cat "$scratch/stats"; return 1; }
    done
    for field in retried_total lapsed_total failed; do
        grep -q "\"$field\": *0[,}]" "$scratch/stats" || { echo "not 0: $field"; cat "$scratch/stats"; return 1; }
    done
}

is_silent() { ! grep -v '^ready$' "$scratch"/worker.*.err; } # nothing lost, nothing away

to=$(id_of 1) others=$(id_of 2),$(id_of 3)
check "a queue of $shards shards" "$REEVE" queue set q --shards $shards
for i in 1 2 3 4; do start_worker "worker.$i" q --threads 4 --lease 30s -- cat; done
homes >"$scratch/homes.before"
began=$(date +%s%3N)
push_all "$jobs" "$REEVE_STORE" >"$scratch/push.out" 2>&1 &
pusher=$!
check "jobs run" until_true 60 flows 20
check "$slots slots move" reshard "$to" "$slots"
echo "# $slots slots moved within $(($(date +%s%3N) - began)) ms, $(total q finished_total) of $jobs jobs done by then"
homes >"$scratch/homes.after"
moved=$(diff "$scratch/homes.before" "$scratch/homes.after" | grep -c '^>')
check "... among them those of the queue: $moved of $shards" test "$moved" -gt 0
check "all jobs are pushed, and nobody saw an error" wait $pusher
check "... at the first try" test ! -s "$scratch/push.out"
check "all jobs are done" until_true "${SLOTS_PATIENCE_S:-120}" all_done
echo "# $jobs jobs done after $(($(date +%s%3N) - began)) ms"
check "each was finished once, at its first attempt" finished_once
check "no worker had anything to say" is_silent
check "the workers end well" end_workers
check "the doctor finds nothing" "$REEVE" doctor
tap_end
