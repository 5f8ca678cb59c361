#!/bin/sh
# What holds for every command: options, values, help, exit codes.
. "$(dirname "$0")/lib.sh"

check "the version" matches 'reeve [0-9]+\.[0-9]+\.[0-9]+' "$(reeve --version)"
check "the version as JSON" matches '[0-9.]+' "$(json .version reeve --version --json)"
check "no command is usage" says 2 'no command' reeve
check "an unknown command is usage" says 2 'no such command: frobnicate' reeve frobnicate
check "an unknown word of a group tells the known ones" says 2 'show list cancel' reeve job frob
check "a missing word likewise" says 2 'one word is missing' reeve job
check "an unknown option is usage" says 2 "unknown option --bogus; see 'reeve help stats'" reeve stats --bogus=1
check "an unknown option before the command, too" says 2 "unknown option --bogus; see 'reeve help'" reeve --bogus stats
check "an unknown letter, too" says 2 "unknown option -x; see 'reeve help job list'" reeve job list -x
check "an option without its value is usage" says 2 '\-\-id needs a value' reeve push q --id
check "a flag with a value is usage" says 2 '\-\-json takes no value' reeve stats --json=yes
check "an argument too many is usage" says 2 "unexpected argument 'b'" reeve stats a b
check "an argument too few is usage" says 2 'too few arguments' reeve push

reeve help >"$scratch/help"
for name in push work wait "job show" "job list" "job cancel" "job revive" "queue list" "queue pause" "stats" \
    "worker list" tend; do
    check "help names $name" grep -q "^  $name  *[a-z]" "$scratch/help"
    # shellcheck disable=SC2086 # a name may be two words
    check "help $name" sh -c '"$REEVE" help "$@" | grep -q "^Usage: reeve $*"' sh $name
    # shellcheck disable=SC2086
    check "$name --help says the same" is "$(reeve help $name)" "$(reeve $name --help)"
done
check "--help alone is the overview" is "$(cat "$scratch/help")" "$(reeve --help)"
check "help of what is not there" says 2 'no such command: nothing' reeve help nothing
check "every option that push knows is in its help" sh -c '
    for option in file id id-from-body kind priority delay at attempts backoff backoff-max timeout keep wait \
        wait-timeout bulk; do
        "$REEVE" help push | grep -q -e "--$option\\b" || { echo "$option"; exit 1; }
    done'

check "--opt=value" prints "q/a queued" reeve push q --id=a
check "options may stand before the command" is duplicate "$(json .status reeve --json push q --id a)"
check "... and inside a command of two words" is ready "$(json .state reeve job --json show q/a)"
check "... and after the operands" is ready "$(json .state reeve job show q/a --json)"
check "what follows -- is no option" prints "q/b queued" reeve push q --id b -- --json
check "... and arrived as it is" is "--json" "$(json .body reeve job show q/b --json)"

for value in 5 05 0; do
    check "a bare $value as duration says so" says 2 "'$value' is a bare number.*5s" reeve push q --delay $value
done
for value in '' s 5x 5S 1.5s -1s ' 5s' '5 s' 5sec ms5 0x5s; do
    check "'$value' is not a duration" says 2 'is not a duration' reeve push q --delay "$value"
done
for value in 99999999999999999d 9223372036854775808ms; do
    check "'$value' is too long" says 2 'is too long' reeve push q --delay "$value"
done
check "what is beyond a limit names the option" says 2 "\-\-delay: '3651d' is too large: at most 3650d" reeve push q --delay 3651d
check "... of a worker, too" says 2 "\-\-lease: '25h' is too large: at most 1d" reeve work q --lease 25h -- true
check "a program that is none" says 2 'cannot run ./none: No such file' reeve work q -- ./none
check "... a folder" says 2 'cannot run /: Is a directory' reeve work q -- /
for value in 0s 250ms 5s 1m 2h 7d; do
    check "$value is a duration" exits 0 reeve push q --delay $value
done
for value in 1k5 k 64K 1m -1 1.5M 1MB ''; do
    check "'$value' is not a size" says 2 'is not a size' reeve work q --result-max "$value" -- true
done
for value in 2026-13-01T00:00:00Z 2026-02-30T00:00:00Z 2026-01-01 2026-01-01T00:00:00 2026-01-01T24:00:00Z tomorrow ''; do
    check "'$value' is not a time" says 2 '\-\-at' reeve push q --at "$value"
done
check "times with a zone" is 1769860800500 "$(json .run_at_ms reeve job show \
    "$(reeve push q --at 2026-01-31T14:00:00.5+02:00 | cut -d' ' -f1)" --json)"
for value in x 1x '' 8 -9 99999999999999999999; do
    check "'$value' is not a priority" says 2 '\-\-priority' reeve push q --priority "$value"
done
for value in 0 -1 1000001; do
    check "$value is not a number of attempts" says 2 '\-\-attempts' reeve push q --attempts $value
done

long=$(printf '%0129d' 0)
for name in 'a b' 'a/b' '' 'ä' "$long"; do
    check "'$name' is not a queue" says 2 'queue name' reeve push "$name"
    check "'$name' is not a kind" says 2 'kind name' reeve push q --kind "$name"
    check "'$name' is not a space" says 2 'space name' reeve stats --space "$name"
done
check "128 bytes are a name" exits 0 reeve push "${long#0}" --id x
check "all letters of a name" prints "A-Z.a_z:09/i queued" reeve push A-Z.a_z:09 --id i

check "--space parts" prints "q/a queued" reeve --space other push q --id a
REEVE_SPACE=other
export REEVE_SPACE
check "\$REEVE_SPACE, too" prints "q/a duplicate" reeve push q --id a
check "--space goes before it" exits 3 reeve job show q/a --space third
unset REEVE_SPACE

mkfifo "$scratch/pipe"
for i in 1 2 3 4 5 6 7 8 9; do reeve push many --id $i >/dev/null; done
: <"$scratch/pipe" & # a reader that reads nothing
check "a reader who goes away is no error" sh -c '"$REEVE" job list many --json >"$1"' sh "$scratch/pipe"
check "a full disk is one" says 1 'cannot write' sh -c '"$REEVE" job list many >/dev/full'
tap_end
