# shellcheck shell=sh
# What the tests with real workers share.
. "$(dirname "$0")/../harness/processes.sh"

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
