#!/bin/sh
# Who begins while servers that its url names are dead, or stand still and only take connections, begins within seconds:
# whether they are named first or last, and also if they are more than there is time to wait for one by one. A password, or a
# name, that is wrong is told at once, and so are servers of another kind. BOUND_S: how long a job may take from the start of its worker on.
. "$(dirname "$0")/groups.sh"
bound_s=${BOUND_S:-10} at_once_ms=4000
note_handler

mute_count=8
"$here/mute.py" $mute_count >"$scratch/mute" &
started=$!
mute=$!
until_true 20 test -s "$scratch/mute"

# begins URL WHAT [NUMBER]: a worker by that url, which runs a job that is there, while that server stands still.
begins() {
    begins_runs=$(wc -l <"$RUNS")
    "$REEVE" push q x >/dev/null || return 1
    [ -z "${3-}" ] || kill -STOP "$(pid_of "$3")"
    began_ms=$(date +%s%3N)
    start worker work q --lease 5s --store "$1" -- "$scratch/note"
    check "$2" until_true "$bound_s" has_run $((begins_runs + 1))
    echo "# $2: a job ran $(($(date +%s%3N) - began_ms)) ms after its worker had begun"
    [ -z "${3-}" ] || kill -CONT "$(pid_of "$3")"
    check "... and it ends well" end_workers
    started=$mute
}
has_run() { [ "$(wc -l <"$RUNS")" -ge "$1" ]; }

# is_told STATUS TEXT URL: by whoever asks there, and at once.
is_told() {
    told_ms=$(date +%s%3N)
    env REEVE_STORE="$3" "$REEVE" stats q >"$scratch/told" 2>&1
    told_status=$?
    told_ms=$(($(date +%s%3N) - told_ms))
    [ "$told_status" -eq "$1" ] && grep -q "$2" "$scratch/told" && [ "$told_ms" -lt $at_once_ms ] ||
        { echo "exit $told_status after $told_ms ms: $(cat "$scratch/told")"; return 1; }
}

at() { echo "127.0.0.1:$(group_port "$1")"; } # NUMBER

# ---- Sentinels ----
start_group sentinel 60000 # nobody is to take over
export REEVE_STORE
check "replicas are in step" until_true 60 in_step 1
begins "redis+sentinel://$(at 4),$(at 5),$(at 6)/jobs" "a Sentinel stands still that is named first" 4
begins "redis+sentinel://$(at 5),$(at 6),$(at 4)/jobs" "... or last" 4
begins "redis+sentinel://$(cat "$scratch/mute"),$(at 5)/jobs" "$mute_count of nine Sentinels stand still"
kill -KILL "$(pid_of 4)"
begins "redis+sentinel://$(at 4),$(at 5)/jobs" "a Sentinel is dead that is named first"
check "a name that no Sentinel knows is told at once" is_told 69 "knows no primary 'other'" "redis+sentinel://$(at 5),$(at 6)/other"
check "... and a password" is_told 69 'the url gives a password' "redis+sentinel://:wrong@$(at 5),$(at 6)/jobs"
check "... of the Sentinels, too" is_told 69 'the url gives a password' "redis+sentinel://$(at 5)/jobs?sentinel_password=wrong"
check "so are Sentinels that are none" is_told 2 'it is no Sentinel' "redis+sentinel://$(at 1),$(at 2)/jobs"
check "... and a cluster that is none" is_told 2 'no node of a cluster' "redis+cluster://$(at 1),$(at 2)"
"$groups" stop "$server"
rm -rf "${server:?}"/*

# ---- a cluster ----
start_group cluster 60000
home=$(home_of q) space=$(node_of_slot "$(ask_one 1 cluster keyslot "{${REEVE_SPACE:-reeve}}")")
for other in 1 2 3; do [ $other = "$home" ] || [ $other = "$space" ] || dead=$other; done
check "replicas are in step" until_true 60 in_step "$home"
begins "redis+cluster://$(at "$dead"),$(at "$home")" "a node stands still that is named first" "$dead"
begins "redis+cluster://$(at "$home"),$(at "$dead")" "... or last" "$dead"
begins "redis+cluster://$(at "$home"),$(cat "$scratch/mute")" "$mute_count of nine nodes stand still"
begins "redis+cluster://$(cat "$scratch/mute"),$(at "$home")" "... that are named first"
check "a password that is wrong is told at once" is_told 69 'the url gives a password' "redis+cluster://:wrong@$(at 1),$(at 2)"
kill -KILL "$(pid_of "$dead")"
begins "redis+cluster://$(at "$dead"),$(at "$home")" "a node is dead that is named first"
tap_end
