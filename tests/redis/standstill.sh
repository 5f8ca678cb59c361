#!/bin/sh
# A node of a cluster stands still for a while, and nobody follows it, while workers serve nine queues, three of each node:
# jobs that are pushed to the others meanwhile begin as promptly as ever, leases there are kept, and a worker that is told to
# end does so. Afterwards each job of each queue is done once, at its first attempt. WAYS: which nodes, and how: `one` that
# does not keep what is the space's own, the one that does (`space`), `two` of them, or one that is `killed` instead and begun
# again. STALL_S: for how long.
. "$(dirname "$0")/groups.sh"
stall_s=${STALL_S:-8} each=3
start_group cluster 600000
export REEVE_STORE
export RUNS="$scratch/runs"
: >"$RUNS"
handler note <<'NOTE'
#!/bin/sh
sleep 0.02
echo "$REEVE_QUEUE $REEVE_ID" >>"$RUNS"
NOTE
gate_handler
space=$(node_of_slot "$(ask_one 1 cluster keyslot "{reeve}")")

# Names of queues, $each of each node: PREFIX and a number, to $names; which node each is of, to the file homes.
name_queues() { # PREFIX
    names='' name_number=0
    while [ "$(echo "$names" | wc -w)" -lt $((3 * each)) ]; do
        name_number=$((name_number + 1))
        name_home=$(node_of_slot "$(slot_of "$1$name_number" 0)")
        [ "$(grep -c "^$1.* $name_home$" "$scratch/homes")" -lt $each ] || continue
        echo "$1$name_number $name_home" >>"$scratch/homes"
        names="$names $1$name_number"
    done
}
queues_of() { # PREFIX NODES: those of the nodes
    awk -v nodes=" $2 " -v prefix="$1" 'index($1, prefix) == 1 && index(nodes, " " $2 " ") { print $1 }' "$scratch/homes"
}

# feed PREFIX QUEUE: a job at once, so that its store is open, and one each half of a second from when $scratch/PREFIX.go is
# there until it is not.
feed() {
    echo '{"id":"first"}'
    while [ ! -e "$scratch/$1.go" ]; do sleep 0.05; done
    feed_number=0
    while [ -e "$scratch/$1.go" ]; do
        feed_number=$((feed_number + 1))
        echo "{\"id\":\"$feed_number\"}"
        sleep 0.5
    done
}
start_feeds() { # PREFIX QUEUES
    feeds=
    for feed_queue in $2; do
        feed "$1" | "$REEVE" push "$feed_queue" --bulk --keep 1h >/dev/null &
        feeds="$feeds $!"
    done
}
end_feeds() { for feed_pid in $feeds; do wait "$feed_pid" || return 1; done; }

halt() { # NODES
    for halt_node in $1; do
        kill "-$([ "$way" = killed ] && echo KILL || echo STOP)" "$(pid_of "$halt_node")"
    done
}
go_on() { # NODES
    for go_node in $1; do
        kill -CONT "$(pid_of "$go_node")" 2>/dev/null && continue
        "$server_kind-server" "$server/$go_node/server.conf" >>"$server/$go_node/log" 2>&1 </dev/null &
        echo $! >"$server/$go_node/pid"
    done
}

