# shellcheck shell=sh
# What tests with real processes share. Needs $REEVE, the program; gives $REEVE_STORE (the first argument of the test, or
# a fresh file), and helpers that wait for conditions, never for a time.
. "$(dirname "$0")/../harness/tap.sh"
REEVE=${REEVE:?the program under test}
unset XDG_CONFIG_HOME REEVE_SPACE NO_COLOR NOTIFY_SOCKET WATCHDOG_USEC WATCHDOG_PID REEVE_TRACE
export REEVE_STORE="${1:-sqlite:$scratch/q.db}"
export HOME="$scratch/nobody" # whose settings are none of ours
started=

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

# handler NAME: a program from stdin.
handler() {
    cat >"$scratch/$1"
    chmod +x "$scratch/$1"
}

# gate_handler: a program `gate` that says in ID.pid that its job runs, then waits for ID.go.
gate_handler() {
    export GATES="$scratch"
    handler gate <<'END'
#!/bin/sh
echo $$ >"$GATES/$REEVE_ID.pid"
while [ ! -e "$GATES/$REEVE_ID.go" ]; do sleep 0.05; done
echo through
END
}

# ours PID: it was begun by this test, whose folder is named in its environment, or is where it works: a server writes its
# title over the former. The number alone proves nothing: one that has ended may be a stranger's by now.
ours() {
    grep -qsF "$scratch/" "/proc/$1/environ" && return
    case $(readlink "/proc/$1/cwd") in "$scratch" | "$scratch"/*) ;; *) return 1 ;; esac
}

# Whatever a test left behind dies with it, by pid.
clean_up() {
    for started_pid in $started; do
        if ours "$started_pid"; then kill -KILL "$started_pid" 2>/dev/null; fi
    done
    rm -rf "$scratch"
}
trap clean_up EXIT
