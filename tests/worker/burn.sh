#!/bin/sh
# Handlers that burn CPU on every core for five leases are never re-delivered: the keeper starves under no load (A96
# T33 W14).
. "$(dirname "$0")/lib.sh"

cat >"$scratch/handler" <<'END'
#!/bin/sh
end=$(($(date +%s) + 5))
while [ "$(date +%s)" -lt "$end" ]; do :; done
END
chmod +x "$scratch/handler"
jobs=$((2 * $(nproc)))

burn() { "$REEVE" work q --threads "$jobs" --lease 1s --until-empty -- "$scratch/handler" 2>"$scratch/burn.err"; }
# By what the worker says of its jobs: a renewal that crosses with the hand-in is refused, too, and counted
# (fenced_total), and nobody has lost anything by it.
lost_none() { ! grep -E 'lease\.lost|job\.fenced' "$scratch/burn.err"; }
first_attempts() { [ "$("$REEVE" job list q --json | grep -c '"attempt":1,"attempts_max"')" = "$jobs" ]; }

check "jobs are pushed" sh -c 'for i in $(seq $0); do "$REEVE" push q "$i" >/dev/null || exit 1; done' "$jobs"
check "they burn" burn
check "each is done" has_jobs "$jobs" q done
check "none lapsed" stat_is q lapsed_total 0
check "none was taken from its worker" lost_none
check "each ran once" first_attempts
tap_end
