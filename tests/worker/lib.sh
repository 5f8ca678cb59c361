# shellcheck shell=sh
# What the tests with real workers share. Needs $REEVE, the program; gives $REEVE_STORE, a fresh store, and
# helpers that wait for conditions, never for a time.
. "$(dirname "$0")/../harness/tap.sh"
REEVE=${REEVE:?the program under test}
export REEVE_STORE="sqlite:$scratch/q.db"
workers=

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

# start_worker NAME ARGUMENTS...: a `reeve work` in the background, its pid in $worker, its talk in NAME.err. It can
# claim when this returns.
start_worker() {
    worker_name=$1
    shift
    "$REEVE" work "$@" >"$scratch/$worker_name.out" 2>"$scratch/$worker_name.err" &
    worker=$!
    workers="$workers $worker"
    until_true 10 grep -q '^ready$' "$scratch/$worker_name.err"
}

# ends PID: it is gone, or a zombie that only waits to be reaped.
ends() {
    [ ! -e "/proc/$1/stat" ] || grep -q '^[0-9]* (.*) Z' "/proc/$1/stat"
}

# count_jobs QUEUE STATE
count_jobs() {
    "$REEVE" job list "$1" --state "$2" --limit 1000 --json | wc -l
}

# has_jobs N QUEUE STATE
has_jobs() {
    [ "$(count_jobs "$2" "$3")" -eq "$1" ]
}

# stat_is QUEUE FIELD VALUE
stat_is() {
    "$REEVE" stats "$1" --json | grep -q "\"$2\": *$3[,}]"
}

# Whatever a test left behind dies with it, by pid.
stop_workers() {
    for pid in $workers; do kill -KILL "$pid" 2>/dev/null; done
    rm -rf "$scratch"
}
trap stop_workers EXIT
