#!/bin/sh
# A primary whose replicas hear late is killed under load, with what is on its way to them (R5 R7). What was acknowledged
# longer ago than they lag is there; of what came later, what processes pushed that have ended is lost, and counted; what
# processes pushed that live on is pushed again; and what was told as sure by ?wait=1 is there, all of it.
# SHAPES: which groups (sentinel, cluster); LAGS_MS: how late replicas hear; LAG_JOBS: how many pushes before it is killed.
. "$(dirname "$0")/groups.sh"
jobs=${LAG_JOBS:-60} slack_ms=3000 # of those who note when something was acknowledged
note_handler

# ---- a primary behind a line of its own: NUMBER ----
put_behind() {
    "$here/slow.py" "$(group_port "$1")" "$lag_ms" >"$scratch/slow" &
    slow=$!
    started="$started $slow"
    until_true 20 test -s "$scratch/slow" || return 1
    slow_port=$(cat "$scratch/slow")
    "put_$group" "$1"
}
put_sentinel() {
    for replica in 2 3; do obeys $replica replicaof 127.0.0.1 "$slow_port" || return 1; done
    for sentinel in 4 5 6; do
        obeys $sentinel sentinel remove jobs && obeys $sentinel sentinel monitor jobs 127.0.0.1 "$slow_port" 2 &&
            obeys $sentinel sentinel set jobs down-after-milliseconds 2000 failover-timeout 6000 || return 1
    done
}
put_cluster() {
    obeys "$1" config set cluster-announce-port "$slow_port" && until_true 60 is_told_of $(($1 + 3)) "$1" &&
        obeys $(($1 + 3)) cluster replicate "$(id_of "$1")" # at the address that it is told of
}
is_told_of() { ask_one "$1" cluster nodes | grep "^$(id_of "$2") " | grep -q ":$slow_port@"; } # NUMBER OF
is_behind() { # NUMBER: all know it by that address, and its replicas hear late
    if [ "$group" = sentinel ]; then
        for sentinel in 4 5 6; do knows_all $sentinel || return 1; done
        hears_late 2 && hears_late 3
    else
        for node in 1 2 3; do is_told_of $node "$1" || return 1; done
        hears_late $(($1 + 3))
    fi
}
hears_late() { ask_one "$1" info replication | tr -d '\r' >"$scratch/hears" && grep -qx "master_port:$slow_port" "$scratch/hears" &&
    grep -qx 'master_link_status:up' "$scratch/hears"; }
knows_all() { ask_one "$1" sentinel master jobs >"$scratch/known" &&
    [ "$(grep -A1 num-slaves "$scratch/known" | tail -n 1) $(grep -A1 num-other-sentinels "$scratch/known" | tail -n 1)" = "2 2" ]; }

# ---- load ----
# push_singly NAME OPTION: a process for each push, until it is told to end; what was acknowledged, and when, to NAME.sure.
push_singly() {
    single=0
    while [ ! -e "$scratch/enough" ]; do
        single=$((single + 1))
        if "$REEVE" push q x --id "$1-$single" --store "$REEVE_STORE$2" >>"$scratch/$1.out" 2>&1; then
            echo "$1-$single $(date +%s%3N)" >>"$scratch/$1.sure"
        fi
    done
}
push_steadily() { # lines for a handle that lives on
    steady=0
    while [ ! -e "$scratch/enough" ]; do
        steady=$((steady + 1))
        echo "{\"id\":\"living-$steady\"}"
        sleep 0.05
    done
    echo $steady >"$scratch/living.count"
    until_true 120 test -e "$scratch/mended" >/dev/null
}
count() { wc -l <"$scratch/$1"; }
has_more() { [ "$(count "$1")" -gt "$2" ]; }
list_ids() { list_all q >"$scratch/jobs" && sed -n 's/.*"id":"\([^"]*\)".*/\1/p' "$scratch/jobs" | sort -u >"$scratch/there"; }
list_lost() { # NAME: of what was acknowledged, with its time
    sort "$scratch/$1.sure" | join -v 1 - "$scratch/there" >"$scratch/$1.lost"
}
all_living() { list_ids && [ "$(grep -c '^living-' "$scratch/there")" -eq "$(cat "$scratch/living.count")" ]; }
resent() { awk -F 'pushes=' '/store.resent/ { sum += $2 } END { print sum + 0 }' "$scratch/living.err"; }
all_ended() { [ "$(total q done)" -gt 0 ] && [ "$(total q ready) $(total q delayed) $(total q running)" = "0 0 0" ]; }
tokens_hold() { # what is done was done under a token that it ran under
    list_all q >"$scratch/jobs" || return 1
    sed -n 's/.*"id":"\([^"]*\)".*"state":"done".*"token":\([0-9]*\),"worker".*"result":"\2\\n".*/\1 \2/p' "$scratch/jobs" | sort >"$scratch/done"
    [ "$(count done)" -eq "$(count jobs)" ] || { echo "$(count done) of $(count jobs) are as they should be"; return 1; }
    sort "$RUNS" | comm -23 "$scratch/done" - >"$scratch/unknown"
    [ ! -s "$scratch/unknown" ] || { cat "$scratch/unknown"; return 1; }
}
ran_again() { cut -d ' ' -f 1 "$RUNS" | sort | uniq -d | wc -l; }

