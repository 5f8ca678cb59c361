#!/bin/sh
# kill -9 of a worker with 50 jobs in hand (W3 W4, A87 A94 A95): all run again elsewhere within the lease, none is
# finished twice, no child or grandchild is left.
. "$(dirname "$0")/lib.sh"

cat >"$scratch/handler" <<'END'
#!/bin/sh
# The first attempt hangs with a grandchild; the second ends at once.
[ "$REEVE_ATTEMPT" -gt 1 ] && { echo "done by $REEVE_TOKEN"; exit 0; }
sleep 600 &
echo "$$ $!" >>"$PIDS"
wait
END
chmod +x "$scratch/handler"
export PIDS="$scratch/pids"
: >"$PIDS"

all_hang() { [ "$(wc -l <"$PIDS")" -eq 50 ]; }
nobody_left() { for pid in $(cat "$PIDS"); do ended "$pid" || { echo "$pid lives"; return 1; }; done; }
finished_in_time() { [ $(($(date +%s) - killed_at)) -le 10 ]; }

check "50 jobs are pushed" prints "50 queued, 0 duplicate, 0 refused" \
    sh -c 'for i in $(seq 50); do echo "{\"id\":\"job-$i\",\"body\":\"b$i\"}"; done | "$REEVE" push q --bulk'
start_worker first q --threads 50 --lease 2s -- "$scratch/handler"
check "all 50 run" until_true 20 all_hang
check "the store says so" until_true 5 stat_is q running 50
kill -KILL "$pid"
killed_at=$(date +%s)
check "children and grandchildren die with their worker" until_true 5 nobody_left
check "a second worker drains the queue" "$REEVE" work q --threads 50 --lease 2s --until-empty -- "$scratch/handler"
check "within 10 s of the kill" finished_in_time
check "all 50 are done" has_jobs 50 q done
"$REEVE" job list q --limit 1000 --json >"$scratch/jobs"
check "each in its second attempt" \
    prints 50 sh -c 'grep -c "\"attempt\": *2, *\"attempts_max\"" "$1"' sh "$scratch/jobs"
check "each lapsed once and was done once" \
    prints "50 50" sh -c 'echo $(grep -o "\"outcome\": *\"lapsed\"" "$1" | wc -l) $(grep -o "\"outcome\": *\"done\"" "$1" | wc -l)' \
    sh "$scratch/jobs"
check "50 finished, says the store" stat_is q finished_total 50
check "50 lapsed, says the store" stat_is q lapsed_total 50
tap_end
