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

check "jobs are pushed" sh -c 'for i in $(seq $0); do "$REEVE" push q "$i" >/dev/null || exit 1; done' "$jobs"
check "they burn" "$REEVE" work q --threads "$jobs" --lease 1s --until-empty -- "$scratch/handler"
check "each is done" has_jobs "$jobs" q done
check "none lapsed" stat_is q lapsed_total 0
check "none was fenced" stat_is q fenced_total 0
tap_end
