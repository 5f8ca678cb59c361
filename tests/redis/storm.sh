#!/bin/sh
# Jobs from 8 producers through 4 workers, while one worker a second is killed with -9 and connections are cut at random
# (N4 W3): each is finished once, nothing is lost. STORM_JOBS: so many.
. "$(dirname "$0")/lib.sh"
jobs=${STORM_JOBS:-2000}
start_server aof
start_cutter
note_handler

# It is ready, or could not reach the store.
begun() { ended "$pid" || grep -qx ready "$scratch/worker.$1.err"; }
start_one() { # NUMBER
    for try in $(seq 100); do
        start "worker.$1" work q --store "$cut_url" --threads 4 --lease 2s -- "$scratch/note"
        until_true 20 begun "$1" && ! ended "$pid" && break
    done
    eval "worker_$1=$pid"
}
kill_one() { # NUMBER
    eval "kill -KILL \$worker_$1"
    start_one "$1"
    kills=$((kills + 1))
}
# In many steps, so that some of them are cut, too.
push_many() {
    producers=
    for producer in 0 1 2 3 4 5 6 7; do
        for i in 0 1 2 3 4 5 6 7 8 9; do
            push_some $(((producer * 10 + i) * (jobs / 80) + 1)) $((jobs / 80)) "$cut_url" || exit 1
        done &
        producers="$producers $!"
    done
    for pid in $producers; do wait "$pid" || return 1; done
}
storm() {
    kills=0
    until stat_is q finished_total "$jobs"; do
        kill_one $((kills % 4))
        [ $kills -lt $((60 + jobs / 20)) ] || { "$REEVE" stats q --json; return 1; }
        sleep 1
    done
    echo "# $kills killed, $(wc -l <"$RUNS") runs, $(ask info stats | grep -a total_connections_received)"
}

for i in 0 1 2 3; do start_one $i; done
push_many >"$scratch/push.out" 2>&1 &
pusher=$!
check "the queue is worked off" storm
sed -n 's/^#/#/p' "$scratch/tap.out"
check "$jobs jobs were pushed" wait $pusher
check "each was finished once" accounts_for "$jobs"
check "the workers end well" end_workers
check "the doctor finds nothing" "$REEVE" doctor
tap_end
