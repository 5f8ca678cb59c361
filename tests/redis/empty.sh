#!/bin/sh
# The server is killed and comes back with nothing (R3): who holds a lease is told that it is lost, workers go on with
# what is pushed next, and its tokens are larger than those that are gone.
. "$(dirname "$0")/lib.sh"
start_server
gate_handler
handler any <<'END_ANY'
#!/bin/sh
echo "$REEVE_TOKEN" >>"$GATES/$REEVE_ID.tokens"
[ "$REEVE_ID" != held ] || exec "$GATES/gate"
END_ANY

token() { sort -n "$scratch/$1.tokens" | sed -n "$2p"; } # ID NUMBER
larger() { [ "$(token "$1" 2)" -gt "$(token "$1" 1)" ]; }
# What happens is told by and by: it is asked again until it is seen.
sees_ends() { "$REEVE" push q x --id "seen-$(date +%N)" --wait && grep -q 'ended .*q/seen' "$scratch/watch.out"; }
waits() { ask pubsub channels | grep -q ':events$' && [ "$(ask client list type pubsub | wc -l)" -ge 3 ]; }
done_now() { "$REEVE" job show "q/$1" --json | grep -q '"state":"done"'; }

start_worker one q --threads 2 --lease 2s -- "$scratch/any"
"$REEVE" watch q >"$scratch/watch.out" 2>&1 &
started="$started $!"
check "a job is done" prints "" "$REEVE" push q x --id quick --wait
check "another is pushed" prints "q/held queued" "$REEVE" push q x --id held
check "it runs" until_true 20 test -s "$scratch/held.pid"
"$REEVE" wait q/held >"$scratch/wait.out" 2>&1 &
waiter=$!
started="$started $waiter"
check "somebody waits for it" until_true 20 waits
kill_server
start_again
check "it is not there any more" exits 3 "$REEVE" job show q/held
check "its worker is told so" until_true 20 grep -q 'lease.lost.*held\|job.fenced.*held' "$scratch/one.err"
check "who waited for it is told that it is gone" exits 3 wait $waiter
check "its program is stopped" until_true 20 ended "$(cat "$scratch/held.pid")"
check "the same ids are pushed again" prints "q/quick queued" "$REEVE" push q x --id quick
check "the worker, which was there all the while, does it" until_true 20 done_now quick
check "under a larger token" larger quick
rm "$scratch/held.pid"
check "so with the other" prints "q/held queued" "$REEVE" push q x --id held
check "which runs" until_true 20 test -s "$scratch/held.pid"
: >"$scratch/held.go"
check "and is done" prints through "$REEVE" wait q/held
check "under a larger token, too" larger held
check "the queue is known by its name" sh -c '"$REEVE" queue list | grep -q "^q "'
check "who watched from the beginning sees what happens" until_true 20 sees_ends
check "the worker ends well" end_workers
check "the doctor finds nothing" "$REEVE" doctor
tap_end
