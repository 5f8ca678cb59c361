#!/bin/sh
# wait, and push --wait.
. "$(dirname "$0")/lib.sh"

check "an unknown job" says 3 "no job 'a'" reeve wait q/a
check "not an address" says 2 'QUEUE/ID' reeve wait q
check "no id" says 2 'QUEUE/ID' reeve wait q/
check "no queue" says 2 'QUEUE/ID' reeve wait /a
check "not a queue" says 2 'queue name' reeve wait 'a b/c'
reeve push q --id late >/dev/null
check "time-out" says 4 'not ended in time' reeve wait q/late --timeout 50ms
check "a time-out of nothing" says 4 'not ended in time' reeve wait q/late --timeout 0s
check "push --wait, time-out" says 4 'not ended in time' reeve push q --id late --wait --wait-timeout 50ms
check "a duration is needed" says 2 'bare number' reeve wait q/late --timeout 5

# ---- ends that another process brings about ----
start waiter wait q/late
waiter=$pid
start other push q --id late --wait
other=$pid
start hasty wait q/late --timeout 50ms
check "one who gives up" ends 4 "$pid"
reeve work q --until-empty -- printf '\000result\377' 2>/dev/null
check "a waiter in another process" ends 0 "$waiter"
check "... has the result and nothing else" cmp "$scratch/waiter.out" "$scratch/other.out"
printf '\000result\377' >"$scratch/expected"
check "... byte for byte" cmp "$scratch/waiter.out" "$scratch/expected"
check "the other waiter, too" ends 0 "$other"
check "nothing is said" is "" "$(cat "$scratch/waiter.err" "$scratch/other.err")"
check "a result that is there already" sh -c '"$REEVE" wait q/late --timeout 0s | cmp - "$1"' sh "$scratch/expected"
check "... by push" sh -c '"$REEVE" push q --id late --wait | cmp - "$1"' sh "$scratch/expected"
check "... as JSON" is '{"base64":"AHJlc3VsdP8="}' "$(json .result reeve wait q/late --json)"
check "... with its state" is done "$(json .state reeve push q --id late --wait --json)"

# ---- one worker for the rest ----
handler any <<'END'
#!/bin/sh
case $REEVE_ID in
empty*) ;;
big) head -c 1048576 /dev/zero ;;
fail*) echo "it broke" >&2; exit 65 ;;
esac
END
start_worker worker r -- "$scratch/any"
check "an empty result is a result" prints "" reeve push r --id empty --wait --wait-timeout 20s
check "... and not null" is '' "$(json .result reeve job show r/empty --json)"
check "1 MiB" is 1048576 "$(reeve push r --id big --wait --wait-timeout 20s | wc -c | tr -d ' ')"
check "a failed job" says 1 'it broke' reeve push r --id fail --wait --wait-timeout 20s
check "... asked again" says 1 'it broke' reeve push r --id fail --wait
check "... by wait" says 1 'it broke' reeve wait r/fail
run reeve wait r/fail --json
check "... as JSON: exit 1" is 1 "$status"
check "... as JSON: the error" is exit:65 "$("$JSON_GET" .error.code <"$scratch/out")"
start cancelled push r --id later --delay 1h --wait
check "it is there" until_true 10 state_is delayed r/later
reeve job cancel r/later >/dev/null
check "a cancelled job" ends 1 "$pid"
check "... says so" grep -q 'r/later was cancelled' "$scratch/cancelled.err"

# ---- how soon ----
begin=$(date +%s%N)
reeve push r --id empty2 --wait >/dev/null
check "the end is heard of at once" test $((($(date +%s%N) - begin) / 1000000)) -lt 900

# ---- interruption ----
reeve push q --id never --delay 1h >/dev/null
start interrupted wait q/never
check "it waits" until_true 10 sh -c 'grep -q "^State:.*S" /proc/$1/status && [ $(ls /proc/$1/task | wc -l) -gt 1 ]' sh "$pid"
kill -INT "$pid"
check "INT while waiting: 130" ends 130 "$pid"
tap_end
