#!/bin/sh
# A replica that is named as if it were a server by itself: that is told soon, with what to do about it. Once it is a primary it
# is one, also for who was told so before. (Where Sentinels are asked, or nodes of a cluster, it is waited for: failover.sh.)
. "$(dirname "$0")/lib.sh"
start_server aof
primary=$REEVE_STORE
REEVE_STORE=$(MORE="replicaof 127.0.0.1 $server_port" "$servers" start "$server_kind" "$scratch/replica") || exit
export REEVE_STORE
clean_up_replica() {
    "$servers" stop "$scratch/replica"
    clean_up_server
}
trap clean_up_replica EXIT

ask_replica() { redis-cli -p "${REEVE_STORE##*:}" "$@"; }
is_linked() { ask_replica info replication | grep -q 'master_link_status:up'; }
has_layout() { [ "$(ask_replica exists 'rv:{reeve}:version')" = 1 ]; }
# refused: a push, soon, and with good advice.
refused() {
    refused_began=$(date +%s%3N) refused_status=0
    "$REEVE" push q --id refused >"$scratch/out" 2>&1 || refused_status=$?
    refused_took=$(($(date +%s%3N) - refused_began))
    cat "$scratch/out"
    echo "exit $refused_status after $refused_took ms"
    [ "$refused_status" -eq 69 ] && [ "$refused_took" -lt 4000 ] || return 1
    grep -q "replica.* name its primary.*redis+sentinel://.*READONLY" "$scratch/out"
}

check "the replica follows" until_true 30 is_linked
check "a replica that has nothing yet is told" refused
check "its primary takes jobs" "$REEVE" push q --id a --store "$primary"
check "... which the replica hears of" until_true 30 has_layout
check "a replica of a space that is in use is told" refused
check "it can be read from" "$REEVE" job show q/a
check "it comes to be a primary" ask_replica replicaof no one
check "... and takes jobs" "$REEVE" push q --id b
tap_end
