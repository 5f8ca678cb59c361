#!/bin/sh
# reeve lead, leader list, show, resign.
# shellcheck disable=SC2016,SC2317 # the $ are CMD's; check calls by name
. "$(dirname "$0")/lib.sh"

leads() { [ "$(json .by reeve leader show "$1" --json)" ]; }
is_led_by() { [ "$(reeve leader show "$1" --json | "$JSON_GET" .by)" = "$(hostname):$2" ]; }
has() { [ -s "$scratch/$1" ]; }

check "it ends with the status of its program" exits 7 reeve lead n --once -- sh -c 'exit 7'
check "... also if that is killed" exits 143 reeve lead n --once -- sh -c 'kill -TERM $$'
check "the program knows the term" matches '[1-9][0-9]+' "$(reeve lead n --once -- sh -c 'echo $REEVE_TERM')"
first=$(reeve lead n --once -- sh -c 'echo $REEVE_TERM')
second=$(reeve lead n --once -- sh -c 'echo $REEVE_TERM')
check "terms grow" test "$second" -gt "$first"
check "it has our input" prints "hello" sh -c 'echo hello | "$REEVE" lead n --once -- cat'
check "it has our environment" prints "here" env WHERE=here "$REEVE" lead n --once -- sh -c 'echo $WHERE'
check "no shell" prints '$REEVE_TERM' reeve lead n --once -- echo '$REEVE_TERM'
check "it is in a group of its own" reeve lead n --once -- sh -c '[ "$(ps -o pgid= -p $$ | tr -d " ")" = $$ ]'
check "a program that cannot be run" says 127 'cannot run ./nothing-there' reeve lead n -- ./nothing-there
check "no name" says 2 'one NAME' reeve lead -- true
check "no program" says 2 'no program after --' reeve lead n
check "a bad name" says 2 "leader name 'a b'" reeve lead 'a b' -- true
check "times are held against each other" says 2 'renew_ms is 800 with lease_ms 1000' \
    reeve lead n --ttl 1s --renew 800ms -- true

check "nobody leads" says 3 'nobody leads n' reeve leader show n
check "nobody can be asked to resign" says 3 'nobody holds n' reeve leader resign n
check "nobody is listed" prints "" reeve leader list

start first lead n --retry 200ms -- sh -c 'echo $REEVE_TERM; exec sleep 1000'
first=$pid
check "one leads" until_true 20 has first.out
check "it is shown" is_led_by n "$first"
check "... for people" sh -c '"$REEVE" leader show n | grep -q "^term   [0-9]"'
check "... in the list" matches "n +$(cat "$scratch/first.out") .*" "$(reeve leader list | tail -1)"
check "... as JSON" is "$(cat "$scratch/first.out")" "$(json .term reeve leader list --json)"
check "... among the figures" is n "$(json '.leaders[0].name' reeve stats --json)"
start second lead n --retry 200ms -- sh -c 'echo $REEVE_TERM; exec sleep 1000'
second=$pid
check "a second one waits" until_true 5 is_led_by n "$first"
check "it can be asked to resign" prints "n: its leader is asked to resign" reeve leader resign n
check "... and the other leads" until_true 20 is_led_by n "$second"
check "in a higher term" until_true 20 has second.out
check "... indeed" test "$(head -1 "$scratch/second.out")" -gt "$(head -1 "$scratch/first.out")"
now_ms() { date +%s%3N; }
begun=$(now_ms)
kill -INT "$second"
check "interrupted, it ends well" ends 0 "$second"
check "... and the other leads" until_true 20 is_led_by n "$first"
took=$(($(now_ms) - begun))
check "... well within a second or so ($took ms)" test "$took" -lt 3000
kill -TERM "$first"
check "ended, it ends well" ends 0 "$first"
check "... and nobody leads" says 3 'nobody leads n' reeve leader show n

handler stubborn <<'END'
#!/bin/sh
trap '' TERM
echo $$ >"$1"
while :; do sleep 0.1; done
END
start stubborn lead n -- "$scratch/stubborn" "$scratch/stubborn.pid"
check "a program that does not listen" until_true 20 has stubborn.pid
kill -TERM "$pid"
kill -TERM "$pid"
check "... is killed by a second signal" ends 0 "$pid"
check "... and gone" ended "$(cat "$scratch/stubborn.pid")"

start again lead n --retry 100ms -- sh -c "echo \$REEVE_TERM >>'$scratch/terms'"
ran_thrice() { [ "$(wc -l <"$scratch/terms")" -ge 3 ]; }
check "a program that ends by itself runs again, in its turn" until_true 20 ran_thrice
check "... in a term of its own each time" sh -c 'sort -nu "$1" | cmp - "$1"' sh "$scratch/terms"
kill -TERM "$pid"
check "... until it is told to end" ends 0 "$pid"
tap_end
