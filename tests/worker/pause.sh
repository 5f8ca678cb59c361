#!/bin/sh
# SIGSTOP of a worker past its lease, then SIGCONT (W6, A97): another runs the job, the first one's finish is refused
# and it says so; its child is stopped.
. "$(dirname "$0")/lib.sh"

cat >"$scratch/handler" <<'END'
#!/bin/sh
[ "$REEVE_ATTEMPT" -gt 1 ] && { echo second; exit 0; }
echo $$ >"$PIDS"
while [ ! -e "$PIDS.go" ]; do sleep 0.05; done
echo first
END
chmod +x "$scratch/handler"
export PIDS="$scratch/pid"

# On a crowded machine a lease of a second may lapse once more than it is made to: that is an attempt more.
accounted_for() {
    attempts=$(sed -n 's/.*"attempt": *\([0-9]*\), *"attempts_max".*/\1/p' "$scratch/job")
    prints "$((attempts - 1)) 1" sh -c \
        'echo $(grep -o "\"outcome\": *\"lapsed\"" "$1" | wc -l) $(grep -o "\"outcome\": *\"done\"" "$1" | wc -l)' sh "$scratch/job"
}

# A process that is stopped within a write to SQLite holds up all others until it goes on: this one is not to be.
stop_at_rest() { # PID
    for probe in 1 2 3 4 5; do
        kill -STOP "$1"
        timeout 3 "$REEVE" push probes x >/dev/null && return
        kill -CONT "$1"
    done
    return 1
}

check "a job is pushed" prints "q/only queued" "$REEVE" push q body --id only --attempts 100 --backoff 1ms
start_worker first q --threads 1 --lease 1s -- "$scratch/handler"
first=$pid
check "it runs" until_true 10 test -s "$PIDS"
check "its worker is stopped" stop_at_rest "$first"
start_worker second q --threads 1 --lease 1s -- "$scratch/handler"
second=$pid
check "another worker runs it again" until_true 15 has_jobs 1 q done
: >"$PIDS.go" # the first handler may finish now
kill -CONT "$first"
check "the first one says that it lost the lease" until_true 10 grep -Eq 'lease.lost|job.fenced' "$scratch/first.err"
check "its child is gone" until_true 5 ended "$(cat "$PIDS")"
check "the second one's result stands" prints second "$REEVE" wait q/only
"$REEVE" job show q/only --json >"$scratch/job"
check "each attempt lapsed but the last, which finished" accounted_for
kill -TERM "$first" "$second"
check "the first ends well after all" wait "$first"
check "so does the second" wait "$second"
tap_end
