#!/bin/sh
# Slots of a cluster move there and back while jobs are pushed and run, among them those of the queue (R8): no caller sees an
# error, nothing is lost, and none is finished twice. RESHARD_JOBS, RESHARDS: how many, and how often there and back.
. "$(dirname "$0")/groups.sh"
jobs=${RESHARD_JOBS:-800}
start_group cluster 15000
export REEVE_STORE
note_handler
slot=$(slot_of q 0) # whose keys the queue lies in
space_slot=$(ask_one 1 cluster keyslot '{reeve}')

owner_of() { home_of q; }
moves_keys() { # SLOT FROM TO
    move_slot "$@" && [ "$moved_keys" -gt 0 ]
}
other_than() { echo $(($1 % 3 + 1)); }
flows() { [ "$(total q finished_total)" -ge "$1" ]; }
all_done() { stat_is q finished_total "$jobs"; }

for i in 0 1; do start_worker "worker.$i" q --threads 4 --lease 10s -- "$scratch/note"; done
push_some 1 "$jobs" "$REEVE_STORE" >"$scratch/push.out" 2>&1 &
pusher=$!
check "jobs run" until_true 60 flows 20
for round in $(seq "${RESHARDS:-2}"); do
    from=$(owner_of) to=$(other_than "$(owner_of)")
    check "the queue moves from $from to $to, with its keys" moves_keys "$slot" "$from" "$to"
    check "... and back" move_slot "$slot" "$to" "$from"
done
from=$(node_of_slot "$space_slot")
check "what is the space's own moves" moves_keys "$space_slot" "$from" "$(other_than "$from")"

# Half way, and only then to its end.
from=$(owner_of) to=$(other_than "$(owner_of)")
check "a move begins" begin_move "$slot" "$from" "$to"
check "... with some of its keys" move_some "$slot" "$from" "$to" 2
check "a move that stopped half way is brought to its end" finish_move "$slot" "$from" "$to"

check "all jobs are pushed, and nobody saw an error" wait $pusher
check "... at the first try" test ! -s "$scratch/push.out"
check "all jobs are done" until_true 120 all_done
check "each once" accounts_for "$jobs"
check "no worker saw an error" test -z "$(grep -h 'store.away' "$scratch"/worker.*.err)"
check "the workers end well" end_workers
check "the doctor finds nothing" "$REEVE" doctor
tap_end
