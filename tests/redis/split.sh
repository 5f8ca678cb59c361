#!/bin/sh
# A primary that is cut off from the others, with some who push to it (R6): Sentinels that are left make another the primary, and
# both take writes. Without min-replicas-to-write the old one goes on, and what it acknowledges is lost when it follows
# the new one, but for what is pushed again by who lives on. With it, it refuses soon, and what it acknowledged is there.
# shellcheck disable=SC2317 # check calls by name
. "$(dirname "$0")/../worker/lib.sh"
. "$(dirname "$0")/../harness/net.sh"
kind=${SERVER_KIND:-redis}
command -v "$kind-server" >/dev/null || { echo "1..0 # SKIP no $kind-server"; exit 0; }
net_begin one two three
trap 'net_end; clean_up' EXIT
one=$(net_address one) two=$(net_address two) three=$(net_address three)
export REEVE_STORE="redis+sentinel://$one,$two,$three/jobs"
cut_jobs=3 # each takes some seconds: two of three Sentinels do not answer

server_on() { # HOST LINES...: in the background, until the test ends
    mkdir "$scratch/$1"
    host=$1
    shift
    printf '%s\n' "bind $(net_address "$host")" "port 6379" "dir $scratch/$host" "protected-mode no" "save ''" "repl-ping-replica-period 1" \
        "repl-diskless-sync-delay 0" "min-replicas-to-write $least" "min-replicas-max-lag 1" "$@" >"$scratch/$host/server.conf"
    ip netns exec "$net-$host" "$kind-server" "$scratch/$host/server.conf" >"$scratch/$host/out" 2>&1 &
    started="$started $!"
}
sentinel_on() { # HOST
    mkdir -p "$scratch/$1"
    printf '%s\n' "bind $(net_address "$1")" "port 26379" "dir $scratch/$1" "protected-mode no" "sentinel monitor jobs $one 6379 2" \
        "sentinel down-after-milliseconds jobs 2000" "sentinel failover-timeout jobs 6000" >"$scratch/$1/sentinel.conf"
    ip netns exec "$net-$1" "$kind-server" "$scratch/$1/sentinel.conf" --sentinel >"$scratch/$1/sentinel.out" 2>&1 &
    started="$started $!"
}
ask() { # HOST PORT WORDS...
    ask_host=$1 ask_port=$2
    shift 2
    on "$ask_host" timeout 5 redis-cli -h "$(net_address "$ask_host")" -p "$ask_port" "$@"
}
is() { [ "$(ask "$1" 6379 role | head -n 1)" = "$2" ]; }
in_step() { ask one 6379 info replication | grep -q 'slave0:.*state=online'; }
knows_all() { # of the Sentinels
    ask "$1" 26379 sentinel master jobs >"$scratch/known" &&
        [ "$(grep -A1 num-slaves "$scratch/known" | tail -n 1) $(grep -A1 num-other-sentinels "$scratch/known" | tail -n 1)" = "1 2" ]
}
part() { for host in two three; do "$1" one $host && "$1" $host one; done; }
push_on() { on "$1" timeout 20 "$REEVE" push q x --id "$2"; } # HOST ID
refuses() { ! push_on one "probe-$(date +%N)"; }
has() { on three "$REEVE" job show "q/$1"; }
count_kept() { # of those that were acknowledged
    kept=0
    while read -r id; do if has "$id" >/dev/null 2>&1; then kept=$((kept + 1)); fi; done <"$scratch/acknowledged"
}

start_producer() { # on one: a handle that lives on
    mkfifo "$scratch/lines"
    ip netns exec "$net-one" "$REEVE" push q --bulk <"$scratch/lines" >"$scratch/producer.out" 2>"$scratch/producer.err" &
    producer=$!
    started="$started $producer"
    exec 9>"$scratch/lines"
}

campaign() { # MIN-REPLICAS
    least=$1
    server_on one
    server_on two "replicaof $one 6379"
    for host in one two three; do sentinel_on $host; done
    check "min-replicas $least: the replica is in step" until_true 60 in_step
    for host in one two three; do check "... and Sentinel $host knows all" until_true 60 knows_all $host; done
    start_producer
    echo '{"id":"before"}' >&9
    check "a job is pushed" until_true 60 has before
    part cut_off
    [ "$least" = 0 ] || check "the old one refuses soon" until_true 60 refuses
    check "another is primary" until_true 60 is two master
    check "... and the old one believes that it is" is one master
    : >"$scratch/acknowledged"
    for i in $(seq $cut_jobs); do if push_on one "cut-$i" >/dev/null 2>&1; then echo "cut-$i" >>"$scratch/acknowledged"; fi; done
    [ "$least" != 0 ] || echo '{"id":"cut-and-kept"}' >&9
    acknowledged=$(wc -l <"$scratch/acknowledged")
    part connect
    check "when it is back it follows the other" until_true 60 is one slave
    count_kept
    echo "# min-replicas $least: of $acknowledged pushes that it acknowledged while cut off, $((acknowledged - kept)) are lost"
    if [ "$least" = 0 ]; then
        check "without min-replicas it had gone on" test "$acknowledged" -eq $cut_jobs
        check "what was pushed by who lives on is there" until_true 60 has cut-and-kept
        check "... because it was pushed again" grep -q 'store.resent pushes=1 ' "$scratch/producer.err"
    else
        check "with them it acknowledged nothing" test "$acknowledged" -eq 0
    fi
    check "what was there before is there" has before
    check "jobs are taken again" until_true 60 push_on one "after"
    exec 9>&-
    wait "$producer"
    for ended_pid in $started; do kill -KILL "$ended_pid" 2>/dev/null; wait "$ended_pid" 2>/dev/null; done
    started=
    rm -rf "$scratch/one" "$scratch/two" "$scratch/three" "$scratch/lines"
}

for least in ${LEAST:-0 1}; do campaign "$least"; done
tap_end
