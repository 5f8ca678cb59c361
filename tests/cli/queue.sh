#!/bin/sh
# queue list, show, pause, resume; stats; worker list; tend.
. "$(dirname "$0")/lib.sh"

counts="queue ready delayed running done failed cancelled paused oldest_ready_ms pushed_total finished_total retried_total \
lapsed_total fenced_total refused_total dropped_total trimmed_total max_length on_full keep_failed shards"
sorted() {
    tr ' ' '\n' | sort | tr '\n' ' '
}

check "no queues" prints "" reeve queue list
check "an unknown queue is 3" says 3 'no .*queue' reeve queue show q
check "its stats are zeros" is "q 0 0 false " \
    "$(reeve stats q --json | "$JSON_GET" '.queues[0].queue' '.queues[0].ready' '.queues[0].pushed_total' '.queues[0].paused' | tr '\n' ' ')"
check "... and lie in one shard" is 1 "$(reeve stats q --json | "$JSON_GET" '.queues[0].shards')"
check "asking does not make it" prints "" reeve queue list
check "nor does its name have to be good" says 2 'queue name' reeve stats 'a b'

reeve push q --id 1 >/dev/null
reeve push q --id 2 --delay 1h >/dev/null
reeve push q --id 3 >/dev/null
reeve job cancel q/3 >/dev/null
reeve stats --json >"$scratch/stats"
check "stats: the fields" is "$(echo queues workers leaders degraded degraded_since_ms | sorted)" "$("$JSON_GET" keys <"$scratch/stats" | sorted)"
check "stats: of a queue" is "$(echo "$counts" | sorted)" \
    "$("$JSON_GET" '.queues[0]' <"$scratch/stats" | "$JSON_GET" keys | sorted)"
check "stats: the counts" is "q 1 1 0 0 0 1 false 3 1 0 0 0 " "$("$JSON_GET" '.queues[0]' <"$scratch/stats" |
    "$JSON_GET" .queue .ready .delayed .running .done .failed .cancelled .paused .pushed_total .finished_total \
        .retried_total .lapsed_total .fenced_total | tr '\n' ' ')"
check "stats: nobody works" is "0 []" "$("$JSON_GET" .workers .leaders <"$scratch/stats" | tr '\n' ' ' | sed 's/ $//')"
check "stats: a table" sh -c '"$REEVE" stats | grep -Eq "^q +1 +1 +0 +0 +0 +1 "'
check "queue show" is 1 "$(json .ready reeve queue show q --json)"
check "queue list" is "q" "$(json .queue reeve queue list --json)"
check "queue show for people" sh -c '"$REEVE" queue show q | grep -q "^ready  *1, the oldest"'

check "pause" prints "q paused" reeve queue pause q
check "... is shown" is true "$(json .paused reeve queue show q --json)"
check "... of a queue that is not there makes it" is '{"paused":true,"queue":"new"}' \
    "$(reeve queue pause new --json | "$JSON_GET" '')"
check "... it exists" is true "$(json .paused reeve queue show new --json)"
start_worker worker q -- true
check "workers are counted" until_true 10 sh -c '[ "$("$REEVE" stats --json | "$JSON_GET" .workers)" = 1 ]'
reeve worker list --json >"$scratch/worker"
check "a worker's fields" is "$(echo id name queues kinds threads running started_at_ms seen_at_ms degraded_since_ms claimed_at_ms since_claim_ms | sorted)" \
    "$("$JSON_GET" keys <"$scratch/worker" | sorted)"
