#!/bin/sh
# 20 000 jobs from 8 processes into one SQLite file and out through 4 worker processes: each is finished once (A112 A125
# S1). Then 16 processes at once on one file. CROWD_JOBS: so many instead, where each costs more.
. "$(dirname "$0")/lib.sh"
jobs=${CROWD_JOBS:-20000}
each=$((jobs / 8))

push_some() { # FROM COUNT
    seq "$1" $(($1 + $2 - 1)) | sed 's/.*/{"id":"job-&","body":"&"}/' | "$REEVE" push q --bulk >"$scratch/push.$1"
}
push_all() {
    pids=
    for i in $(seq 0 7); do
        push_some $((i * each + 1)) $each &
        pids="$pids $!"
    done
    for pid in $pids; do wait "$pid" || return 1; done
    [ "$(cat "$scratch"/push.* | grep -cx "$each queued, 0 duplicate, 0 refused")" -eq 8 ]
}
run_workers() { # COUNT
    pids=
    for i in $(seq "$1"); do
        "$REEVE" work q --threads 8 --until-empty -- cat >/dev/null 2>"$scratch/worker.$i" &
        pids="$pids $!"
    done
    for pid in $pids; do wait "$pid" || { cat "$scratch"/worker.*; return 1; }; done
}

check "8 processes push $jobs jobs" push_all
check "4 workers finish them" run_workers 4
check "$jobs finished" stat_is q finished_total "$jobs"
check "$jobs done" stat_is q done "$jobs"
check "none failed" stat_is q failed 0
check "none retried" stat_is q retried_total 0
check "the doctor finds nothing" "$REEVE" doctor
check "16 workers at once on the same file end well" run_workers 16
tap_end
