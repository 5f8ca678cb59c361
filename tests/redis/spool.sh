#!/bin/sh
# The server is away in the middle of it all, and pushes go to a spool meanwhile (design.md 8): every push that
# returned success is there afterwards, and every job is finished once. SPOOL_JOBS: so many; SPOOL_AWAY_S: for so long.
. "$(dirname "$0")/lib.sh"
jobs=${SPOOL_JOBS:-400} away_s=${SPOOL_AWAY_S:-1}
start_server aof
ask config set appendfsync always >/dev/null
note_handler
export REEVE_SPOOL="$scratch/spool/pushes.db"

# push_part FROM COUNT: in small steps, each of which must succeed the first time.
push_part() {
    for from in $(seq "$1" 20 $(($1 + $2 - 1))); do
        seq "$from" $((from + 19)) | sed 's/.*/{"id":"job-&","body":"&"}/' |
            "$REEVE" push q --bulk --json 2>>"$scratch/push.err" || return 1
    done >"$scratch/pushed.$1"
}
push_all_parts() {
    pushers=
    for i in 0 1 2 3; do
        push_part $((i * (jobs / 4) + 1)) $((jobs / 4)) &
        pushers="$pushers $!"
    done
}
all_pushed() { for pusher in $pushers; do wait "$pusher" || { cat "$scratch/push.err"; return 1; }; done; }
# of what all steps said
said() { cat "$scratch"/pushed.* | sed "s/.*\"$1\":\([0-9]*\).*/\1/" | awk '{ n += $1 } END { print n + 0 }'; }
was_spooled() { [ "$(said spooled)" -gt 0 ]; }
each_was_told() { [ $(($(said queued) + $(said spooled))) -eq "$jobs" ] || { cat "$scratch"/pushed.*; return 1; }; }
ran_some() { [ "$(wc -l <"$RUNS")" -gt $((jobs / 10)) ]; }
all_done() { stat_is q finished_total "$jobs"; }
waits() { "$REEVE" spool list | grep -q ' waiting '; }
doctor_tells() { "$REEVE" doctor | grep -qE '^doubtful +spool +[1-9][0-9]* push'; }
is_degraded() { grep -q 'store.away' "$scratch/worker.$1.err"; }

for i in 0 1; do start_worker "worker.$i" q --threads 4 --lease 60s -- "$scratch/note"; done
"$REEVE" tend 2>"$scratch/tend.err" &
tender=$!
started="$started $tender"
push_all_parts
check "they run" until_true 60 ran_some
kill_server
check "a push is kept meanwhile" prints "q/late spooled" "$REEVE" push q x --id late --quiet
jobs=$((jobs + 1))
check "it waits" waits
check "one worker notices" until_true 60 is_degraded 0
check "the other, too" until_true 60 is_degraded 1
check "the doctor says what waits" doctor_tells
sleep "$away_s"
start_again
ask config set appendfsync always >/dev/null
check "every push succeeds" all_pushed
echo '{"queued":0,"duplicate":0,"refused":0,"spooled":1}' >"$scratch/pushed.late"
check "some of them were kept" was_spooled
check "each was told to be safe" each_was_told
check "they are finished" until_true 120 all_done
check "each once" accounts_for "$jobs"
check "nothing waits any more" prints "0 forwarded, 0 waiting, 0 refused" "$REEVE" spool forward
check "the spool is sound" "$REEVE" doctor --store "sqlite:$REEVE_SPOOL" --space spool
check "the workers end well" end_workers
kill -TERM "$tender"
check "and who tends" wait "$tender"
check "the doctor finds nothing" "$REEVE" doctor
tap_end
