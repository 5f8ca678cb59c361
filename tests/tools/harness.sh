#!/bin/sh
# A test in shell that is told to end takes along what it has started, and its folder. Usage: harness.sh SOURCE_ROOT
# shellcheck disable=SC2317 # check calls by name
set -eu
root=$1
. "$root/tests/harness/tap.sh"

# Where its harness is, as for the others: ../harness.
mkdir -p "$scratch/tests/some"
ln -s "$root/tests/harness" "$scratch/tests/harness"
cat >"$scratch/tests/some/test.sh" <<'END'
#!/bin/sh
. "$(dirname "$0")/../harness/processes.sh"
start sleeper 600
echo "$pid $scratch" >"$TOLD.part"
mv "$TOLD.part" "$TOLD"
until_true 600 false
END

runs() { [ -e "/proc/$1/stat" ] && ! grep -q ') Z ' "/proc/$1/stat"; }
await() { # COMMAND...
    for try in $(seq 600); do ! "$@" || return 0; sleep 0.05; done
    echo "not in 30 s: $*"
    return 1
}
ended() { ! runs "$1"; }

for signal in TERM HUP; do # which whoever runs us may have had ignored, and no shell can undo that
    REEVE=/bin/sleep TOLD=$scratch/told."$signal" env --default-signal=TERM,HUP setsid sh "$scratch/tests/some/test.sh" \
        >"$scratch/out" 2>&1 &
    test_pid=$!
    check "$signal: a test runs" await test -e "$scratch/told.$signal"
    read -r sleeper folder <"$scratch/told.$signal"
    check "... and what it has started" runs "$sleeper"
    kill -"$signal" "$test_pid"
    check "... it ends when it is told to" await ended "$test_pid"
    check "... and so does what it has started" await ended "$sleeper"
    check "... its folder goes" test ! -e "$folder"
done
tap_end
