#!/bin/sh
# A primary acknowledges pushes that no replica hears of, and ends. Who made them makes them again at the one that follows
# (R5 R7), and nothing else: not what that one had, not what it had and knows no more, and no job runs twice. Who waits for
# one of them is not told that there is none.
# SHAPES: which groups (sentinel, cluster).
. "$(dirname "$0")/groups.sh"
note_handler

# Producers: handles that live on, and push what comes through a pipe.
start_producer() { # NAME KEEP
    mkfifo "$scratch/$1.lines"
    "$REEVE" push q --bulk --keep "$2" <"$scratch/$1.lines" >"$scratch/$1.out" 2>"$scratch/$1.err" 8>&- &
    producers="$producers $!"
    started="$started $!"
}
say() { printf '{"id":"%s"}\n' "$1"; }
is_pushed() { [ "$(total q pushed_total)" = "$1" ]; }
is_done() { "$REEVE" job show "q/$1" --json 2>/dev/null | grep -q '"state": *"done"'; }
ran() { [ "$(grep -c "^$1 " "$RUNS")" -eq "$2" ]; }
has_resent() { # NAME COUNT
    has_resent_now=$(awk -F "pushes=" '/store.resent/ { sum += $2 } END { print sum + 0 }' "$scratch/$1.err")
    [ "$has_resent_now" = "$2" ] || { cat "$scratch/$1.err"; return 1; }
}
# Who waits for what he pushed looks for it at the server that follows, perhaps before he has made it again there.
start_callers() {
    callers=
    for i in 1 2 3 4 5 6; do
        "$REEVE" push q x --id "called-$i" --wait --wait-timeout 120s >"$scratch/called-$i" 2>&1 8>&- 9>&- &
        callers="$callers $!"
    done
    started="$started $callers"
}
has_answer() { # NUMBER PID
    wait "$2" || { cat "$scratch/called-$1"; return 1; }
}
# Who ends after its push cannot make it again. Only those that were told as sure count as acknowledged.
push_once() { # ID OPTION
    "$REEVE" push q x --id "$1" --store "$REEVE_STORE$2" >>"$scratch/once.out" 2>&1 && echo "$1" >>"$scratch/sure$2"
}
count_there() { # FILE: of the ids in it
    while read -r id; do if "$REEVE" job show "q/$id" >/dev/null 2>&1; then echo "$id"; fi; done <"$1" | wc -l
}
says_loss() { # URL TEXT
    "$REEVE" doctor --store "$1" >"$scratch/doctor.out"
    grep -q "$2" "$scratch/doctor.out"
}
sentinels_know() { [ "$group" != sentinel ] || [ "$(ask_one 4 sentinel master jobs | grep -A1 num-slaves | tail -n 1)" = 2 ]; }

campaign() { # SHAPE
    start_group "$1"
    export REEVE_STORE
    home=$(home_of q)
    check "$1: replicas are in step" until_true 60 in_step "$home"
    check "... and known" until_true 60 sentinels_know
    "$REEVE" watch --json >"$scratch/events" 2>"$scratch/watch.err" &
    watch=$!
    started="$started $watch"
    start_worker worker q --lease 30s -- "$scratch/note"
    producers=
    start_producer keeping 1h
    exec 8>"$scratch/keeping.lines"
    start_producer forgetting 0s
    exec 9>"$scratch/forgetting.lines"
    say kept >&8
    say gone >&9
    check "jobs run" until_true 60 ran kept 1
    check "... also one that is not kept" until_true 60 ran gone 1
    check "the replicas have all that" until_true 60 in_step "$home"
    check "the worker ends well" end_workers
    started="$watch $producers"
    check "replicas are turned away" part_replicas "$home"
    for i in 1 2 3; do say "lost-$i" >&8; done
    say lost-unkept >&9
    start_callers
    check "what no replica has is acknowledged" until_true 60 is_pushed 12
    wait='?wait=1&wait_timeout=200ms'
    : >"$scratch/sure"
    : >"$scratch/sure$wait"
    for i in 1 2; do push_once "once-$i" '' && push_once "waited-$i" "$wait"; done
    check "... by one that ends then, too" test "$(wc -l <"$scratch/sure")" -eq 2
    check "... but not if it waits for a replica" test "$(wc -l <"$scratch/sure$wait")" -eq 0
    check "the doctor says that it may be lost" says_loss "$REEVE_STORE" 'no wait: whatever is told as pushed'
    check "... and that waiting helps" says_loss "$REEVE_STORE$wait" 'wait=1: what was told as sure is lost only if'
    kill -KILL "$(pid_of "$home")"
    check "another is the primary" until_true 60 not_home q "$home"
    join_replicas
    check "what was lost was pushed again" until_true 60 has_resent keeping 3
    check "... also what is not kept" until_true 60 has_resent forgetting 1
    start_worker worker q --lease 30s -- "$scratch/note"
    for i in 1 2 3; do check "lost-$i is done" until_true 60 is_done "lost-$i"; done
    check "what is not kept runs, too" until_true 60 ran lost-unkept 1
    caller=0
    for pid in $callers; do
        caller=$((caller + 1))
        check "who waits for called-$caller has its result" has_answer $caller "$pid"
    done
    echo "# $1: of $(wc -l <"$scratch/sure") acknowledged by processes that had ended $(count_there "$scratch/sure") are there; with wait=1" \
        "none was told as sure, and of those told as unsure $(printf 'waited-1\nwaited-2\n' >"$scratch/unsure"; count_there "$scratch/unsure") of 2 are there"
    check "what a process pushed that had ended is lost" test "$(count_there "$scratch/sure")" -eq 0
    check "what was done before has run once" ran gone 1
    check "... whether it is kept or not" ran kept 1
    check "who watches is told of it" until_true 20 grep -q '"type":"failover".*"from":"127.0.0.1:[0-9]*".*"to":"127.0.0.1:[0-9]*"' "$scratch/events"
    check "the other worker ends well as well" end_workers
    exec 8>&- 9>&- # which it had, too
    for producer in $producers; do check "a producer ends well" wait "$producer"; done
    kill -TERM "$watch"
    check "the watch ends well" wait "$watch"
    check "the log has both servers, and how long it took" \
        grep -q 'store.failover.*from="redis 127.*to="redis 127.*took_ms=[0-9]' "$scratch/keeping.err"
    started=
    rm -f "$scratch"/*.lines
    : >"$RUNS"
    "$groups" stop "$server"
    rm -rf "${server:?}"/*
}

for shape in ${SHAPES:-sentinel cluster}; do campaign "$shape"; done
tap_end
