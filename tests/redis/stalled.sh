#!/bin/sh
# A node of a cluster stands still for a while, and nobody follows it, while jobs of a queue of eight shards are run by two
# workers: those of the other nodes go on, claimed and handed in, and afterwards each job is done once, at its first attempt,
# under the lease it was claimed with. Nobody is told of a lost lease, and no worker gives up.
# STALLED_JOBS, STALL_S: how many jobs, and how long; STALLED: which nodes, one after the other.
. "$(dirname "$0")/groups.sh"
jobs=${STALLED_JOBS:-5600} stall_s=${STALL_S:-10} shards=8
start_group cluster 600000
export REEVE_STORE
export RUNS="$scratch/runs"
: >"$RUNS"
handler note <<'NOTE'
#!/bin/sh
sleep 0.05
echo "$REEVE_ID $REEVE_TOKEN" >>"$RUNS"
NOTE

# The shards of nodes that go on: their numbers, one per line.
shards_elsewhere() { # NODE
    for shard in $(seq 0 $((shards - 1))); do
        [ "$(node_of_slot "$(slot_of q "$shard")")" = "$1" ] || echo "$shard"
    done
}
# What is the space's own lies on one node: who begins anew cannot do without that one.
space_home() { node_of_slot "$(ask_one 1 cluster keyslot "{${REEVE_SPACE:-reeve}}")"; }
ran() { wc -l <"$RUNS"; }
runs_more_than() { [ "$(ran)" -gt "$1" ]; }
# The last of the first COUNT runs that were of a shard that goes on and are kept, to $last; which one it is the token says.
# Behind it are as many as the workers have threads, which may not be handed in yet.
last_elsewhere() { # COUNT
    last=$(head -n "$1" "$RUNS" | awk -v shards="$elsewhere" 'BEGIN { split(shards, list, " "); for (i in list) good[list[i]] = 1 }
        good[$2 % 64] && $1 ~ /^job/ { id = $1 } END { print id }')
}
is_done() { "$REEVE" job show "q/$1" --json | grep -q '"state": *"done"'; }
all_done() { stat_is q finished_total "$pushed"; }
finished_once() {
    "$REEVE" stats q --json >"$scratch/stats"
    for field in pushed_total finished_total; do
        grep -q "\"$field\": *$pushed[,}]" "$scratch/stats" || { echo "not $pushed: $field"; cat "$scratch/stats"; return 1; }
    done
    for field in retried_total lapsed_total failed; do
        grep -q "\"$field\": *0[,}]" "$scratch/stats" || { echo "not 0: $field"; cat "$scratch/stats"; return 1; }
    done
}
ran_once() { [ "$(cut -d ' ' -f 1 "$RUNS" | sort | uniq -c | awk '$1 != 1')" = '' ] && [ "$(ran)" -eq "$pushed" ]; }
told_no_loss() { ! grep -hE 'job\.(fenced|lost|lapsed|unreported)' "$scratch"/worker.*.err; }

stall() { # NODE
    elsewhere=$(shards_elsewhere "$1" | tr '\n' ' ')
    before=$(ran)
    check "jobs run" until_true 60 runs_more_than $((before + 100))
    before=$(ran) began=$(date +%s%3N)
    sleep 2 # to know how fast they go
    rate=$((($(ran) - before) * 1000 / ($(date +%s%3N) - began)))
    kill -STOP "$(pid_of "$1")"
    stopped=$(ran)
    push_some $((pushed + 1)) 80 "$REEVE_STORE" >"$scratch/push.out" 2>&1 &
    pusher=$!
    sleep 3 # in which it is noticed that one stands still
    noticed=$(ran)
    last_elsewhere "$(($(ran) - 8))"
    sleep $((stall_s - 3))
    went=$(($(ran) - stopped)) later=$(($(ran) - noticed))
    [ "$1" = "$space" ] || check "what ran meanwhile is handed in" is_done "$last"
    kill -CONT "$(pid_of "$1")"
    echo "# node $1, without shards $(seq -s ' ' 0 $((shards - 1)) | tr ' ' '\n' | grep -vxF "$(echo "$elsewhere" | tr ' ' '\n')" | tr '\n' ' '): $rate jobs a second before, $went in the $stall_s s that it stood still, $later of them in the last $((stall_s - 3))"
    check "the others went on" test "$went" -ge $((rate * stall_s / 3))
    check "... at more than half their pace once it was noticed" test "$later" -ge $((rate * (stall_s - 3) / 2))
    check "what was pushed meanwhile is there" wait $pusher
    pushed=$((pushed + 80))
}

check "a queue of $shards shards" "$REEVE" queue set q --shards $shards
check "jobs are pushed" push_all $((jobs / 2)) "$REEVE_STORE"
seq $((jobs / 2)) | sed 's/.*/{"id":"gone-&","body":"&"}/' >"$scratch/gone"
check "... and as many of which no record is kept" "$REEVE" push q --bulk --keep 0s --file "$scratch/gone"
pushed=$jobs
for i in 1 2; do start_worker "worker.$i" q --threads 4 --lease 30s -- "$scratch/note"; done
space=$(space_home)
for node in ${STALLED:-$space $((space % 3 + 1))}; do stall "$node"; done
check "all jobs are done" until_true 120 all_done
check "each was finished once, at its first attempt" finished_once
check "... and run once" ran_once
check "nobody was told of a lost lease" told_no_loss
check "the workers live" kill -0 $started
check "the workers end well" end_workers
check "the doctor finds nothing" "$REEVE" doctor
tap_end
