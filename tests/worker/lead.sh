#!/bin/sh
# Leaders that are killed, stopped and told to end (W3, A16 A17 A28, T01 T04): never two at work but for one that was
# stopped, and that one is told when it goes on; each follower in a higher term.
# shellcheck disable=SC2016,SC2317 # the $ are CMD's; check calls by name
. "$(dirname "$0")/lib.sh"

# The program: says who it is, and until it is stopped that it lives.
cat >"$scratch/program" <<'END'
#!/bin/sh
trap 'echo "$REEVE_TERM stopped" >>"$LOG"; exit 0' TERM
echo "$$ $REEVE_TERM" >>"$STARTS"
while :; do sleep 0.05; done
END
chmod +x "$scratch/program"
export STARTS="$scratch/starts" LOG="$scratch/log"
: >"$STARTS"
: >"$LOG"

ran() { [ "$(wc -l <"$STARTS")" -ge "$1" ]; }
leader() { "$REEVE" leader show n --json | sed -E 's/.*"by": *"[^"]*:([0-9]+)".*/\1/'; }
program_of() { sed -n "$1p" "$STARTS" | cut -d' ' -f1; }
term_of() { sed -n "$1p" "$STARTS" | cut -d' ' -f2; }
grows() { [ "$(term_of "$1")" -gt "$(term_of $(($1 - 1)))" ]; }

# Who is stopped in the middle of a step of SQLite holds up the others until he goes on: seldom, and that is known.
replaced() {
    until_true 15 ran 3 && return
    case $REEVE_STORE in sqlite:*) kill -CONT "$stopped" && until_true 15 ran 3 ;; *) return 1 ;; esac
}

for i in 1 2 3; do start "lead$i" lead n --ttl 2s --retry 500ms -- "$scratch/program"; done
check "of three one runs" until_true 20 ran 1
check "and only one" sh -c 'sleep 1; [ "$(wc -l <"$STARTS")" -eq 1 ]'

kill -KILL "$(leader)"
check "killed, its program dies with it" until_true 10 ended "$(program_of 1)"
check "another runs within lease and retry" until_true 10 ran 2
check "in a higher term" grows 2

stopped=$(leader)
kill -STOP "$stopped"
check "stopped for longer than its lease, another runs" replaced
check "in a higher term" grows 3
kill -CONT "$stopped"
check "when it goes on, its program is ended" until_true 10 ended "$(program_of 2)"
check "... and the new one goes on" kill -0 "$(program_of 3)"

start late lead n --ttl 2s --retry 500ms -- "$scratch/program"
kill -INT "$(leader)"
check "told to end, another runs" until_true 10 ran 4
check "its program had ended before" grep -qx "$(term_of 3) stopped" "$LOG"
check "in a higher term" grows 4

start patient lead m --ttl 60s --retry 20s -- "$scratch/program"
first=$pid
check "one runs" until_true 20 ran 5
start heir lead m --ttl 60s --retry 20s -- "$scratch/program"
kill -INT "$first"
check "told to end, it is not waited for: not for its lease, not for the next look" until_true 15 ran 6
tap_end
