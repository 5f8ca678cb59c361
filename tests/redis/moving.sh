#!/bin/sh
# Nodes are killed while the queue's slot is on the move, under load (R8): the one that keys come from, before the first has
# gone, and the one that they go to, with some of them there. Replicas follow, the move is begun again and brought to its
# end, and each job is done once. What a node leaves that dies with half of the keys gone: halved.sh. MOVING_JOBS: how many.
. "$(dirname "$0")/groups.sh"
jobs=${MOVING_JOBS:-400}
start_group cluster 2000
export REEVE_STORE="$REEVE_STORE?wait=1&wait_timeout=2s" # what is acknowledged is not lost with a node
note_handler
slot=$(slot_of q 0)
move_told= # only the two that are concerned: others may be dead

flows() { [ "$(total q finished_total)" -ge "$1" ]; }
all_done() { stat_is q done "$jobs"; }
follows() { # NUMBER WITNESS: it is a primary, as another knows
    ask_one "$1" role | head -n 1 | grep -qx master && ask_one "$2" cluster nodes | grep "^$(id_of "$1") " | grep -q ' master \|,master '
}
revive() { # NUMBER: it is a replica from now on
    "${server_kind}-server" "$server/$1/server.conf" >>"$server/$1/log" 2>&1 </dev/null &
    echo $! >"$server/$1/pid"
}
is_well() { ask_one "$1" cluster info | grep -q 'cluster_state:ok'; }
have() { [ "$(ask_one "$1" dbsize)" -ge "$2" ]; }

for i in 0 1; do start_worker "worker.$i" q --threads 4 --lease 5s -- "$scratch/note"; done
from=$(home_of q) to=$(($(home_of q) % 3 + 1))
check "replicas are in step" until_true 60 in_step "$from"
check "... of both" until_true 60 in_step "$to"
push_some 1 "$jobs" "$REEVE_STORE" >"$scratch/push.out" 2>&1 &
pusher=$!
check "jobs run" until_true 60 flows 20

check "a move begins" begin_move "$slot" "$from" "$to"
kill -KILL "$(pid_of "$from")"
check "where they come from is killed: its replica follows" until_true 60 follows $((from + 3)) "$to"
revive "$from"
from=$((from + 3))
check "... and is followed" until_true 60 in_step "$from"
# Who takes keys in does not hear that another keeps the slot, and goes by the one that is dead.
check "the other forgets the move" obeys "$to" cluster setslot "$slot" stable
check "... and is well again" until_true 60 is_well "$to"
check "the move is begun again" until_true 60 begin_move "$slot" "$from" "$to"
check "... with some keys" until_true 60 move_some "$slot" "$from" "$to" 2
check "... which the next replica has" until_true 60 have $((to + 3)) "$moved_keys"
kill -KILL "$(pid_of "$to")"
check "where they go to is killed: its replica follows" until_true 60 follows $((to + 3)) "$from"
revive "$to"
to=$((to + 3))
check "... and is followed" until_true 60 in_step "$to"
check "the move is begun again" until_true 60 begin_move "$slot" "$from" "$to"
check "... and ends" until_true 60 finish_move "$slot" "$from" "$to"
check "the queue is there" test "$(node_of_slot "$slot")" = "$to"

check "all jobs are pushed" wait $pusher
check "all jobs are done" until_true 120 all_done
check "each once" accounts_for "$jobs"
check "the workers end well" end_workers
tap_end
