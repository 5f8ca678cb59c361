#!/bin/sh
# A primary of a cluster stands still, and its replica follows, while a worker waits for jobs of one queue, in one shard there:
# it goes on soon after that, with whatever is pushed. FOLLOW_ROUNDS: how often.
. "$(dirname "$0")/groups.sh"
rounds=${FOLLOW_ROUNDS:-3}
start_group cluster 3000 # so that it is followed when somebody has just looked, in vain
export REEVE_STORE
note_handler

now_ms() { date +%s%3N; }
is_idle() { ask_one "$home" client list | grep -q 'cmd=blpop'; }
push_one() { "$REEVE" push q --id "$1" --keep 1h >/dev/null 2>&1; }
ran() { grep -q "^$1 " "$RUNS"; }

start_worker worker q -- "$scratch/note"
for round in $(seq "$rounds"); do
    home=$(home_of q)
    check "$round: its replica is in step" until_true 60 in_step "$home"
    check "... a job runs" push_one "before-$round"
    check "... to its end" until_true 30 ran "before-$round"
    check "the worker waits for the next" until_true 30 is_idle
    began=$(now_ms)
    kill -STOP "$(pid_of "$home")"
    check "another is the primary" until_true 60 not_home q "$home"
    followed=$(now_ms)
    check "a job is pushed there" until_true 30 push_one "after-$round"
    pushed=$(now_ms)
    check "... and runs" until_true 60 ran "after-$round"
    took=$(($(now_ms) - pushed))
    echo "# followed after $((followed - began)) ms, pushed $((pushed - followed)) ms later, run $took ms later"
    check "... soon" test "$took" -lt 3000
    kill -CONT "$(pid_of "$home")"
    check "the old one is a replica" until_true 60 in_step "$(home_of q)"
done
check "the worker ends well" end_workers
tap_end