check "its queues" is '["q"]' "$("$JSON_GET" .queues <"$scratch/worker")"
check "its kinds" is '["*"]' "$("$JSON_GET" .kinds <"$scratch/worker")"
check "its name" matches ".+:$pid" "$("$JSON_GET" .name <"$scratch/worker")"
check "a table of workers" sh -c '"$REEVE" worker list | grep -q ":'"$pid"' "'
check "resume" prints "q resumed" reeve queue resume q
check "... lets the job run" until_true 20 state_is done q/1
kill -TERM "$pid"
check "the worker ends" ends 0 "$pid"
check "... and leaves the list" prints "" reeve worker list
reeve queue pause q >/dev/null
reeve push q --id held >/dev/null
run reeve work q --once --lease 1s -- true &
held=$!
check "what is paused is not claimed" sh -c '! "$REEVE" wait q/held --timeout 1s'
reeve queue resume q >/dev/null
check "until it is resumed" exits 0 reeve wait q/held --timeout 20s
wait $held

# ---- tend ----
reeve push t --id due --delay 1ms >/dev/null
check "one pass" until_true 10 sh -c '"$REEVE" tend --once >"$1"; "$REEVE" job list t --state ready | grep -q due' sh "$scratch/tend"
check "... says what it did" matches '[0-9]+ promoted, [0-9]+ lapsed, [0-9]+ expired' "$(cat "$scratch/tend")"
check "... as JSON" is "expired lapsed promoted " "$(reeve tend --once --json | "$JSON_GET" keys | sorted)"
start tend tend --no-election
check "tend says when it is ready" until_true 10 grep -qx ready "$scratch/tend.err"
reeve push t --id later --delay 100ms >/dev/null
check "tend makes due jobs ready" until_true 20 state_is ready t/later
kill -TERM "$pid"
check "tend ends on TERM" ends 0 "$pid"

# ---- set ----
check "set: what?" says 2 'what.*--max-length' reeve queue set b
check "set: which queue?" says 2 'too few' reeve queue set --max-length 3
for value in 0 -1 x '' 1.5 5s; do
    check "'$value' is not a length" says 2 '\-\-max-length' reeve queue set b --max-length "$value"
    check "'$value' is not a number of failed ones" says 2 '\-\-keep-failed' reeve queue set b --keep-failed "$value"
done
check "set: full, and then?" says 2 'not one of refuse|drop-oldest' reeve queue set b --on-full explode
check "0 is not a number of shards" says 2 "\-\-shards" reeve queue set b --shards 0
check "nor are 65" says 2 "\-\-shards" reeve queue set b --shards 65
check "a bad name" says 2 'queue name' reeve queue set 'a b' --max-length 3
check "nothing was made" says 3 'no .*queue' reeve queue show b
one_shard= # bounds are divided among several: tests/store/bounds.c has them so
case $REEVE_STORE in *shards=*) one_shard='--shards 1' ;; esac
# shellcheck disable=SC2086 # split on purpose
check "set" prints "b max-length 2, on-full refuse, keep-failed none" reeve queue set b --max-length 2 $one_shard
check "... makes the queue, and is shown" is "2 refuse null " \
    "$(reeve queue show b --json | "$JSON_GET" .max_length .on_full .keep_failed | tr '\n' ' ')"
reeve push b --id 1 >/dev/null
reeve push b --id 2 --delay 1h >/dev/null
check "a full queue refuses: 1" says 1 'full' reeve push b --id 3
check "... not what it knows" prints "b/1 duplicate" reeve push b --id 1
check "... and counts" is 1 "$(json .refused_total reeve queue show b --json)"
check "... lines of a bulk, too" is '{"duplicate":1,"queued":0,"refused":2,"spooled":0}' \
    "$(printf '%s\n' '{"id":"1"}' '{"id":"8"}' '{"id":"9"}' | reeve push b --bulk --json 2>/dev/null | "$JSON_GET" '')"
check "set: the rest stays" is "b 2 drop-oldest 1 " \
    "$(reeve queue set b --on-full drop-oldest --keep-failed 1 --json | "$JSON_GET" .queue .max_length .on_full .keep_failed | tr '\n' ' ')"
