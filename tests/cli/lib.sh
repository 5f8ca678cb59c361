# shellcheck shell=sh
# What the transcripts of the command line share. Needs $REEVE, the program, and $JSON_GET (json_get.c); gives
# $REEVE_STORE, a fresh store.
. "$(dirname "$0")/../harness/tap.sh"
REEVE=${REEVE:?the program under test}
JSON_GET=${JSON_GET:?the reader of JSON}
unset XDG_CONFIG_HOME REEVE_SPACE NO_COLOR NOTIFY_SOCKET WATCHDOG_USEC WATCHDOG_PID REEVE_TRACE
export REEVE_STORE="sqlite:$scratch/q.db"
export HOME="$scratch/nobody" # whose settings are none of ours
started=

reeve() {
    "$REEVE" "$@"
}

# run COMMAND...: leaves what it says in $scratch/out and $scratch/err and its exit in $status.
run() {
    status=0
    "$@" >"$scratch/out" 2>"$scratch/err" </dev/null || status=$?
}

# says STATUS PATTERN COMMAND...: it exits so, says a line like that on stderr (a basic regular expression), and
# nothing on stdout.
says() {
    says_status=$1 says_pattern=$2
    shift 2
    run "$@"
    cat "$scratch/out" "$scratch/err"
    [ "$status" -eq "$says_status" ] || { echo "exit $status instead of $says_status"; return 1; }
    grep -q -e "$says_pattern" "$scratch/err" || { echo "expected on stderr: $says_pattern"; return 1; }
    [ ! -s "$scratch/out" ] || { echo "there is something on stdout"; return 1; }
}

# json PATH COMMAND...: what stands there in the JSON that the command prints.
json() {
    json_path=$1
    shift
    "$@" >"$scratch/json" || return $?
    "$JSON_GET" "$json_path" <"$scratch/json"
}

# is EXPECTED ACTUAL
is() {
    [ "$1" = "$2" ] || { echo "expected: $1"; echo "got: $2"; return 1; }
}

# matches PATTERN TEXT: an extended regular expression for the whole text.
matches() {
    printf '%s\n' "$2" | grep -Eqx -e "$1" || { echo "expected: $1"; echo "got: $2"; return 1; }
}

# until_true SECONDS COMMAND...: until the command succeeds, or that long.
until_true() {
    tries=$(($1 * 20))
    shift
    while ! "$@" >/dev/null 2>&1; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || { echo "not within the time: $*"; return 1; }
        sleep 0.05
    done
}

# start NAME ARGUMENTS...: reeve in the background, its pid in $pid, what it says in NAME.out and NAME.err.
start() {
    start_name=$1
    shift
    "$REEVE" "$@" >"$scratch/$start_name.out" 2>"$scratch/$start_name.err" </dev/null &
    pid=$!
    started="$started $pid"
}

# start_worker NAME ARGUMENTS...: it can claim when this returns.
start_worker() {
    start_worker_name=$1
    shift
    start "$start_worker_name" work "$@"
    until_true 20 grep -qx ready "$scratch/$start_worker_name.err"
}

# ended PID: it is gone, or only waits to be reaped.
ended() {
    [ ! -e "/proc/$1/stat" ] || grep -q '^[0-9]* (.*) Z' "/proc/$1/stat"
}

# ends STATUS PID: it ends within the time, with that exit.
ends() {
    until_true 30 ended "$2" || return 1
    ends_status=0
    wait "$2" || ends_status=$?
    [ "$ends_status" -eq "$1" ] || { echo "exit $ends_status instead of $1"; return 1; }
}

# handler NAME: a program from stdin.
handler() {
    cat >"$scratch/$1"
    chmod +x "$scratch/$1"
}

state_of() {
    json .state reeve job show "$1" --json
}

# state_is STATE QUEUE/ID
state_is() {
    [ "$(state_of "$2")" = "$1" ]
}

# Whatever a test left behind dies with it, by pid.
clean_up() {
    for started_pid in $started; do kill -KILL "$started_pid" 2>/dev/null; done
    rm -rf "$scratch"
}
trap clean_up EXIT
