#!/bin/sh
# ?wait=N: a push and a hand-in are told as sure only when N replicas have them. With the replicas up nobody notices; while they
# stand still it is told, also of a repeat, which has nothing new to write; when they go on, so does the work.
# SHAPES: which groups (sentinel, cluster).
. "$(dirname "$0")/groups.sh"
note_handler

replicas() { if [ "$group" = sentinel ]; then echo 2 3; else echo 4 5 6; fi; }
each_replica() { # SIGNAL
    for replica in $(replicas); do kill "-$1" "$(pid_of "$replica")"; done
}
push_to() { # URL ID
    "$REEVE" push q x --id "$2" --keep 1h --store "$1" >"$scratch/out" 2>&1
}
is_told() { # URL ID: not sure, and why
    push_to "$1" "$2" && { echo "told as sure"; return 1; }
    grep -q '0 of 1 replicas have it' "$scratch/out" || { cat "$scratch/out"; return 1; }
}
is_refused() { # URL: by the doctor
    ! "$REEVE" doctor --store "$1" >"$scratch/doctor" && grep -q '^bad .*replicas, and the url waits for 9 of them' "$scratch/doctor"
}
has_told() { grep -q '0 of 1 replicas have it' "$scratch/worker.err"; }
is_there() { "$REEVE" job list q --json | grep -q "\"id\":\"$1\""; }

campaign() { # SHAPE
    start_group "$1" 60000 # nobody is to take over
    export REEVE_STORE
    waits="$REEVE_STORE?wait=1&wait_timeout=200ms" patient="$REEVE_STORE?wait=1&wait_timeout=30s"
    check "$1: replicas are in step" until_true 60 in_step "$(home_of q)"
    check "what replicas have is sure" until_true 60 push_to "$patient" a
    check "the doctor has nothing against waiting for as many as there are" until_true 60 "$REEVE" doctor --store "$waits"
    check "... but for more it has" is_refused "$REEVE_STORE?wait=9"
    each_replica STOP
    check "what they have not is told" is_told "$waits" b
    check "... of the repeat, too" is_told "$waits" b
    check "... though it is there" is_there b
    check "... and without waiting nobody is told" push_to "$REEVE_STORE" b
    start_worker worker q --store "$waits" --lease 5s -- "$scratch/note"
    check "a worker that hands in is told" until_true 60 has_told
    each_replica CONT
    check "when they go on it is sure" until_true 60 push_to "$waits" b
    check "... and both are done" until_true 60 stat_is q done 2
    check "the worker ends well" end_workers
    check "each was done once, under its token" accounts_for 2
    started=
    "$groups" stop "$server"
    rm -rf "${server:?}"/*
}

for shape in ${SHAPES:-sentinel}; do campaign "$shape"; done
tap_end
