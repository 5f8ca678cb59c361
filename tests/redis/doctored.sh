#!/bin/sh
# A node of a cluster stands still, and then is gone, while the doctor looks: he tells of it once, soon, and goes on with what the
# others keep, down to what he says last. What he could not look at he does not call fine.
. "$(dirname "$0")/groups.sh"
start_group cluster 600000
export REEVE_STORE
space=$(node_of_slot "$(ask_one 1 cluster keyslot "{reeve}")")
other=$((space % 3 + 1))

make_queues() {
    for number in 1 2 3 4 5 6 7 8 9; do "$REEVE" push "q$number" x >/dev/null || return 1; done
    "$REEVE" queue set wide --shards 8 >/dev/null && "$REEVE" push wide x >/dev/null
}
# examines EXIT: with that exit, within what he gives one node and some seconds more.
examines() {
    examine_began=$(date +%s%3N) examine_status=0
    "$REEVE" doctor >"$scratch/doctor" 2>&1 || examine_status=$?
    examine_took=$(($(date +%s%3N) - examine_began))
    cat "$scratch/doctor"
    echo "exit $examine_status after $examine_took ms"
    [ "$examine_status" -eq "$1" ] && [ "$examine_took" -lt 12000 ]
}
tells() { grep -Eq -e "$1" "$scratch/doctor" || { cat "$scratch/doctor"; return 1; }; }
tells_once() { [ "$(grep -Ec -e "$1" "$scratch/doctor")" -eq 1 ]; }
tells_all() {
    check "$1: he tells of it once" tells_once "^bad +cluster .*:$(group_port "$other"): it does not answer"
    check "$1: ... and that some was not looked at" tells '^bad +missed +[1-9][0-9]* shards'
    check "$1: ... nor some queues" tells '^bad +queues +[1-9][0-9]* could not be looked at, [1-9][0-9]* could'
    check "$1: others are counted" tells '^fine +counters +[1-9][0-9]* queues that could be looked at'
    check "$1: ... and all else is looked at" tells '^(fine|doubtful) +workers '
}

check "queues on all nodes" make_queues
check "all is well" examines 0
kill -STOP "$(pid_of $other)"
check "a node stands still" examines 1
tells_all still
kill -CONT "$(pid_of $other)"
check "it goes on, and all is well" until_true 20 examines 0
kill -KILL "$(pid_of $other)"
check "it is gone" until_true 20 ended "$(pid_of $other)"
check "a node is gone" examines 1
tells_all gone
tap_end
