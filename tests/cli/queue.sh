#!/bin/sh
# queue list, show, pause, resume; stats; worker list; tend.
. "$(dirname "$0")/lib.sh"

counts="queue ready delayed running done failed cancelled paused oldest_ready_ms pushed_total finished_total retried_total \
lapsed_total fenced_total"
sorted() {
    tr ' ' '\n' | sort | tr '\n' ' '
}

check "no queues" prints "" reeve queue list
check "an unknown queue is 3" says 3 'no .*queue' reeve queue show q
check "its stats are zeros" is "q 0 0 false " \
    "$(reeve stats q --json | "$JSON_GET" '.queues[0].queue' '.queues[0].ready' '.queues[0].pushed_total' '.queues[0].paused' | tr '\n' ' ')"
check "asking does not make it" prints "" reeve queue list
check "nor does its name have to be good" says 2 'queue name' reeve stats 'a b'

reeve push q --id 1 >/dev/null
reeve push q --id 2 --delay 1h >/dev/null
reeve push q --id 3 >/dev/null
reeve job cancel q/3 >/dev/null
reeve stats --json >"$scratch/stats"
check "stats: the fields" is "$(echo queues workers leaders | sorted)" "$("$JSON_GET" keys <"$scratch/stats" | sorted)"
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
check "a worker's fields" is "$(echo id name queues threads running started_at_ms seen_at_ms degraded_since_ms | sorted)" \
    "$("$JSON_GET" keys <"$scratch/worker" | sorted)"
check "its queues" is '["q"]' "$("$JSON_GET" .queues <"$scratch/worker")"
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
tap_end
