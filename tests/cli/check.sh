#!/bin/sh
# check: is this lease still current? By its name, and inside a handler.
. "$(dirname "$0")/lib.sh"

unset REEVE_SOCKET REEVE_QUEUE REEVE_ID REEVE_LEASE
check "not inside a handler" says 2 'no program that a worker runs.*QUEUE/ID and --lease' reeve check
check "a job without lease" says 2 '\-\-lease.*missing' reeve check q/a
check "a lease without job" says 2 'which job' reeve check --lease 1.2
check "a bad address" says 2 'QUEUE/ID' reeve check q --lease 1.2
check "an argument too many" says 2 'unexpected' reeve check q/a q/b --lease 1.2
for lease in '' 1 1. .2 1.2.3 x.y '1. 2' -1.2 1.-2 +1.2 99999999999999999999.1 1.99999999999999999999; do
    check "'$lease' is not a lease" says 2 'TOKEN.HOLDER' reeve check q/a --lease "$lease"
done
check "no such job" says 5 . reeve check q/a --lease 1.2

# A handler that says what it is told, each time it is asked to.
handler ask <<'END'
#!/bin/sh
echo "$REEVE_LEASE" >"$PLACE/lease.tmp"
env >"$PLACE/env"
mv "$PLACE/lease.tmp" "$PLACE/lease"
while [ ! -e "$PLACE/go" ]; do sleep 0.05; done
"$REEVE" check >"$PLACE/out" 2>"$PLACE/err"
status=$?
"$REEVE" check --json >"$PLACE/json" 2>/dev/null
echo $status >"$PLACE/status.tmp"
mv "$PLACE/status.tmp" "$PLACE/status"
while [ ! -e "$PLACE/end" ]; do sleep 0.05; done
END
export PLACE="$scratch"
reeve push q --id it >/dev/null
start_worker worker q --lease 2s -- "$scratch/ask"
check "it runs" until_true 20 test -s "$scratch/lease"
lease=$(cat "$scratch/lease")
check "no store is named inside" sh -c '! grep -q "^REEVE_STORE=" "$1"' sh "$scratch/env"
check "current" exits 0 reeve check q/it --lease "$lease"
check "... says nothing" prints "" reeve check q/it --lease "$lease"
check "... as JSON" is true "$(json .current reeve check q/it --lease "$lease" --json)"
check "another holder" says 5 . reeve check q/it --lease "${lease%.*}.1"
check "another token" says 5 . reeve check q/it --lease "1.${lease#*.}"
check "another job" says 5 . reeve check q/other --lease "$lease"
: >"$scratch/go"
check "inside: it answers" until_true 20 test -s "$scratch/status"
check "inside: 0 while it is current" is 0 "$(cat "$scratch/status")"
check "inside: nothing is said" sh -c 'cat "$1/out" "$1/err"; [ ! -s "$1/out" ] && [ ! -s "$1/err" ]' sh "$scratch"
check "inside: as JSON" is true "$("$JSON_GET" .current <"$scratch/json")"
: >"$scratch/end"
check "it ends" exits 0 reeve wait q/it --timeout 20s
check "over: 5" says 5 . reeve check q/it --lease "$lease"
run reeve check q/it --lease "$lease" --json
check "over, as JSON" is "5 false" "$status $("$JSON_GET" .current <"$scratch/out")"

# The worker is stopped past its lease, another has the job: the handler is told so before it acts. It outlives its
# worker's SIGSTOP, since it is another process.
rm -f "$scratch/lease" "$scratch/status" "$scratch/go" "$scratch/end"
handler later <<'END'
#!/bin/sh
[ "$REEVE_ATTEMPT" -eq 1 ] || exit 0
exec "$PLACE/ask"
END
kill -TERM "$pid"
check "the worker ends" ends 0 "$pid"
reeve push q --id lost --backoff 0s >/dev/null
start_worker stopped q --lease 1s -- "$scratch/later"
check "it runs" until_true 20 test -s "$scratch/lease"
lease=$(cat "$scratch/lease")
stopped=$pid
kill -STOP "$stopped"
start_worker other q --lease 1s -- "$scratch/later"
check "another has it done" exits 0 reeve wait q/lost --timeout 30s
check "fenced: 5" says 5 'lease' reeve check q/lost --lease "$lease"
kill -CONT "$stopped"
: >"$scratch/go" # the program is stopped as soon as the loss is known: it may not come to ask
check "the worker says that it lost it" until_true 20 grep -q 'lease.lost' "$scratch/stopped.err"
kill -TERM "$stopped" "$pid"
check "both end" ends 0 "$stopped"
check "... well" ends 0 "$pid"

# ---- a worker that is not there ----
export REEVE_SOCKET="$scratch/nothing" REEVE_QUEUE=q REEVE_ID=it REEVE_LEASE=1.2
check "nobody to ask: 69" says 69 . reeve check
check "... as JSON, too" says 69 . reeve check --json
tap_end
