#!/bin/sh
# 20 000 jobs from 8 processes into one SQLite file and out through 4 worker processes: each is finished once (A112 A125
# S1). Then 16 processes at once on one file.
. "$(dirname "$0")/lib.sh"

push_some() { # FROM COUNT
    seq "$1" $(($1 + $2 - 1)) | sed 's/.*/{"id":"job-&","body":"&"}/' | "$REEVE" push q --bulk >"$scratch/push.$1"
}
push_all() {
    pids=
    for i in $(seq 0 7); do
        push_some $((i * 2500 + 1)) 2500 &
        pids="$pids $!"
    done
    for pid in $pids; do wait "$pid" || return 1; done
    [ "$(cat "$scratch"/push.* | grep -c '^2500 queued, 0 duplicate, 0 refused$')" -eq 8 ]
}
run_workers() { # COUNT
    pids=
    for i in $(seq "$1"); do
        "$REEVE" work q --threads 8 --until-empty -- cat >/dev/null 2>"$scratch/worker.$i" &
        pids="$pids $!"
    done
    for pid in $pids; do wait "$pid" || { cat "$scratch"/worker.*; return 1; }; done
}

check "8 processes push 20000 jobs" push_all
check "4 workers finish them" run_workers 4
check "20000 finished" stat_is q finished_total 20000
check "20000 done" stat_is q done 20000
check "none failed" stat_is q failed 0
check "none retried" stat_is q retried_total 0
check "16 workers at once on the same file end well" run_workers 16
tap_end
