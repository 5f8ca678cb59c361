#!/bin/sh
# A wait with a time-out ends when that is over, also if the server stands still: before it is reached, or while somebody waits.
# Exit 4 says that nothing more is known; 69 only if there is no server at all, or nothing was pushed.
. "$(dirname "$0")/lib.sh"
export REEVE_STORE
start_server aof

# ends_within SECONDS STATUS PID: from now on, with that exit.
ends_within() {
    within_began=$(date +%s%3N) within_status=0
    until_true $(($1 + 10)) ended "$3" || return 1
    wait "$3" || within_status=$?
    within_took=$(($(date +%s%3N) - within_began))
    echo "# exit $within_status after $within_took ms"
    [ "$within_status" -eq "$2" ] && [ "$within_took" -lt $(($1 * 1000)) ]
}
# begins NAME ARGUMENTS...: a command in the background, its pid in $pid.
begins() {
    begins_name=$1
    shift
    "$REEVE" "$@" >"$scratch/$begins_name.out" 2>"$scratch/$begins_name.err" &
    pid=$!
    started="$started $pid"
}
listens() { [ "$(ask client list | grep -c ' cmd=subscribe ')" -ge "$1" ]; }
tells() { grep -q "$2" "$scratch/$1.err"; }

check "a job that nobody runs" "$REEVE" push q --id 1
begins seen wait q/1 --timeout 4s
seen=$pid
check "somebody waits for it" until_true 10 listens 1
begins pushed push q --id 2 --wait --wait-timeout 4s
pushed=$pid
check "somebody pushes another, and waits" until_true 10 listens 2
kill -STOP "$server_pid"
check "a wait under way ends in time" ends_within 6 4 "$seen"
check "... and says why it does not know" tells seen 'has not ended in time'
check "so does that of a push" ends_within 6 4 "$pushed"
begins late wait q/1 --timeout 1s
check "a wait that begins now ends in time" ends_within 3 4 "$pid"
check "... and says what is the matter" tells late "127.0.0.1:$server_port"
begins none wait q/1 --timeout 0s
check "one of no time at all, soon" ends_within 3 4 "$pid"
begins unpushed push q --id 3 --wait --wait-timeout 1s
check "a push that begins now says that nothing happened" ends_within 3 69 "$pid"
kill -CONT "$server_pid"
check "the server goes on" until_true 10 ask ping
begins good wait q/1 --timeout 100ms
check "a wait is as ever" ends_within 3 4 "$pid"
check "the job is there" "$REEVE" job show q/1
kill_server
begins away wait q/1 --timeout 1s
check "without a server" ends_within 3 69 "$pid"
tap_end
