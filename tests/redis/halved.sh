#!/bin/sh
# A node dies with half of the keys of a slot gone to another (R8): the replica that follows has the rest, and knows of no move.
# Queues elsewhere go on. If nobody used the queue meanwhile, the move is begun again and brought to its end, and nothing is
# lost. If somebody did, keys were made anew: either those or the others have to go, and the doctor tells and mends what is left.
. "$(dirname "$0")/groups.sh"
waiting=5
start_group cluster 2000
export REEVE_STORE
note_handler
move_told= # only the two that are concerned

follows() { # NUMBER WITNESS: it is a primary, as another knows
    ask_one "$1" role | head -n 1 | grep -qx master && ask_one "$2" cluster nodes | grep "^$(id_of "$1") " | grep -q ' master \|,master '
}
revive() { # NUMBER: it is a replica from now on
    "${server_kind}-server" "$server/$1/server.conf" >>"$server/$1/log" 2>&1 </dev/null &
    echo $! >"$server/$1/pid"
}
is_well() { ask_one "$1" cluster info | grep -q 'cluster_state:ok'; }
queue_on() { # NUMBER PREFIX: the first queue of that kind of name which it keeps
    for queue_number in $(seq 50); do
        [ "$(node_of_slot "$(slot_of "$2$queue_number" 0)")" != "$1" ] || { echo "$2$queue_number"; return 0; }
    done
}
fill() { # QUEUE: some jobs that are done, and some that wait
    seq "$waiting" | sed "s/.*/{\"id\":\"$1-done-&\"}/" | "$REEVE" push "$1" --bulk --keep 1h >/dev/null &&
        "$REEVE" work "$1" --until-empty -- "$scratch/note" 2>/dev/null &&
        seq "$waiting" | sed "s/.*/{\"id\":\"$1-waits-&\"}/" | "$REEVE" push "$1" --bulk --keep 1h >/dev/null
}
drain() { timeout 60 "$REEVE" work "$1" --until-empty -- "$scratch/note"; }
ran_once() { # QUEUE: each of its jobs
    [ "$(grep -c "^$1-" "$RUNS")" -eq $((2 * waiting)) ] && [ -z "$(cut -d ' ' -f 1 "$RUNS" | sort | uniq -d)" ] || { sort "$RUNS"; return 1; }
}
doctor_says() { # TEXT: and is not content
    ! "$REEVE" doctor >"$scratch/doctor" || return 1
    grep -q "^bad .*$1" "$scratch/doctor" || { cat "$scratch/doctor"; return 1; }
}
elsewhere_goes_on() { # a queue on a node that has nothing to do with it
    "$REEVE" push "$aside" x --wait --wait-timeout 30s >/dev/null
}
has_heard() { ! ask_one "$1" cluster getkeysinslot "$slot" 100 | grep -q ":$moved\$"; } # a replica, that it is gone

halve() { # QUEUE FROM TO KEY...: of its keys these go, then the node dies
    slot=$(slot_of "$1" 0) halved="rv:{reeve/$1#0}" from=$2 to=$3 halved_keys=
    shift 3
    follower=$((from > 3 ? from - 3 : from + 3))
    check "... its replica is in step" until_true 60 in_step "$from"
    check "... a move begins" begin_move "$slot" "$from" "$to"
    for moved; do halved_keys="$halved_keys $halved:$moved"; done
    # shellcheck disable=SC2086 # split on purpose
    check "... with $*" obeys "$from" migrate 127.0.0.1 "$(group_port "$to")" '' 0 5000 keys $halved_keys
    check "... as the replica knows" until_true 60 has_heard "$follower"
    kill -KILL "$(pid_of "$from")"
    check "the node is killed that they come from: its replica follows" until_true 60 follows "$follower" 1
    revive "$from"
    check "a queue elsewhere goes on" elsewhere_goes_on
    check "the doctor tells of the move, and what to do" doctor_says 'SETSLOT N STABLE'
}
forget() {
    check "the other node forgets the move" obeys "$to" cluster setslot "$slot" stable
    check "... and is well again" until_true 60 is_well "$to"
    check "... and the one that followed has a replica" until_true 60 in_step "$follower"
}
begin_again() {
    check "the move is begun again" until_true 60 begin_move "$slot" "$follower" "$to"
}

# What a node keeps that goes by one that is dead is away: here neither what is the space's own nor a queue.
check "the space lies on the first node" test "$(node_of_slot "$(ask_one 1 cluster keyslot '{reeve}')")" = 1
aside=$(queue_on 1 aside) left=$(queue_on 2 left) used=$(queue_on 3 used)
start_worker aside "$aside" -- cat
check "a queue on the second node, with jobs that are done and jobs that wait" fill "$left"
halve "$left" 2 3 job meta
forget
begin_again
check "... and ends" until_true 60 finish_move "$slot" "$follower" "$to"
check "nobody used the queue meanwhile: the doctor finds nothing" until_true 60 "$REEVE" doctor
check "what waited is done" drain "$left"
check "... each once, nothing is lost" ran_once "$left"

check "one on the third" fill "$used"
halve "$used" 3 5 job ready:8
check "who uses the queue now goes on without what has gone" "$REEVE" push "$used" x --id new --keep 1h
start user work "$used" -- "$scratch/note"
check "... and runs what is pushed" until_true 60 grep -q '^new ' "$RUNS"
kill -TERM "$pid"
check "the worker ends" wait "$pid"
forget
check "the doctor tells what lacks" doctor_says "queue $used counts $waiting ready jobs, there are 0"
begin_again
check "... and cannot end: keys are on both nodes" test "$(finish_move "$slot" "$follower" "$to" >/dev/null 2>&1 || echo stops)" = stops
check "those that were made anew are given up" obeys "$follower" eval "redis.call('UNLINK', KEYS[1]) return redis.status_reply('OK')" 1 "$halved:job"
check "then it ends" until_true 60 finish_move "$slot" "$follower" "$to"
check "the doctor mends the counters" "$REEVE" doctor --repair
check "... and finds nothing more" "$REEVE" doctor
check "what waited is done" drain "$used"
check "... each once" ran_once "$used"
check "what came in between is lost" test -z "$("$REEVE" job show "$used/new" 2>/dev/null)"
check "the other worker ends well" end_workers
tap_end
