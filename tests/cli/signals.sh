#!/bin/sh
# The signals of work.
. "$(dirname "$0")/lib.sh"

gate_handler

# begin NAME QUEUE ID ARGUMENTS...: a worker of its own with one job under way.
begin() {
    begin_name=$1 begin_queue=$2 begin_id=$3
    shift 3
    reeve push "$begin_queue" --id "$begin_id" >/dev/null
    start_worker "$begin_name" "$begin_queue" --threads 2 "$@" -- "$scratch/gate"
    until_true 20 test -s "$scratch/$begin_id.pid"
}

# handed_back QUEUE/ID: ready, as if it had never begun.
handed_back() {
    is "ready 0 handed_back " "$(reeve job show "$1" --json | "$JSON_GET" .state .attempt '.history[0].outcome' | tr '\n' ' ')"
}

for signal in TERM INT; do
    check "$signal: a job runs" begin $signal $signal $signal-1
    kill -$signal "$pid"
    reeve push $signal --id $signal-2 >/dev/null
    : >"$scratch/$signal-1.go"
    check "$signal: it ends well" ends 0 "$pid"
    check "$signal: what ran was finished" is through "$(reeve wait $signal/$signal-1 --timeout 0s)"
    check "$signal: nothing new was begun" is ready "$(state_of $signal/$signal-2)"
done

# Signals of one kind that come together are one: the second is sent until it is heard, well within the grace.
again() {
    kill -TERM "$1" 2>/dev/null
    ended "$1"
}
check "twice: a job runs" begin twice twice twice-1
kill -TERM "$pid"
check "twice: a second TERM ends it at once" until_true 10 again "$pid"
check "twice: it ends well" ends 0 "$pid"
check "twice: the job is handed back" handed_back twice/twice-1
check "twice: its program is gone" until_true 10 ended "$(cat "$scratch/twice-1.pid")"

check "QUIT: a job runs" begin quit quit quit-1
kill -QUIT "$pid"
check "QUIT: it ends at once" ends 0 "$pid"
check "QUIT: the job is handed back" handed_back quit/quit-1
check "QUIT: its program is gone" until_true 10 ended "$(cat "$scratch/quit-1.pid")"

check "grace: a job runs" begin grace grace grace-1 --grace 300ms
kill -TERM "$pid"
check "grace: its end ends the worker" ends 0 "$pid"
check "grace: the job is handed back" handed_back grace/grace-1

check "TSTP: a job runs" begin tstp tstp tstp-1
kill -TSTP "$pid"
: >"$scratch/tstp-1.go"
check "TSTP: what runs goes on" exits 0 reeve wait tstp/tstp-1 --timeout 20s
: >"$scratch/tstp-2.go"
reeve push tstp --id tstp-2 >/dev/null
check "TSTP: nothing new begins" says 4 'not ended' reeve wait tstp/tstp-2 --timeout 700ms
check "TSTP: the worker is not stopped" sh -c 'grep -q "^State:[[:space:]]*[SR]" /proc/$1/status' sh "$pid"
kill -CONT "$pid"
check "CONT: it goes on" exits 0 reeve wait tstp/tstp-2 --timeout 20s

check "TTIN: a job runs" begin ttin ttin ttin-1
kill -TTIN "$pid"
check "TTIN: it says what is done" until_true 10 grep -q 'ttin-1' "$scratch/ttin.err"
kill -HUP "$pid"
: >"$scratch/ttin-1.go"
check "HUP and TTIN end nothing" exits 0 reeve wait ttin/ttin-1 --timeout 20s
kill -TERM "$pid"
check "it ends on TERM" ends 0 "$pid"
tap_end