campaign() { # SHAPE LAG_MS
    lag_ms=$2
    rm -f "$scratch/enough" "$scratch/mended" "$scratch/slow"
    : >"$scratch/ended.sure"
    : >"$scratch/waited.sure"
    : >"$RUNS"
    start_group "$1"
    export REEVE_STORE
    home=$(home_of q)
    check "$1: replicas are in step" until_true 60 in_step "$home"
    check "... then they hear $lag_ms ms late" put_behind "$home"
    check "... and all know the primary as that" until_true 60 is_behind "$home"
    start_worker worker q --threads 4 --lease 5s -- "$scratch/note"
    push_singly ended '' &
    loads=$!
    push_singly waited '?wait=1&wait_timeout=2s' &
    loads="$loads $!"
    push_steadily >"$scratch/lines" & # a pipe
    loads="$loads $!"
    "$REEVE" push q --bulk <"$scratch/lines" >"$scratch/living.out" 2>"$scratch/living.err" &
    living=$!
    started="$started $loads $living"
    check "jobs are pushed by processes that end" until_true 60 has_more ended.sure "$jobs"
    check "... and by some that wait for a replica" until_true 60 has_more waited.sure 3
    check "... and run" until_true 60 has_more runs "$jobs"
    before=$(count ended.sure)
    check "one more is acknowledged" until_true 60 has_more ended.sure "$before"
    kill -KILL "$(pid_of "$home")" "$slow"
    killed_ms=$(date +%s%3N)
    : >"$scratch/enough"
    check "its primary is killed, and another is the primary" until_true 60 not_home q "$home"
    check "what a process pushed that lives on is there, all of it" until_true 60 all_living
    : >"$scratch/mended"
    for load in $loads; do wait "$load"; done
    check "... and that process ends well" wait "$living"
    check "all that is there is finished" until_true 60 all_ended
    list_ids
    list_lost ended
    list_lost waited
    echo "# $1, $lag_ms ms: of $(count ended.sure) acknowledged by processes that had ended $(count ended.lost) are lost," \
        "of $(count waited.sure) with wait=1 $(count waited.lost), of $(cat "$scratch/living.count") of one that lives 0: $(resent) were pushed again;" \
        "$(ran_again) jobs ran again"
    check "what was told as sure with wait=1 is there" test ! -s "$scratch/waited.lost"
    [ "$lag_ms" -lt 1000 ] || # a busy machine notices later that one more was acknowledged
        check "without, what was acknowledged last is lost" test -s "$scratch/ended.lost"
    check "... but nothing that is older than the replicas were late" \
        awk -v from=$((killed_ms - lag_ms - slack_ms)) '$2 < from { print; bad = 1 } END { exit bad }' "$scratch/ended.lost"
    check "tokens hold" tokens_hold
    check "the worker ends well" end_workers
    started=
    "$groups" stop "$server"
    rm -rf "${server:?}"/*
}

mkfifo "$scratch/lines"
for shape in ${SHAPES:-sentinel cluster}; do
    for lag in ${LAGS_MS:-1000}; do campaign "$shape" "$lag"; done
done
tap_end
