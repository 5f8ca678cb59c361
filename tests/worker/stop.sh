#!/bin/sh
# A worker whose handler ignores TERM is gone within its grace; a second TERM does not wait for that. Its job is
# handed back, the attempt not counted (A132).
. "$(dirname "$0")/lib.sh"

cat >"$scratch/handler" <<'END'
#!/bin/sh
trap '' TERM
echo $$ >"$PIDS"
while :; do sleep 0.1; done
END
chmod +x "$scratch/handler"
export PIDS="$scratch/pid"

# ms PATIENCE: how long the worker takes to end, at most that many seconds.
ended_within() {
    from=$(date +%s%N)
    wait "$pid" || return 1
    took=$((($(date +%s%N) - from) / 1000000))
    echo "took $took ms"
    [ $took -lt "$1" ]
}
# A signal that is sent while another of its kind is pending is lost.
term_is_taken() {
    pending=$(awk '/^ShdPnd/ { print $2 }' "/proc/$pid/status")
    [ $((0x$pending & 0x4000)) -eq 0 ]
}
handed_back() {
    "$REEVE" job show q/a --json | grep -q '"state":"ready".*"attempt":0,.*"outcome":"handed_back"'
}

check "a job is pushed" prints "q/a queued" "$REEVE" push q x --id a
start_worker first q --threads 1 --grace 4s -- "$scratch/handler"
check "it runs" until_true 10 test -s "$PIDS"
kill -TERM "$pid"
check "it ends within its grace, and a little" ended_within 15000 # the default would be 25 s
check "the job is handed back, the attempt not counted" handed_back
check "the handler is gone" until_true 5 ended "$(cat "$PIDS")"

rm "$PIDS"
start_worker second q --threads 1 --grace 60s -- "$scratch/handler"
check "it runs again" until_true 10 test -s "$PIDS"
kill -TERM "$pid"
check "the first TERM is heard" until_true 10 term_is_taken
kill -TERM "$pid"
check "a second TERM does not wait" ended_within 30000
check "the job is handed back again" handed_back
tap_end
