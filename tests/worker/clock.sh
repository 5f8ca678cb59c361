#!/bin/sh
# The machine's wall clock is set an hour forward, and back again, while jobs run (W8 J4 J8): no lease hangs on it, tokens
# grow all the same, and a worker that dies after that is noticed as soon as ever.
. "$(dirname "$0")/lib.sh"
step() { # SECONDS: ahead of the true time. In place: everybody has the file in his memory.
    printf '%-15s\n' "$1" 1<>"$scratch/step"
}
step 0
export STEP_FILE="$scratch/step" LD_PRELOAD="${STEP:?the library that steps}"
gate_handler
handler any <<'END'
#!/bin/sh
case $REEVE_ID-$REEVE_ATTEMPT in held*-1) exec "$GATES/gate" ;; esac
END

token() { "$REEVE" job show "$1" --json | sed 's/.*"token":\([0-9]*\),.*"created_at_ms".*/\1/'; } # QUEUE/ID
is_done() { "$REEVE" job show "$1" --json | grep -q '"state":"done"'; }
is_ahead() { # SECONDS ID: by the time of a push
    "$REEVE" push probe --id "$2" >/dev/null || return 1
    true_s=$(LD_PRELOAD='' date +%s)
    told_s=$("$REEVE" job show "probe/$2" --json | sed 's/.*"created_at_ms":\([0-9]*\)[0-9]\{3\},.*/\1/')
    [ $((told_s - true_s)) -ge $(($1 - 30)) ] && [ $((told_s - true_s)) -le $(($1 + 30)) ]
}
runs() { # ID: upkeep has made it ready, and somebody has done it
    "$REEVE" push q --id "$1" --delay 1s >/dev/null && until_true 60 is_done "q/$1"
}
holds() { # ID: it runs in its first attempt
    "$REEVE" job show "q/$1" --json | grep -q '"state":"running".*"attempt":1,'
}

for i in 1 2; do start_worker "worker.$i" q --threads 2 --lease 8s -- "$scratch/any"; done
check "a job runs" sh -c '"$REEVE" push q --id held --keep 24h >/dev/null'
check "... and goes on" until_true 30 test -s "$scratch/held.pid"
"$REEVE" push q --id within --delay 30m >/dev/null

step 3600
check "the clock is an hour ahead" is_ahead 3600 a
check "what was due within that hour runs" until_true 30 is_done q/within
check "others come and go" runs ahead
check "the lease stands" holds held
before=$(token q/ahead)

step 0
check "the clock is set right again" is_ahead 0 b
check "others come and go then" runs back
check "the lease stands then" holds held
check "tokens grow all the same" test "$(token q/back)" -gt "$before"
check "nothing lapsed" stat_is q lapsed_total 0
check "nobody was fenced" stat_is q fenced_total 0

: >"$scratch/held.go"
check "it is done" until_true 30 is_done q/held
step 3600
check "the clock is ahead once more" is_ahead 3600 c
"$REEVE" push q --id held.2 --backoff 0s >/dev/null
check "another runs" until_true 30 test -s "$scratch/held.2.pid"
step 0
holder=$("$REEVE" job show q/held.2 --json | sed 's/.*"worker":"[^"]*:\([0-9]*\)".*/\1/')
check "its worker is ours" sh -c 'case " $1 " in *" $2 "*) ;; *) exit 1 ;; esac' sh "$started" "$holder"
kill -KILL "$holder"
check "what it had runs again, and not an hour later" until_true 60 is_done q/held.2
check "... as a lapse" stat_is q lapsed_total 1
check "the store is sound" "$REEVE" doctor
tap_end
