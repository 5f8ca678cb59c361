#!/bin/sh
# Leaders, and those who tend, while their server is not there yet, is killed and comes back, hangs, and has its clock
# stepped (T03 T09 T13 T14b, A28, R16): their work is stopped in time, goes on in a higher term, and nobody waits for long.
# shellcheck disable=SC2317 # check calls by name
. "$(dirname "$0")/lib.sh"
step() { # SECONDS: ahead of the machine's clock. In place: the server has the file in its memory.
    printf '%-15s\n' "$1" 1<>"$scratch/step"
}
step 0
server_under="LD_PRELOAD=${STEP:?the library that steps} STEP_FILE=$scratch/step"
start_server aof
kill_server

handler program <<'END'
#!/bin/sh
echo "$$ $REEVE_TERM" >>"$TERMS"
while :; do sleep 0.1; done
END
export TERMS="$scratch/terms"
: >"$TERMS"
began() { [ "$(wc -l <"$TERMS")" -ge "$1" ]; }
program_of() { sed -n "$1p" "$TERMS" | cut -d ' ' -f 1; }
grew() { cut -d ' ' -f 2 "$TERMS" | sort -n -u | cmp - "$scratch/told"; }
terms_grew() { cut -d ' ' -f 2 "$TERMS" >"$scratch/told" && grew; }
leader() { "$REEVE" leader show n --json | sed -E 's/.*"by": *"[^"]*:([0-9]+)".*/\1/'; }
says_once() { [ "$(grep -c 'waiting for the store' "$scratch/$1.err")" = 1 ]; }

for i in 1 2; do start "lead.$i" lead n --ttl 4s --retry 500ms -- "$scratch/program"; done
start tend tend
for name in lead.1 lead.2 tend; do
    check "$name waits for its store, and says so" until_true 20 says_once $name
done
start_again
check "it is there: one leads" until_true 30 began 1
check "... and the tender is ready" until_true 30 grep -qx ready "$scratch/tend.err"

kill_server
check "the server is killed: the work is stopped" until_true 30 ended "$(program_of 1)"
start_again
check "... and goes on when it is back" until_true 30 began 2

kill -STOP "$server_pid"
check "the server hangs: the work is stopped" until_true 30 ended "$(program_of 2)"
kill -CONT "$server_pid"
check "... and goes on when it answers" until_true 30 began 3

step 3600
check "the server's clock is an hour ahead: another term begins" until_true 30 began 4
dead=$(leader)
kill -KILL "$dead"
check "that leader is killed" until_true 20 ended "$dead"
step 0
check "the clock is right again: it is followed, not only in an hour" until_true 30 began 5
check "each term was higher than those before" terms_grew
check "the doctor finds nothing" "$REEVE" doctor
tap_end
