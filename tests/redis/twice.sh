#!/bin/sh
# Who pushed what a primary lost makes it again only if the histories of the servers show that it was lost. After two fail-overs
# in quick succession, or if the slot was moved meanwhile, they do not (R5 R7 R8): nothing is pushed again, nothing runs twice, and it
# is told. The producer stands still meanwhile, or it would have made them again between both.
. "$(dirname "$0")/groups.sh"
note_handler

say() { printf '{"id":"%s"}\n' "$1"; }
is_pushed() { [ "$(total q pushed_total)" = "$1" ]; }
ran() { [ "$(grep -c "^$1 " "$RUNS")" -eq "$2" ]; }
sentinels_know() { for sentinel in 4 5 6; do
    [ "$(ask_one $sentinel sentinel master jobs | grep -A1 num-slaves | tail -n 1)" = 2 ] || return 1
done; }
follows() { # NUMBER WITNESS: it is a primary, as another knows
    ask_one "$1" role | head -n 1 | grep -qx master && ask_one "$2" cluster nodes | grep "^$(id_of "$1") " | grep -q ' master \|,master '
}

# ---- what happens behind the producer's back: another has the queue, whose history does not begin with the first one's ----
after_sentinel() {
    check "another is the primary" until_true 60 not_home q "$home"
    second=$(home_of q)
    join_replicas
    check "... and has a replica" until_true 60 in_step "$second"
    check "... and goes at once" until_true 60 obeys 4 sentinel failover jobs
    check "... so that a third is the primary" until_true 60 not_home q "$second"
}
after_cluster() {
    second=$((home + 3)) other=$((home % 3 + 1)) move_told=
    check "its replica follows" until_true 60 follows $second $other
    join_replicas
    check "... and its slot is moved" until_true 60 move_slot "$(slot_of q 0)" $second $other
}
tells() { grep -q "store.unclear pushes=[0-9]" "$scratch/producer.err"; }

campaign() { # SHAPE
    start_group "$1"
    export REEVE_STORE
    home=$(home_of q)
    check "$1: replicas are in step" until_true 60 in_step "$home"
    [ "$1" = cluster ] || check "... and known" until_true 60 sentinels_know
    start_worker worker q --lease 30s -- "$scratch/note"
    "$REEVE" push q --bulk --keep 0s <"$scratch/lines" >"$scratch/producer.out" 2>"$scratch/producer.err" &
    producer=$!
    started="$started $producer"
    exec 9>"$scratch/lines"
    say gone >&9
    check "a job is done, and not kept" until_true 60 ran gone 1
    check "the replicas know" until_true 60 in_step "$home"
    check "the worker ends well" end_workers
    started=$producer
    check "replicas are turned away" part_replicas "$home"
    say lost-1 >&9
    say lost-2 >&9
    check "what no replica has is acknowledged" until_true 60 is_pushed 3
    kill -STOP "$producer"
    kill -KILL "$(pid_of "$home")"
    "after_$1"
    kill -CONT "$producer"
    check "it is told that nobody knows what became of it" until_true 60 tells
    say after >&9
    start_worker worker q --lease 30s -- "$scratch/note"
    check "the producer goes on" until_true 60 ran after 1
    check "the other worker ends well" end_workers
    exec 9>&-
    check "the producer ends well" wait "$producer"
    check "nothing was pushed again" test -z "$(grep store.resent "$scratch/producer.err")"
    check "... so what was lost did not run" test -z "$(grep '^lost-' "$RUNS")"
    check "... and what was done has run once" ran gone 1
    started=
    : >"$RUNS"
    "$groups" stop "$server"
    rm -rf "${server:?}"/*
}

mkfifo "$scratch/lines"
for shape in ${SHAPES:-sentinel cluster}; do campaign "$shape"; done
tap_end
