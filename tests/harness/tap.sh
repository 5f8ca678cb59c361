# shellcheck shell=sh
# A vocabulary for tests in shell that speak TAP: check ... check, then tap_end. Source it; $scratch is a folder of
# the test's own that goes at the end.
tap_count=0
tap_failed=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM # else dash would leave out what is to be done at the exit

# check NAME COMMAND...: passes if the command succeeds. Its output is shown if not.
check() {
    tap_name=$1 tap_count=$((tap_count + 1))
    shift
    if "$@" >"$scratch/tap.out" 2>&1; then
        echo "ok $tap_count - $tap_name"
    else
        echo "not ok $tap_count - $tap_name"
        sed 's/^/# /' "$scratch/tap.out"
        tap_failed=1
    fi
}

# skip NAME WHY: neither passed nor failed.
skip() {
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - $1 # SKIP $2"
}

# prints EXPECTED COMMAND...: the command succeeds, and that is all it writes to stdout.
prints() {
    tap_expected=$1
    shift
    tap_actual=$("$@") || { echo "exit $?"; return 1; }
    [ "$tap_actual" = "$tap_expected" ] || { echo "expected: $tap_expected"; echo "got: $tap_actual"; return 1; }
}

# exits STATUS COMMAND...
exits() {
    tap_expected=$1 tap_status=0
    shift
    "$@" || tap_status=$?
    [ "$tap_status" -eq "$tap_expected" ] || { echo "expected exit $tap_expected, got $tap_status"; return 1; }
}

tap_end() {
    echo "1..$tap_count"
    exit $tap_failed
}
