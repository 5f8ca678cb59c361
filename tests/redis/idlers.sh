#!/bin/sh
# Workers of one thread that stand by for the next job (src/store/redis/vigil.h), while their connections are thrown out or
# cut, and they are killed or stopped: a job is never given to nobody for longer than a moment, and each is finished once.
# Their lease is longer than the test would wait: what a lapsed lease brings back is too late here.
. "$(dirname "$0")/lib.sh"
start_server
start_cutter
note_handler
lease=60s pushed=0

standing_by() { [ "$(ask llen "rv:{reeve/q#0}:offers")" -gt 0 ]; }
# give COUNT: jobs one after the other, each waited for. Who is thrown out while he opens the store asks again.
give_one() { "$REEVE" push q x --id "job-$pushed" --attempts 1000 --backoff 1ms --wait --wait-timeout 15s; }
give() {
    for i in $(seq "$1"); do
        pushed=$((pushed + 1))
        until_true 20 give_one || return 1
    done
}
start_idler() { # NAME STORE
    start_worker "worker.$1" q --store "$2" --threads 1 --lease $lease -- "$scratch/note"
    eval "idler_$1=$pid"
}
kick() { # TYPE
    while :; do
        ask client kill type "$1" >/dev/null
        sleep 0.05
    done
}
give_while_kicking() { # TYPE COUNT
    kick "$1" &
    kicker=$!
    started="$started $kicker"
    give "$2"
    given=$?
    kill "$kicker"
    return $given
}
# give_directly COUNT: the same, and at most half of them stand in line. Who pushes such a one looks for somebody to wake,
# which takes an EXISTS; with nothing in line nobody does.
give_directly() {
    ask config resetstat >/dev/null && give "$1" || return 1
    in_line=$(ask info commandstats | sed -n 's/^cmdstat_exists:calls=\([0-9]*\),.*/\1/p')
    [ "${in_line:-0}" -le $(($1 / 2)) ]
}

start_idler a "$REEVE_STORE"
check "the first jobs run" give 4
check "who has had one stands by" until_true 20 standing_by
# With all that its process does beside: upkeep, its election, its sign of life. That took 48, and 39 with several threads.
asks_little() {
    redis-cli -p "$server_port" monitor >"$scratch/idle.monitor" &
    monitor=$!
    started="$started $monitor"
    until_true 20 test -s "$scratch/idle.monitor"
    sleep 30
    kill "$monitor"
    asked=$(grep -v ' lua\] ' "$scratch/idle.monitor" | grep -c '"')
    echo "# commands in 30 s: $asked"
    [ "$asked" -gt 0 ] && [ "$asked" -le 34 ]
}
check "and asks about once a second" asks_little
check "jobs run one after the other, most of them given to who stands by" give_directly 40

check "so while those who listen are thrown out" give_while_kicking pubsub 30
check "so while all others are" give_while_kicking normal 30

end_one() { kill -TERM "$1" && wait "$1"; }
check "who ends stands by no more" end_one "$idler_a"
check "nobody does" prints 0 ask llen "rv:{reeve/q#0}:offers"
start_of_two() {
    start_worker worker.two q --store "$REEVE_STORE" --threads 2 --lease $lease -- "$scratch/note"
    give 4
}
check "one of two threads has had jobs" start_of_two
check "and asks about once a second, too" asks_little
check "it ends well" end_one "$pid"
start_idler c "$cut_url"
start_idler d "$cut_url"
check "jobs run while the lines of all are cut" give 100

# From here on one stands by, and another sleeps on the bell: who has not had a job yet.
check "one of them ends well" end_one "$idler_c"
check "so does the other" end_one "$idler_d"
start_idler a "$REEVE_STORE"
kill_idle() {
    give 2 && until_true 20 standing_by || return 1
    start_idler b "$REEVE_STORE"
    kill -KILL "$idler_a"
    idler_a=$idler_b
    give 1
}
check "one who stands by is killed: the next job runs" kill_idle
check "again" kill_idle
check "and again" kill_idle

stop_idle() {
    give 2 && until_true 20 standing_by || return 1
    start_idler b "$REEVE_STORE"
    kill -STOP "$idler_a"
    give_beside_stopped
    given=$?
    kill -CONT "$idler_a"
    [ $given -eq 0 ] && until_true 20 stat_is q finished_total "$pushed"
}
give_beside_stopped() {
    pushed=$((pushed + 2))
    "$REEVE" push q x --id "job-$((pushed - 1))" && "$REEVE" push q x --id "job-$pushed" || return 1
    until_true 20 stat_at_least $((pushed - 1)) || return 1 # one may be given to him
    give 5
}
stat_at_least() { [ "$(total q finished_total)" -ge "$1" ]; }
check "one who stands by is stopped: it costs one job, for as long as he is" stop_idle

check "each was finished once" accounts_for "$pushed"
check "the workers end well" end_workers
check "nobody stands by any more" prints 0 ask llen "rv:{reeve/q#0}:offers"
check "the doctor finds nothing" "$REEVE" doctor

# With all of its threads waiting out their calls one after the other this took 29 s: more than it is given before a KILL.
give_to_another() { start_idler f "$REEVE_STORE" && give 3; }
end_beside_stopped() {
    start_idler e "$REEVE_STORE"
    give 2 && until_true 20 standing_by || return 1
    kill -STOP "$server_pid"
    begun_s=$(date +%s)
    end_one "$idler_e"
    ended=$?
    took_s=$(($(date +%s) - begun_s))
    kill -CONT "$server_pid"
    echo "# told to end while the server stands still, it took $took_s s"
    [ $ended -eq 0 ] && [ $took_s -lt 22 ]
}
check "one who stands by is told to end, and the server stands still: he does" end_beside_stopped
check "nothing is left of him in the way" give_to_another

start_slow() { # a line by which all hear late while there is a file $scratch/slowly
    "$here/slow.py" "$server_port" 1200 "$scratch/slowly" >"$scratch/slow" &
    started="$started $!"
    until_true 20 test -s "$scratch/slow" && slow_url=redis://127.0.0.1:$(cat "$scratch/slow")
}
end_beside_slow() {
    end_one "$idler_f" && start_slow && start_idler g "$slow_url" || return 1
    give 2 && until_true 20 standing_by || return 1
    : >"$scratch/slowly"
    pushed=$((pushed + 1))
    "$REEVE" push q x --id "job-$pushed" && end_one "$idler_g" && start_idler h "$REEVE_STORE" || return 1
    until_true 20 stat_at_least "$pushed"
}
check "one who has not heard yet what he was given, as the server is slow, and is told to end: he hands it back" end_beside_slow

# A request of his is left without an answer, and stands by when the server goes on; a push that came behind it gives him a
# job. He does not listen when he asks again: the connection for that could not be had, which took as long as a call may.
export HOLD="$scratch/hold"
handler held <<'HELD'
#!/bin/sh
while [ -e "$HOLD" ]; do sleep 0.05; done
HELD
start_held() {
    start_worker worker.i q --threads 1 --lease $lease -- "$scratch/held"
    idler_i=$pid
    give 2 && until_true 20 standing_by
}
start_pusher() { # lines go to 3, over a connection that is there
    mkfifo "$scratch/lines"
    "$REEVE" push q --bulk <"$scratch/lines" &
    pusher=$!
    exec 3>"$scratch/lines"
}
push_line() {
    pushed=$((pushed + 1))
    echo "{\"id\":\"job-$pushed\"}" >&3
}
give_unheard() {
    end_one "$idler_h" && start_held && start_pusher || return 1
    : >"$HOLD"
    push_line
    until_true 20 stat_is q running 1 || return 1
    kill -STOP "$server_pid"
    rm "$HOLD"
    sleep 2 # he hands it in
    push_line
    until_true 20 grep -q store.away "$scratch/worker.i.err" || return 1
    sleep 7 # of 5 he tries to listen
    kill -CONT "$server_pid"
    exec 3>&-
    wait "$pusher" && until_true 20 stat_at_least "$pushed" && end_one "$idler_i"
}
check "an answer of his was lost, and he could not listen: what he was given meanwhile runs" give_unheard
tap_end