ran() { grep -c "^$1" "$RUNS"; } # PREFIX
pushed_to() { for pushed_queue in $1; do total "$pushed_queue" pushed_total; done | awk '{ sum += $1 } END { print sum }'; }
ran_all() { [ "$(ran "$1")" -ge "$(pushed_to "$2")" ]; } # PREFIX QUEUES
has_run() { grep -qx "$1 $2" "$RUNS"; }
all_first() { for first_queue in $1; do has_run "$first_queue" first || return 1; done; }
# late QUEUES: how many of their jobs began more than a second after they were pushed, of those that were from the
# third second of the standstill on; all of these to $looked.
late() {
    for late_queue in $1; do list_pages "$late_queue" || return 1; done >"$scratch/late"
    looked=$(sed -n 's/.*"created_at_ms":\([0-9]*\).*"started_at_ms":\([0-9]*\).*/\1 \2/p' "$scratch/late" |
        awk -v from=$((stopped_ms + 3000)) -v until=$((again_ms - 1000)) '$1 >= from && $1 < until { looked++; late += $2 - $1 > 1000 }
            END { print late + 0, looked + 0 }')
    late=${looked% *} looked=${looked#* }
    echo "# $late of $looked were late"
}
finished_once() { # QUEUES
    for once_queue in $1; do
        "$REEVE" stats "$once_queue" --json >"$scratch/stats"
        for field in retried_total lapsed_total failed ready running; do
            grep -q "\"$field\": *0[,}]" "$scratch/stats" || { echo "not 0: $field"; cat "$scratch/stats"; return 1; }
        done
    done
    [ "$(grep "^${prefix}q" "$RUNS" | sort | uniq -d)" = '' ] || { grep "^${prefix}q" "$RUNS" | sort | uniq -d; return 1; }
}
# Whoever tends may tell of those whose leases are shorter than the standstill.
told_no_loss() { ! grep -E "job\.(fenced|lost|lapsed|unreported) queue=${prefix}q" "$scratch/$prefix.1.err"; }
# end_soon PID: well, and not much later than a call may take: for so long it tries to hand in what it has.
end_soon() {
    end_began=$(date +%s%3N)
    kill -TERM "$1"
    wait "$1" || return 1
    echo "# ended after $(($(date +%s%3N) - end_began)) ms"
    [ $(($(date +%s%3N) - end_began)) -lt 7000 ]
}

# Two jobs that run throughout, under leases shorter than that: one on a node that goes on, one on one that does not.
start_long() {
    long_live=$(queues_of "${prefix}l" "$alive" | head -n 1) long_halted=$(queues_of "${prefix}l" "$nodes" | head -n 1)
    rm -f "$scratch"/long-*
    start_worker "$prefix.3" "$long_live" "$long_halted" --threads 2 --lease 3s -- "$scratch/gate"
    for queue in $long_live $long_halted; do "$REEVE" push "$queue" --id "long-$queue" --attempts 5 --backoff 1ms; done
    until_true 20 test -e "$scratch/long-$long_live.pid" -a -e "$scratch/long-$long_halted.pid"
}
end_long() {
    for queue in $long_live $long_halted; do : >"$scratch/long-$queue.go"; done
    until_true 30 stat_is "$long_live" finished_total 1 && until_true 30 stat_is "$long_halted" finished_total 1
}
was_kept() { stat_is "$long_live" lapsed_total 0 && stat_is "$long_live" retried_total 0; }

# A worker that is told to end meanwhile: what it ran and could not hand in is run again when its lease is over.
start_ending() {
    ending="$(queues_of "${prefix}l" "$alive" | sed -n 2p) $(queues_of "${prefix}l" "$nodes" | sed -n 2p)"
    # shellcheck disable=SC2086 # split on purpose, here and below
    start_worker "$prefix.ending" $ending --threads 2 --lease 3s -- "$scratch/note"
    ends=$pid
}
others_finish() {
    start_worker "$prefix.2" $ending --threads 2 --lease 3s -- "$scratch/note"
    for queue in $ending; do until_true 30 stat_is "$queue" finished_total 60 || return 1; done
}

stand_still() { # WAY NODES
    way=$1 nodes=$2 prefix=$1
    name_queues "${prefix}l"
    name_queues "${prefix}q"
    alive=$(for node in 1 2 3; do case " $nodes " in *" $node "*) ;; *) printf '%s ' $node ;; esac; done)
    live=$(queues_of "${prefix}q" "$alive") halted=$(queues_of "${prefix}q" "$nodes")
    # shellcheck disable=SC2086 # split on purpose, here and below
    start_worker "$prefix.1" $names --threads 2 --lease 30s -- "$scratch/note"
    check "$way: long jobs run" start_long
    check "$way: so does a worker that is to end" start_ending
    start_feeds "$prefix" "$live"
    check "$way: jobs run" until_true 30 all_first "$live"
    for queue in $halted $ending; do seq 60 | sed 's/.*/{"id":"&"}/' | "$REEVE" push "$queue" --bulk --keep 1h >/dev/null; done
    halt "$nodes"
    stopped_ms=$(date +%s%3N)
    : >"$scratch/$prefix.go"
    sleep $((stall_s / 2))
    check "$way: a worker that is told to end does so meanwhile" end_soon "$ends"
    sleep $((stall_s - stall_s / 2))
    again_ms=$(date +%s%3N)
    went=0
    for queue in $live; do went=$((went + $(ran "$queue "))); done
    check "$way: they go on" go_on "$nodes"
    rm "$scratch/$prefix.go"
    check "$way: what was pushed meanwhile is there" end_feeds
    check "$way: all jobs are done" until_true 60 ran_all "${prefix}q" "$names"
    check "$way: so are the long ones" end_long
    check "$way: ... of which one never lost its lease" was_kept
    late "$live"
    echo "# $way: $went jobs of other nodes ran in $stall_s s"
    check "$way: jobs of other nodes began in time" test "$looked" -gt 0 -a $((late * 4)) -le "$looked"
    check "$way: each was done once, at its first attempt" until_true 10 finished_once "$names"
    check "$way: nobody was told of a lost lease" told_no_loss
    check "$way: what the worker that ended left is done" others_finish
    end_workers
}

: >"$scratch/homes"
other=$((space % 3 + 1)) third=$(((space + 1) % 3 + 1))
for way in ${WAYS:-one space two killed}; do
    case $way in
    one | killed) stand_still "$way" $other ;;
    space) stand_still "$way" "$space" ;;
    two) stand_still "$way" "$other $third" ;;
    esac
done
check "the doctor finds nothing" "$REEVE" doctor
tap_end
