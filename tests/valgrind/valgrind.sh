#!/bin/sh
# The unit tests under valgrind's memcheck: what no sanitizer sees, above all values that were never set.
# Usage: valgrind.sh FOLDER...    (of test programs: all that are named *_test)
. "$(dirname "$0")/../harness/tap.sh"

# under_valgrind PROGRAM: its own verdict counts, too.
under_valgrind() {
    CMOCKA_MESSAGE_OUTPUT=TAP valgrind --quiet --error-exitcode=9 --leak-check=full \
        --errors-for-leak-kinds=definite,possible --track-origins=yes --fair-sched=try "$1"
}

for program in $(find "$@" -name '*_test' -type f | sort); do
    name="$(basename "$program") has no error of memory"
    if command -v valgrind >/dev/null; then
        check "$name" under_valgrind "$program"
    else
        skip "$name" "no valgrind"
    fi
done
[ "$tap_count" -gt 0 ] || check "there are programs to try" false
tap_end
