#!/bin/sh
# The server's clock steps an hour forward, and back again, while jobs run (R16): none is lost, tokens grow all the same,
# and a lease that was given an hour ahead does not last that hour.
. "$(dirname "$0")/lib.sh"
step() { # SECONDS: ahead of the machine's clock. In place: the server has the file in its memory.
    printf '%-15s\n' "$1" 1<>"$scratch/step"
}
step 0
server_under="LD_PRELOAD=${STEP:?the library that steps} STEP_FILE=$scratch/step"
start_server
note_handler
gate_handler
handler any <<'END_ANY'
#!/bin/sh
case $REEVE_ID-$REEVE_ATTEMPT in held*-1) "$GATES/gate" >"$GATES/gate.out" ;; esac
exec "$GATES/note"
END_ANY

some_done() { stat_is q finished_total "$finished"; } # $finished: all told
do_some() { # FROM
    push_some "$1" 20 "$REEVE_STORE" || return 1
    finished=$((finished + 20))
    until_true 30 some_done
}
hold() { # QUEUE ID
    prints "$1/$2 queued" "$REEVE" push "$1" x --id "$2" --attempts 10 --backoff 1ms --keep 24h || return 1
    until_true 20 test -s "$scratch/$2.pid"
}
is_done() { "$REEVE" job show "$1" --json | grep -q '"state":"done"'; } # QUEUE/ID
tokens() { # FROM: of the 20 jobs from there on
    for i in $(seq "$1" $(($1 + 19))); do grep "^job-$i " "$RUNS"; done | cut -d ' ' -f 2 | sort -n
}
larger() { [ "$(tokens "$1" | head -n 1)" -gt "$(tokens "$2" | tail -n 1)" ]; } # FROM FROM
server_is_ahead() { # SECONDS
    ahead=$(($(ask time | head -n 1) - $(date +%s)))
    [ $ahead -ge $(($1 - 5)) ] && [ $ahead -le $(($1 + 5)) ]
}
finished=0

for i in 1 2; do start_worker "worker.$i" q h --threads 2 --lease 2s -- "$scratch/any"; done
check "jobs are done" do_some 1
check "one is in hand" hold h held-1
step 3600
check "the server's clock is an hour ahead" until_true 10 server_is_ahead 3600
check "jobs are done all the same" do_some 101
check "under larger tokens" larger 101 1
: >"$scratch/held-1.go"
check "so is the one that was in hand" until_true 30 is_done h/held-1

start_worker dead r --threads 1 --lease 2s -- "$scratch/any"
check "another is in hand" hold r held-2
check "and one of a worker that lives" hold h held-3
kill -KILL "$pid"
step 0
check "the server's clock is right again" until_true 10 server_is_ahead 0
start_worker heir r --threads 1 --lease 2s -- "$scratch/any"
check "what the dead worker had runs again, not only in an hour" until_true 30 is_done r/held-2
check "jobs are done as before" do_some 201
check "under larger tokens still" larger 201 101
: >"$scratch/held-3.go"
check "the one that was in hand, too" until_true 30 is_done h/held-3
check "all were finished once" prints "60 2 1" echo "$(total q finished_total) $(total h finished_total) $(total r finished_total)"
check "the workers end well" end_workers
check "the doctor finds nothing" "$REEVE" doctor
tap_end
