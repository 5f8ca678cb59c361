# shellcheck shell=sh
# What the transcripts of the command line share. Needs $REEVE, the program, and $JSON_GET (json_get.c); gives
# $REEVE_STORE, a fresh store.
. "$(dirname "$0")/../harness/processes.sh"
JSON_GET=${JSON_GET:?the reader of JSON}

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

# ends STATUS PID: it ends within the time, with that exit.
ends() {
    until_true 30 ended "$2" || return 1
    ends_status=0
    wait "$2" || ends_status=$?
    [ "$ends_status" -eq "$1" ] || { echo "exit $ends_status instead of $1"; return 1; }
}

state_of() {
    json .state reeve job show "$1" --json
}

# state_is STATE QUEUE/ID
state_is() {
    [ "$(state_of "$2")" = "$1" ]
}
