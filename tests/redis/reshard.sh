#!/bin/sh
# Slots of a cluster move there and back while jobs are pushed and run, among them those of the queue (R8): no caller sees an
# error, nothing is lost, and none is finished twice. RESHARD_JOBS, RESHARDS: how many, and how often there and back.
. "$(dirname "$0")/groups.sh"
jobs=${RESHARD_JOBS:-800}
start_group cluster 15000
export REEVE_STORE
note_handler
slot=$(ask_one 1 cluster keyslot '{default/q#0}') # whose keys the queue lies in
space_slot=$(ask_one 1 cluster keyslot '{default}')

id_of() { printf '%040d' "$1"; }
owner_of() { home_of q; }

# move_slot SLOT FROM TO: as redis-cli does it.
move_slot() {
    ask_one "$3" cluster setslot "$1" importing "$(id_of "$2")" >/dev/null &&
        ask_one "$2" cluster setslot "$1" migrating "$(id_of "$3")" >/dev/null && finish_move "$@"
}
# finish_move: all keys, then the slot.
finish_move() {
    while :; do
        keys=$(ask_one "$2" cluster getkeysinslot "$1" 10)
        [ -n "$keys" ] || break
        # shellcheck disable=SC2086 # split on purpose: none of them holds a blank
        ask_one "$2" migrate 127.0.0.1 "$(group_port "$3")" '' 0 5000 keys $keys >/dev/null || return 1
    done
    for number in "$3" "$2" 1 2 3; do ask_one "$number" cluster setslot "$1" node "$(id_of "$3")" >/dev/null || return 1; done
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
    check "the queue moves from $from to $to" move_slot "$slot" "$from" "$to"
    check "... and back" move_slot "$slot" "$to" "$from"
done
from=$(number_of "$(ask_one 1 cluster nodes | awk -v slot="$space_slot" '/master/ { split($9, range, "-")
    if (slot >= range[1] && slot <= range[2]) { split($2, at, /[:@]/); print at[2] } }')")
check "what is the space's own moves" move_slot "$space_slot" "$from" "$(other_than "$from")"

# Half way, and only then to its end.
from=$(owner_of) to=$(other_than "$(owner_of)")
ask_one "$to" cluster setslot "$slot" importing "$(id_of "$from")" >/dev/null
ask_one "$from" cluster setslot "$slot" migrating "$(id_of "$to")" >/dev/null
half=$(ask_one "$from" cluster getkeysinslot "$slot" 2)
# shellcheck disable=SC2086
[ -z "$half" ] || ask_one "$from" migrate 127.0.0.1 "$(group_port "$to")" '' 0 5000 keys $half >/dev/null
check "a move that stopped half way is brought to its end" finish_move "$slot" "$from" "$to"

check "all jobs are pushed, and nobody saw an error" wait $pusher
check "... at the first try" test ! -s "$scratch/push.out"
check "all jobs are done" until_true 120 all_done
check "each once" accounts_for "$jobs"
check "no worker saw an error" test -z "$(grep -h 'store.away' "$scratch"/worker.*.err)"
check "the workers end well" end_workers
check "the doctor finds nothing" "$REEVE" doctor
tap_end