check "the oldest makes room" prints "b/3 queued" reeve push b --id 3
check "... it is gone" says 3 'no job' reeve job show b/1
check "... and counted" is 1 "$(json .dropped_total reeve queue show b --json)"
check "no bound any more" prints "b max-length none, on-full drop-oldest, keep-failed 1" reeve queue set b --max-length none
for id in 4 5 6; do reeve push b --id $id --attempts 1 >/dev/null; done
reeve job remove b/2 >/dev/null
reeve work b --until-empty --threads 1 -- false 2>/dev/null
check "failed ones are bounded" until_true 20 sh -c '[ "$("$REEVE" queue show b --json | "$JSON_GET" .failed)" = 1 ]'
check "... and counted" test "$(json .trimmed_total reeve queue show b --json)" -ge 2
check "for people" sh -c '"$REEVE" queue show b | grep -q "^settings   max-length none, on-full drop-oldest, keep-failed 1$"'

# ---- purge ----
check "purge: which queue?" says 2 'too few' reeve queue purge
check "purge: no such queue" says 3 'no .*queue' reeve queue purge nothing
check "purge: no such state" says 2 'not one of' reeve queue purge p --state lost
check "purge: not what runs" says 2 'cancel' reeve queue purge p --state running
for id in 1 2 3; do reeve push p --id $id >/dev/null; done
reeve push p --id later --delay 1h >/dev/null
reeve push p --id gone >/dev/null
reeve job cancel p/gone >/dev/null
check "purge of a state" prints "1 removed" reeve queue purge p --state cancelled
check "purge: what waits" is '{"queue":"p","removed":4}' "$(reeve queue purge p --json | "$JSON_GET" '')"
check "... is gone" is "0 0 4 " "$(reeve queue show p --json | "$JSON_GET" .ready .delayed .dropped_total | tr '\n' ' ')"
check "none is left" prints "0 removed" reeve queue purge p

# ---- shards ----
check "one shard is what every queue has" prints "s max-length none, on-full refuse, keep-failed none" reeve queue set s --shards 1
case $REEVE_STORE in
redis*)
    check "four shards" prints "s max-length none, on-full refuse, keep-failed none, shards 4" reeve queue set s --shards 4
    for id in 1 2 3 4 5 6 7 8 9 10 11 12; do reeve push s --id $id >/dev/null; done
    check "an id is met in its shard" prints "s/7 duplicate" reeve push s --id 7
    check "all shards are counted" is "12 12 4 " \
        "$(reeve queue show s --json | "$JSON_GET" .ready .pushed_total .shards | tr '\n' ' ')"
    check "all shards are listed" is 12 "$(reeve job list s --json | wc -l | tr -d ' ')"
    check "their number stays while there are jobs" says 1 'holds jobs' reeve queue set s --shards 2
    check "with a store of its own, that too" says 1 'with the same options' reeve queue set s --shards 2 --store "$REEVE_STORE"
    check "a bound that cannot be divided" says 2 'max_length 3.*4 shards' reeve queue set s --max-length 3
    check "all shards are worked off" reeve work s --until-empty -- true
    check "... each job once" is "0 12 " \
        "$(reeve queue show s --json | "$JSON_GET" .ready .finished_total | tr '\n' ' ')"
    reeve push s --id later --delay 1h >/dev/null
    reeve push s --id never >/dev/null
    reeve job cancel s/never >/dev/null
    check "it is told how it becomes empty" \
        says 1 'purge s --state delayed && .* s --state done && .* s --state cancelled$' reeve queue set s --shards 2
    check "... and does" eval "$(sed -n 's/^reeve: what does not run is removed by: //p' "$scratch/err")"
    check "fewer shards, and what they have counted" is "2 14 " \
        "$(reeve queue set s --shards 2 >/dev/null && reeve queue show s --json | "$JSON_GET" .shards .pushed_total | tr '\n' ' ')"
    ;;
*)
    check "a store without shards" says 2 'shards: 4: this store keeps a queue in one' reeve queue set s --shards 4
    ;;
esac
tap_end
