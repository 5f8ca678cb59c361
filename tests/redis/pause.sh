#!/bin/sh
# The server stands still for longer than leases last (SIGSTOP), while jobs run and are pushed (N7 R17): nobody gives up,
# nothing is lost, and none is finished twice. PAUSE_S: so long.
. "$(dirname "$0")/lib.sh"
pause_s=${PAUSE_S:-3}
jobs=160
start_server
note_handler
handler slow <<'END_SLOW'
#!/bin/sh
sleep 0.2
exec "$(dirname "$0")/note"
END_SLOW

all_done() { stat_is q finished_total "$jobs"; }
in_doubt() { grep -hq 'store.away' "$scratch"/worker.*.err; }

for i in 0 1; do start_worker "worker.$i" q --threads 8 --lease 1s -- "$scratch/slow"; done
push_all "$jobs" "$REEVE_STORE" >"$scratch/push.out" 2>&1 &
pusher=$!
check "jobs run" until_true 20 test -s "$RUNS"
kill -STOP "$server_pid"
sleep "$pause_s" # what is tried
check "the workers live" kill -0 $started
kill -CONT "$server_pid"
check "they have noticed" in_doubt
check "all jobs are pushed" wait $pusher
check "all jobs are finished" until_true 60 all_done
check "each once" accounts_for "$jobs"
check "the workers end well" end_workers
check "the doctor finds nothing" "$REEVE" doctor
tap_end
