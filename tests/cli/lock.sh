#!/bin/sh
# reeve lock.
# shellcheck disable=SC2016,SC2317 # the $ are CMD's; check calls by name
. "$(dirname "$0")/lib.sh"
has() { [ -s "$scratch/$1" ]; }

check "it ends with the status of its program" exits 9 reeve lock n -- sh -c 'exit 9'
check "the program knows the token" matches '[1-9][0-9]+' "$(reeve lock n -- sh -c 'echo $REEVE_TOKEN')"
check "... of each name" matches '[0-9]+ [0-9]+ [0-9]+' "$(reeve lock c a b -- sh -c 'echo $REEVE_TOKEN')"
check "one at a time" exits 4 reeve lock n -- "$REEVE" lock n --wait 0s -- true
check "... not had in time" exits 4 reeve lock n -- "$REEVE" lock m n --wait 200ms -- true
check "... says which" says 4 "'n' was not had" reeve lock n -- "$REEVE" lock m n --wait 0s -- true
check "... and none is left" reeve lock m n --wait 0s -- true
check "others are free" exits 0 reeve lock n -- "$REEVE" lock m --wait 0s -- true
check "a name given twice" says 2 "'n' is named twice" reeve lock n n -- true
check "no name" says 2 'no NAME' reeve lock -- true
check "no program" says 2 'no program after --' reeve lock n
check "a program that cannot be run" says 127 'cannot run ./nothing-there' reeve lock n -- ./nothing-there

# Eight at once add one to a number, each in its turn.
echo 0 >"$scratch/number"
handler add <<'END'
#!/bin/sh
number=$(cat "$1")
sleep 0.02
echo $((number + 1)) >"$1"
END
pids=
for i in 1 2 3 4 5 6 7 8; do
    start "add$i" lock counter -- "$scratch/add" "$scratch/number"
    pids="$pids $pid"
done
for one in $pids; do check "one of eight ends" ends 0 "$one"; done
check "none was in between another" prints 8 cat "$scratch/number"

start holder lock n -- sh -c "echo \$\$ >'$scratch/held'; exec sleep 1000"
check "somebody holds it" until_true 20 has held
kill -TERM "$pid"
check "told to end, it stops its program" ends 143 "$pid"
check "... and lets go" reeve lock n --wait 0s -- true

start dying lock n --ttl 1s -- sh -c "echo \$\$ >'$scratch/dying'; exec sleep 1000"
check "another holds it" until_true 20 has dying
kill -KILL "$pid"
check "its program dies with it" until_true 10 ended "$(cat "$scratch/dying")"
check "... and the name is free when its lease ends" reeve lock n --wait 20s -- true

# Who stands still past his lease and goes on has lost it: his program is stopped, and the name stays another's (T74).
start still lock n --ttl 1s -- sh -c "echo \$\$ >'$scratch/still'; exec sleep 1000"
still=$pid
check "one holds it" until_true 20 has still
kill -STOP "$still"
start next lock n --ttl 1s --wait 20s -- sh -c "echo \$\$ >'$scratch/next'; exec sleep 1000"
check "... stands still, and another has it" until_true 20 has next
kill -CONT "$still"
check "... goes on, and its program is stopped" until_true 20 ended "$(cat "$scratch/still")"
check "... which it says" ends 5 "$still"
check "... and the name is the other's yet" exits 4 reeve lock n --wait 0s -- true
kill -TERM "$pid"
check "... until it ends" ends 143 "$pid"
tap_end
